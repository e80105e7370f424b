//! Programs at several loads: each is a program of its own, which finds its load in its environment.

use super::{WantedProgram, is_program};
use crate::loads::{self, LoadArg};
use anyhow::{Result, bail};
use tare_proto::BenchInfo;
use tare_store::{LOAD, ProgramValue};

/// Refuses a search for the loads of programs, each step of which would take minutes.
pub fn check_search(benches: &[BenchInfo], asked: &[LoadArg]) -> Result<()> {
    match loads::searched(benches, asked).iter().find(|bench| is_program(bench)) {
        None => Ok(()),
        Some(BenchInfo { name, .. }) => {
            bail!("--load auto cannot find loads of programs; list them: --load {name}=1,2,4")
        }
    }
}

/// Every one of `programs` at each of its own loads, or at those that were `asked` for; a load of 0 in a program's own list
/// is as many as layers have `cpus`.
pub fn at_loads(
    programs: Vec<WantedProgram>,
    asked: &[LoadArg],
    cpus: usize,
) -> Vec<WantedProgram> {
    let each = programs.into_iter().flat_map(|wanted| {
        let of = loads::loads_of(&wanted.benches[0], asked, cpus, None);
        of.into_iter().map(move |load| at(&wanted, load))
    });
    each.collect()
}

fn at(wanted: &WantedProgram, load: u32) -> WantedProgram {
    let mut wanted = wanted.clone();
    if wanted.benches[0].load.is_empty() {
        return wanted;
    }
    wanted.planned.program.env.push((LOAD.to_owned(), load.to_string()));
    for (bench, row) in wanted.benches.iter_mut().zip(&mut wanted.planned.rows) {
        *bench = bench.at(load);
        // A service's costs are those of a request.
        if let (Some(time), ProgramValue::Cpu { parts } | ProgramValue::Counted { parts, .. }) =
            (wanted.asks_for, &mut row.value)
        {
            *parts = time.as_secs_f64() * f64::from(load);
        }
        row.benchmark.clone_from(&bench.name);
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ProgramArgs;
    use crate::programs::read;

    #[test]
    fn a_program_at_a_load_is_a_row_and_knows_its_load() {
        let asked = ProgramArgs {
            command: vec!["bench".into()],
            metric: vec!["(?<rate>[0-9]+)/s".into()],
            unit: vec!["1/s".into()],
            load_counts: Some("threads".into()),
            ..ProgramArgs::default()
        };
        let wanted = || vec![read(&asked, "program").unwrap()];
        let loads = ["4,1".parse().unwrap()];
        let all = at_loads(wanted(), &loads, 1);
        let names: Vec<&str> = all.iter().map(|one| one.benches[0].name.as_str()).collect();
        assert_eq!(names, ["program/bench.rate", "program/bench.rate@4"]);
        assert_eq!(all[1].planned.rows[0].benchmark, "program/bench.rate@4");
        let load = |at: usize| all[at].planned.program.env.iter().find(|(key, _)| key == LOAD);
        assert_eq!(load(1).map(|(_, value)| value.as_str()), Some("4"));
        assert_eq!(at_loads(wanted(), &[], 1).len(), 1, "one when nothing is said");
        let why = check_search(&wanted()[0].benches, &["auto".parse().unwrap()]).unwrap_err();
        assert!(why.to_string().contains("--load program/bench.rate=1,2,4"), "{why}");
    }
}

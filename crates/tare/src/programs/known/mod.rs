//! The suite `programs`: well-known programs from Debian's packages, one file and one row each. Each is sized so that a run
//! takes a tenth of a second natively where its work can be counted, or a second, and does the same on every layer.

pub mod agents;
mod dbench;
mod gcc;
mod git;
mod hackbench;
mod iperf3;
mod kernel;
mod kernel_lib;
mod nginx;
mod oltp;
mod oltp_read;
mod pgbench;
mod python;
mod redis;
pub mod services;
mod sqlite;
mod sysbench;
mod xz;

use super::{DEFINITION, NEEDS};
use crate::cli::ProgramArgs;
use crate::shell;
use services::Service;
use std::collections::BTreeSet;
use std::time::Duration;
use tare_proto::{BenchInfo, Better, SuiteInfo, Unit};

/// The name of the suite, and what its rows begin with.
pub const SUITE: &str = "programs";

/// The suite of Debian that the packages are from.
const DEBIAN: &str = "bookworm";

pub struct Known {
    /// The suite that it is of.
    suite: &'static str,
    /// Its name, after the suite's.
    name: &'static str,
    /// One line: what a run does.
    about: &'static str,
    packages: &'static [&'static str],
    /// As `--root-run`, `--background`, `--ready` and `--prepare`; empty for none. What a boot would have to make first is
    /// in the root already.
    root_run: &'static str,
    background: &'static str,
    ready: &'static str,
    prepare: &'static str,
    command: &'static str,
    /// What of its output is the value, and its unit; `None`: its time.
    metric: Option<(&'static str, &'static str)>,
    /// What its load counts, which is in `$LOAD`, and the usual loads; nothing for those that have but one.
    load: (&'static str, &'static [u32]),
    memory: &'static str,
    /// Runs that are thrown away, and those that are measured.
    runs: (u32, u32),
    /// Minutes that a run may take, of a row that only its own name asks for; 0 for the others.
    minutes: u64,
}

/// What most of them have none of.
const PLAIN: Known = Known {
    suite: SUITE,
    name: "",
    about: "",
    packages: &[],
    root_run: "",
    background: "",
    ready: "",
    prepare: "",
    command: "",
    metric: None,
    load: ("", &[]),
    memory: "512M",
    runs: (super::WARMUP, super::REPEAT),
    minutes: 0,
};

/// Runs of a program that measures for a second, of which its start is a small part.
const WITHOUT_WARMUP: (u32, u32) = (0, super::REPEAT);

/// Every program, in the scoreboard's order.
pub const ALL: &[&Known] = &[
    &kernel::PROGRAM,
    &kernel_lib::PROGRAM,
    &gcc::PROGRAM,
    &xz::PROGRAM,
    &python::PROGRAM,
    &git::PROGRAM,
    &sqlite::PROGRAM,
    &redis::PROGRAM,
    &nginx::PROGRAM,
    &oltp::PROGRAM,
    &oltp_read::PROGRAM,
    &pgbench::PROGRAM,
    &dbench::PROGRAM,
    &hackbench::PROGRAM,
    &sysbench::PROGRAM,
    &iperf3::PROGRAM,
];

/// All suites of what tare knows, by their names.
pub const SUITES: [&str; 3] = [SUITE, services::SUITE, agents::SUITE];

pub fn suites() -> [SuiteInfo; 3] {
    let about = "well-known programs from Debian's packages, in a root that tare builds once; as root, with mmdebstrap";
    let own = SuiteInfo { name: SUITE.into(), about: about.into() };
    [own, services::suite(), agents::suite()]
}

/// The programs of the suite `programs`, and the tasks of `agents`.
fn all() -> impl Iterator<Item = &'static Known> {
    ALL.iter().chain(agents::ALL).copied()
}

/// The rows of all suites, as they are selected.
pub fn benches() -> impl Iterator<Item = BenchInfo> {
    all().map(Known::info).chain(services::benches())
}

/// Whether the row `name` is run with the whole suite; those that take many minutes are not.
pub fn is_usual(name: &str) -> bool {
    !all().any(|known| known.row() == name && known.takes_minutes())
}

/// What the program of row `name` asks for, in a root with the packages of all of `names`.
pub fn asked(name: &str, names: &[String]) -> Option<ProgramArgs> {
    let Some(known) = all().find(|known| known.row() == name) else {
        return services::asked(name, names);
    };
    let metric = |part: fn((&str, &str)) -> String| known.metric.map(part).into_iter().collect();
    Some(ProgramArgs {
        background: given(known.background),
        ready: given(known.ready),
        prepare: given(known.prepare),
        metric: metric(|(regex, _)| regex.to_owned()),
        unit: metric(|(_, unit)| unit.to_owned()),
        load_counts: given(known.load.0),
        loads: known.load.1.to_vec(),
        warmup: Some(known.runs.0),
        // As many as the others' are for a budget to decide.
        repeat: (known.runs.1 != super::REPEAT).then_some(known.runs.1),
        timeout: known.takes_minutes().then(|| Duration::from_secs(60 * known.minutes)),
        ..in_root(known.name, known.root_run, known.memory, known.command, names)
    })
}

/// A command of a known program or service, in a root with the packages of all of `names`.
fn in_root(
    name: &str,
    root_run: &str,
    memory: &str,
    command: &str,
    names: &[String],
) -> ProgramArgs {
    let of_programs = all().filter(|it| names.contains(&it.row())).map(|it| it.packages);
    let is_named = |it: &&&Service| names.iter().any(|name| it.has(name));
    let of_services = services::ALL.iter().filter(is_named).map(|it| it.packages);
    let packages: BTreeSet<&str> = of_programs.chain(of_services).flatten().copied().collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    ProgramArgs {
        name: Some(name.into()),
        root: Some(format!("debian:{DEBIAN}+{}", packages.join(","))),
        root_run: given(root_run).into_iter().collect(),
        memory: given(memory),
        command: shell::command(command),
        ..ProgramArgs::default()
    }
}

fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl Known {
    fn row(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }

    fn takes_minutes(&self) -> bool {
        self.minutes > 0
    }

    fn info(&self) -> BenchInfo {
        let unit = self.metric.and_then(|(_, unit)| super::units::read(unit).ok());
        let unit = unit.map_or(Unit::Nanoseconds, |(unit, _)| unit);
        BenchInfo {
            name: self.row(),
            about: self.about.into(),
            unit,
            better: super::units::usual_end(unit).unwrap_or(Better::Lower),
            suite: self.suite.into(),
            estimator: super::ESTIMATOR.into(),
            samples: self.runs.1,
            needs: NEEDS.into(),
            load: self.load.0.into(),
            loads: self.load.1.to_vec(),
            series_ms: super::TIMEOUT.as_millis() as u64,
            definition: DEFINITION,
            at_once: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::read;

    #[test]
    fn every_file_has_a_row_and_every_row_can_be_asked_for() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/programs/known");
        let files = |folder: &str| std::fs::read_dir(folder).unwrap().count();
        assert_eq!(files(folder) - 3, ALL.len(), "one file each, the table's, and two suites'");
        let tasks = files(&format!("{folder}/agents"));
        assert_eq!(tasks - 1, agents::ALL.len(), "one file each, and the table's");
        let names: Vec<String> = benches().map(|bench| bench.name).collect();
        for bench in all().map(Known::info) {
            let asked = asked(&bench.name, &names).unwrap();
            let wanted = read(&asked, &bench.suite).unwrap();
            let made = &wanted.benches[0];
            assert_eq!((made.unit, made.better), (bench.unit, bench.better), "{}", bench.name);
            assert!(asked.root.unwrap().parse::<tare_layers::RootRecipe>().is_ok());
        }
    }
}

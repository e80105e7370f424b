//! What a run of a program costs this host beside its time (`--costs`): a row of each.

use super::{Row, WantedProgram};
use crate::cli::{CostArg, ProgramArgs};
use crate::output;
use crate::scratch::ScratchArg;
use anyhow::{Result, bail};
use tare_board::COST;
use tare_proto::counter::{HOST_DISK, HOST_MEMORY, HOST_WAKEUPS};
use tare_proto::{BenchInfo, Better, Unit};
use tare_run::no_wakeups;
use tare_store::ProgramValue;

/// A cost that can be asked for.
struct Cost {
    asked: CostArg,
    /// What follows the program's name in that of its row.
    name: &'static str,
    about: &'static str,
    unit: Unit,
    value: fn() -> ProgramValue,
    /// What is missing here for it, if anything is.
    lacks: fn(&ScratchArg) -> Option<String>,
}

const COSTS: &[Cost] = &[
    Cost {
        asked: CostArg::Cpu,
        name: "cpu",
        about: "CPU time of this host, all of the layer's processes, for",
        unit: Unit::Nanoseconds,
        value: || ProgramValue::Cpu { parts: 1.0 },
        lacks: |_| None,
    },
    Cost {
        asked: CostArg::Memory,
        name: "memory",
        about: "the most memory that all of the layer's processes hold on this host during",
        unit: Unit::Bytes,
        value: || ProgramValue::Counter { name: HOST_MEMORY.into() },
        lacks: |_| None,
    },
    Cost {
        asked: CostArg::Disk,
        name: "disk",
        about: "bytes that all of the layer's processes read from this host's disks and write there in",
        unit: Unit::BytesMoved,
        value: || ProgramValue::Counted { name: HOST_DISK.into(), parts: 1.0 },
        lacks: |scratch| (*scratch == ScratchArg::Memory).then(|| "--scratch disk".into()),
    },
    Cost {
        asked: CostArg::Wakeups,
        name: "wakeups",
        about: "how often this host's kernel wakes a thread of the layer's processes in",
        unit: Unit::Wakeups,
        value: || ProgramValue::Counted { name: HOST_WAKEUPS.into(), parts: 1.0 },
        lacks: |_| no_wakeups().map(|why| format!("the kernel's events: {why}")),
    },
];

/// The rows of those that are `asked` for, beside the row `base` of a run that is warmed up so many times.
pub fn rows(asked: &[CostArg], base: &BenchInfo, warmup: u32) -> Result<Vec<Row>> {
    let wanted = |cost: &&Cost| asked.contains(&cost.asked) || asked.contains(&CostArg::All);
    let wanted: Vec<&Cost> = COSTS.iter().filter(wanted).collect();
    if warmup == 0 && wanted.iter().any(|cost| cost.asked == CostArg::Memory) {
        bail!(
            "--costs: the memory is looked at while the program warms up, and with --warmup 0 it does not; \
             --costs=cpu needs none"
        );
    }
    Ok(wanted.into_iter().map(|cost| row(cost, base)).collect())
}

/// Leaves out of `programs` what cannot be counted here where all costs are `asked` for, and says so; refuses it where it is asked for by its
/// name.
pub fn possible(
    programs: &mut [WantedProgram],
    asked: &[&ProgramArgs],
    scratch: &ScratchArg,
) -> Result<()> {
    for Cost { asked: which, name, value, lacks, .. } in COSTS {
        let value = value();
        let mut of_these = programs.iter_mut().filter(|program| program.has_row(&value)).peekable();
        let Some(needs) = of_these.peek().and_then(|_| lacks(scratch)) else { continue };
        if asked.iter().any(|program| program.costs.contains(which)) {
            bail!("--costs={name} needs {needs}");
        }
        output::note(&format!("--costs has no row of {name}, which needs {needs}"));
        of_these.for_each(|program| program.leave_out(&value));
    }
    Ok(())
}

fn row(cost: &Cost, base: &BenchInfo) -> Row {
    let bench = BenchInfo {
        name: format!("{}.{}", base.name, cost.name),
        about: format!("{} {}", cost.about, base.about),
        unit: cost.unit,
        better: Better::Lower,
        suite: COST.into(),
        ..base.clone()
    };
    (bench, (cost.value)())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cost_is_a_row_and_memory_needs_a_run_that_does_not_count() {
        let base = BenchInfo { name: "program/x".into(), ..BenchInfo::default() };
        let names = |asked, warmup| {
            let rows = rows(&[asked], &base, warmup)?;
            anyhow::Ok(rows.into_iter().map(|(bench, _)| bench.name).collect::<Vec<_>>())
        };
        let all = ["program/x.cpu", "program/x.memory", "program/x.disk", "program/x.wakeups"];
        assert_eq!(names(CostArg::All, 1).unwrap(), all);
        assert_eq!(names(CostArg::Cpu, 0).unwrap(), ["program/x.cpu"]);
        assert!(names(CostArg::Memory, 0).unwrap_err().to_string().contains("--warmup 0"));
    }
}

//! The counts in the form of two reports' tables. As in report 001: a table per benchmark with a column per layer (path
//! length, rates of hypercalls and exits, cycles per instruction, misses per 1,000 instructions). As in report 002: a line
//! per benchmark with a column per metric (instructions, cycles, TLB misses, page walks, cache misses).

use super::counted::One;
use super::cycles::{self, PLACES, everywhere};
use crate::board::Scoreboard;
use serde::Serialize;
use tare_proto::counter::{HYPERCALL, MODEL, VM_EXITS};
use tare_proto::{Machine, Untrusted};
use tare_store::Campaign;

/// The metrics of one benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metrics {
    /// The benchmark.
    pub benchmark: Untrusted,
    /// The layers that were counted, the baseline first.
    pub layers: Vec<Untrusted>,
    /// One line a metric that any of them has.
    pub metrics: Vec<Metric>,
    /// What the figures rest on.
    pub note: String,
}

/// One metric on every layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metric {
    /// What it is, with its unit.
    pub name: String,
    /// One a layer; `None` where it was not counted.
    pub values: Vec<Option<f64>>,
}

impl Metrics {
    /// Only the layers that are `wanted`.
    #[must_use]
    pub fn of(mut self, wanted: impl Fn(&str) -> bool) -> Metrics {
        let kept: Vec<bool> = self.layers.iter().map(|name| wanted(name.raw())).collect();
        let mut keep = kept.iter();
        self.layers.retain(|_| keep.next() == Some(&true));
        for metric in &mut self.metrics {
            let mut keep = kept.iter();
            metric.values.retain(|_| keep.next() == Some(&true));
        }
        self
    }
}

/// The metrics of benchmark number `bench`; `None` when nothing was counted beside it.
#[must_use]
pub fn metrics(campaign: &Campaign, board: &Scoreboard, bench: usize) -> Option<Metrics> {
    let benchmark = &campaign.benchmarks.get(bench)?.name;
    let row = board.rows.iter().find(|row| row.benchmark == *benchmark)?;
    let baseline = campaign.baseline()?;
    let others = (0..campaign.layers.len()).filter(|at| *at != baseline);
    let counted = [baseline].into_iter().chain(others).map(|at| (at, One::of(campaign, bench, at)));
    let counted: Vec<(usize, One)> = counted.filter(|(_, one)| one.is_counted()).collect();
    let names: Vec<Untrusted> =
        counted.iter().map(|(at, _)| campaign.layers[*at].name.clone()).collect();
    let pair = |name: &Untrusted| row.cells.iter().find(|cell| cell.layer == *name)?.pair;
    let value = |name: &Untrusted| match *name == board.baseline {
        true => row.cells.iter().find_map(|cell| cell.pair).map(|pair| pair.baseline),
        false => pair(name).map(|pair| pair.layer),
    };
    let mut lines = vec![Metric {
        name: format!("value, {}", row.unit.symbol()),
        values: names.iter().map(value).collect(),
    }];
    let of = |metric: &dyn Fn(&One) -> Option<f64>| {
        counted.iter().map(|(_, one)| metric(one)).collect::<Vec<_>>()
    };
    for (name, metric) in METRICS {
        lines.push(Metric { name: (*name).into(), values: of(metric) });
    }
    let mut calls: Vec<&str> = counted.iter().flat_map(|(_, one)| one.names(HYPERCALL)).collect();
    calls.sort_unstable();
    calls.dedup();
    let calls = calls.into_iter().map(|full| {
        let kind = full.trim_start_matches(HYPERCALL);
        let rate = |one: &One| rate(one, one.get(full));
        Metric { name: format!("  {}", kind.replace('_', " ")), values: of(&rate) }
    });
    let after =
        lines.iter().position(|line| line.name == HYPERCALLS).map_or(lines.len(), |at| at + 1);
    lines.splice(after..after, calls.collect::<Vec<_>>());
    lines.retain(|line| line.values.iter().flatten().any(|value| *value != 0.0));
    let note = match campaign.plan.machine {
        Machine::Sim => {
            "A second of the simulated machine is 10⁹ instructions; cycles and misses are of a model."
        }
        Machine::Real => "Counted by the kernel of each layer, of the probe and its children.",
    };
    let (benchmark, layers, note) = (benchmark.clone(), names, note.to_owned());
    (!layers.is_empty()).then_some(Metrics {
        benchmark: benchmark.into(),
        layers,
        metrics: lines,
        note,
    })
}

const HYPERCALLS: &str = "hypercalls a second";

type Get = fn(&One) -> Option<f64>;

/// The metrics in the order of report 001's tables. A second of the simulated machine is 10⁹ instructions.
const METRICS: &[(&str, Get)] = &[
    ("path length, instructions", instructions),
    ("  user", |one| match one.get("perf/user/instructions") {
        Some(real) => Some(real),
        None => one.sum(["probe/instructions", "user/instructions"]),
    }),
    ("  kernel", |one| {
        one.get("kernel/instructions").or_else(|| one.get("perf/kernel/instructions"))
    }),
    ("  kernel of dom0", |one| one.get("dom0/instructions")),
    ("  VMM", |one| one.get("hypervisor/instructions").or(one.is_simulated().then_some(0.0))),
    (HYPERCALLS, |one| {
        rate(one, Some(one.names(HYPERCALL).into_iter().filter_map(|n| one.get(n)).sum()))
    }),
    ("VM exits a second", |one| rate(one, one.get(VM_EXITS))),
    ("system calls a second", |one| rate(one, one.sum(["probe/syscalls", "user/syscalls"]))),
    ("page faults a second", |one| {
        rate(one, one.sum(["kernel/page_faults", "dom0/page_faults", "hypervisor/page_faults"]))
    }),
    ("cycles an operation", cycles),
    ("CPI", |one| Some(cycles(one)? / instructions(one)?)),
    ("L1 instruction MPKI", |one| mpki(one, &["l1i_misses"])),
    ("L1 data MPKI", |one| mpki(one, &["l1d_misses"])),
    ("L2 MPKI", |one| mpki(one, &["l2_misses"])),
    ("L3 MPKI", |one| mpki(one, &["l3_misses", "cache_misses"])),
    ("ITLB MPKI", |one| mpki(one, &["itlb_misses"])),
    ("DTLB MPKI", |one| mpki(one, &["dtlb_misses"])),
    ("page walks per 1,000 instr.", |one| mpki(one, &["itlb_walks", "dtlb_walks"])),
];

/// Instructions of an operation, of the plugin or of the processor's counters.
fn instructions(one: &One) -> Option<f64> {
    let simulated = PLACES.map(|place| format!("{place}/instructions"));
    one.sum(&simulated).or_else(|| real(one, "instructions"))
}

/// Cycles of an operation: of the model, or counted.
fn cycles(one: &One) -> Option<f64> {
    if one.names(MODEL).is_empty() {
        return real(one, "cycles");
    }
    Some(cycles::of(one, instructions(one)?))
}

/// An event in user and kernel mode.
fn real(one: &One, event: &str) -> Option<f64> {
    one.sum(["user", "kernel"].map(|mode| format!("perf/{mode}/{event}")))
}

/// Misses of these kinds per 1,000 instructions.
fn mpki(one: &One, kinds: &[&str]) -> Option<f64> {
    Some(1000.0 * misses(one, kinds)? / instructions(one)?)
}

fn misses(one: &One, kinds: &[&str]) -> Option<f64> {
    let modelled: Vec<String> = kinds.iter().flat_map(|kind| everywhere(kind)).collect();
    let none = || (!one.names(MODEL).is_empty()).then_some(0.0); // what is 0 is left out
    one.sum(&modelled).or_else(none).or_else(|| kinds.iter().find_map(|kind| real(one, kind)))
}

/// How often a second of the simulated machine, which is 10⁹ instructions.
fn rate(one: &One, times: Option<f64>) -> Option<f64> {
    let instructions = one.is_simulated().then(|| instructions(one))??;
    Some(times.unwrap_or(0.0) * 1e9 / instructions)
}

/// Columns of report 002's tables: a title, and what stands in the column.
const COLUMNS: &[(&str, Get)] = &[
    ("instr", instructions),
    ("cycles", cycles),
    ("ITLB", |one| misses(one, &["itlb_misses"])),
    ("DTLB", |one| misses(one, &["dtlb_misses"])),
    ("walks", |one| misses(one, &["itlb_walks", "dtlb_walks"])),
    ("caches", |one| misses(one, &["l3_misses", "cache_misses"])),
];

/// What every benchmark of a layer counts against the baseline: how many times as much.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factors {
    /// The layer.
    pub layer: Untrusted,
    /// What it is divided by.
    pub baseline: Untrusted,
    /// The columns' titles: the value first.
    pub columns: Vec<String>,
    /// One a benchmark.
    pub rows: Vec<FactorRow>,
}

/// The ratios of one benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactorRow {
    /// The benchmark.
    pub benchmark: Untrusted,
    /// One a column; `None` where there is none.
    pub ratios: Vec<Option<f64>>,
}

impl Factors {
    /// Only the benchmarks that are `wanted`.
    #[must_use]
    pub fn of(mut self, wanted: impl Fn(&str) -> bool) -> Factors {
        self.rows.retain(|row| wanted(row.benchmark.raw()));
        self
    }
}

/// The ratios of everything that was counted on `layer` (a name), benchmark by benchmark.
#[must_use]
pub fn factors(campaign: &Campaign, board: &Scoreboard, layer: &str) -> Option<Factors> {
    let at = campaign.layers.iter().position(|row| row.name == layer)?;
    let baseline = campaign.baseline()?;
    let rows = campaign.benchmarks.iter().enumerate().filter_map(|(bench, about)| {
        let row = board.rows.iter().find(|row| row.benchmark == about.name)?;
        let ratio = row.cells.iter().find(|cell| cell.layer == layer)?.ratio.map(|r| r.value);
        let (base, own) = (One::of(campaign, bench, baseline), One::of(campaign, bench, at));
        let of = |get: &Get| Some(get(&own)? / get(&base).filter(|value| *value > 0.0)?);
        let counted: Vec<Option<f64>> = COLUMNS.iter().map(|(_, get)| of(get)).collect();
        let any = counted.iter().any(Option::is_some);
        any.then(|| FactorRow {
            benchmark: about.name.clone().into(),
            ratios: [ratio].into_iter().chain(counted).collect(),
        })
    });
    let columns = ["value"].into_iter().chain(COLUMNS.iter().map(|(title, _)| *title));
    Some(Factors {
        layer: layer.to_owned().into(),
        baseline: board.baseline.clone(),
        columns: columns.map(str::to_owned).collect(),
        rows: rows.collect(),
    })
    .filter(|factors: &Factors| !factors.rows.is_empty())
}

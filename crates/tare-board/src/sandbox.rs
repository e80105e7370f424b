//! From rows and counters to what the suite `sandbox` says of each layer.

use crate::board::{Alive, AtState, Beside, Estimate, Pays, Phase, Restored, Sandbox, Tails};
use crate::board::{LayerSummary, Presence, Row};
use crate::extras::counted;
use crate::figures::{Mean, Ratio};
use crate::value::holes::SANDBOX;
use crate::value::values::{BlockResult, Values};
use std::collections::BTreeSet;
use tare_proto::{BenchInfo, Unit, at_load, name_and_load};
use tare_stats::{QuantileInterval, mean, mean_interval, quantile_interval};
use tare_store::Campaign;

/// The parts of a start, in their order: the row of each, and what a figure calls it.
const PHASES: [(&str, &str); 4] = [
    ("start/host", "host"),
    ("start/runtime", "runtime"),
    ("start/kernel", "kernel"),
    ("start/probe", "probe"),
];

/// The rows that are measured beside neighbours: idle ones, busy ones.
const BESIDE: [&str; 2] = ["beside/idle", "beside/busy"];

/// Of all samples of a row of the suite that is a time; `None` for other rows, and without samples.
pub(crate) fn tails(
    values: &Values,
    layer: usize,
    (benchmark, info): (usize, &BenchInfo),
    confidence: f64,
) -> Option<Tails> {
    if info.suite != SANDBOX || info.unit != Unit::Nanoseconds {
        return None;
    }
    let mut all: Vec<f64> = Vec::new();
    for found in values.all(layer, benchmark) {
        if let BlockResult::Value(_, series) = found {
            all.extend(&series.samples);
        }
    }
    let at = |p| quantile_interval(&all, p, confidence).ok();
    let slowest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(Tails { starts: all.len(), p50: at(0.5)?, p95: at(0.95)?, p99: at(0.99)?, slowest })
}

/// What the suite says of every layer that it was measured on; nothing of a campaign without it.
pub(crate) fn sandboxes(
    campaign: &Campaign,
    layers: &[LayerSummary],
    rows: &[Row],
    confidence: f64,
) -> Vec<Sandbox> {
    if !rows.iter().any(|row| row.suite == SANDBOX) {
        return Vec::new();
    }
    let counted = counted(campaign);
    let counter = |layer: usize, name: &str| {
        let memory = campaign.benchmarks.iter().position(|bench| bench.name == "sandbox/pss")?;
        estimate(counted.get(&(memory, layer, name))?, confidence)
    };
    let one = |layer: usize| {
        let find = |name: &str| {
            Some(Found::new(rows.iter().find(|row| row.benchmark == name)?, layers, layer))
        };
        // Of all blocks, also of those where it is not positive, which the row has no place for.
        let one_more = counter(layer, "lost_slope").filter(|found| found.value > 0.0);
        let room = counter(layer, "memory_room").map(|room| room.value);
        let mut alive: Vec<Alive> = counted
            .keys()
            .filter(|(_, of, _)| *of == layer)
            .filter_map(|(_, _, name)| {
                let count = name.strip_prefix("lost/")?.parse().ok()?;
                Some(Alive { count, lost: counter(layer, name)? })
            })
            .collect();
        alive.sort_by_key(|alive| alive.count);
        Sandbox {
            layer: layers[layer].name.clone(),
            start: find("start/warm").and_then(|found| found.tails()),
            ratio: find("start/warm").and_then(|found| found.ratio()),
            cold: find("start/cold").and_then(|found| found.tails()),
            phases: PHASES.iter().filter_map(|(row, name)| Some(find(row)?.phase(name))).collect(),
            one_more,
            fits: room.zip(one_more).map(|(room, one_more)| one_more.how_many_in(room)),
            alive,
            idle_cpu: counter(layer, "idle_cpu"),
            idle_wakeups: counter(layer, "idle_wakeups"),
            beside: beside(rows, layers, layer),
            restored: restored(campaign.plan.state_command(), &find, &|row, name| {
                let at = campaign.benchmarks.iter().position(|bench| bench.name == row)?;
                mean(counted.get(&(at, layer, name))?).ok()
            }),
        }
    };
    (0..layers.len()).filter(|&layer| layers[layer].measured > 0).map(one).collect()
}

/// MiB that a layer holds of which there is `start/empty`, and `start/ready`.
const STATES: [(u32, &str, &str); 2] =
    [(1, "start/empty", "restore/empty"), (64, "start/ready", "restore/ready")];

/// What it costs to save and restore a layer that holds a `command`, or memory; whose rows `find` finds, and whose counters `counter`.
fn restored<'a>(
    command: Option<&str>,
    find: &dyn Fn(&str) -> Option<Found<'a>>,
    counter: &dyn Fn(&str, &str) -> Option<f64>,
) -> Option<Restored> {
    let tails = |row: &str| find(row)?.tails();
    let median = |row: &str| Some(tails(row)?.p50.value);
    let mean = |row: &str| Some(find(row)?.mean()?.mean);
    let pair = |(state_mib, start, restore): (u32, &str, &str)| {
        let (started, restored) = (tails(start)?.p50, tails(restore)?.p50);
        let below = |one: &QuantileInterval, other: &QuantileInterval| Some(one.high? < other.low?);
        let cheaper = match (below(&restored, &started), below(&started, &restored)) {
            (Some(true), _) => Some(true),
            (_, Some(true)) => Some(false),
            _ => None,
        };
        let state_mib = Some(state_mib).filter(|_| command.is_none());
        Some(AtState { state_mib, started: started.value, restored: restored.value, cheaper })
    };
    let pairs: Vec<AtState> = STATES.into_iter().filter_map(pair).collect();
    let found = Restored {
        command: command.map(Into::into),
        started: tails("start/ready"),
        ready: tails("restore/ready"),
        cold: tails("restore/cold"),
        touch: median("restore/first_touch"),
        touch_before: counter("restore/first_touch", "before"),
        tail: median("restore/tail"),
        tail_before: counter("restore/tail", "before"),
        save: median("snapshot/save"),
        still: median("snapshot/still"),
        size: mean("snapshot/size"),
        clone_memory: mean("clone/memory"),
        clone_written: mean("clone/written"),
        pays: pays(&pairs),
        pairs,
    };
    // What was only counted says nothing by itself.
    let measured =
        Restored { command: None, touch_before: None, tail_before: None, ..found.clone() };
    (measured != Restored::default()).then_some(found)
}

/// Whether restoring pays, and from which of two sizes on: where the difference, a straight line through both, changes its sign.
fn pays(pairs: &[AtState]) -> Option<Pays> {
    if let [one] = pairs {
        return Some(match one.cheaper {
            Some(true) => Pays::Always,
            Some(false) => Pays::Never,
            None => Pays::Unknown,
        });
    }
    let [small, large] = pairs else { return None };
    let gain = |pair: &AtState| pair.started - pair.restored;
    let [from, to] = [f64::from(small.state_mib?), f64::from(large.state_mib?)];
    let zero = from - gain(small) * (to - from) / (gain(large) - gain(small));
    Some(match (small.cheaper, large.cheaper) {
        (Some(true), Some(true)) => Pays::Always,
        (Some(false), Some(true)) => Pays::From(zero),
        (Some(true), Some(false)) => Pays::UpTo(zero),
        (Some(false), Some(false)) => Pays::Never,
        (None, Some(true)) => Pays::Larger,
        _ => Pays::Unknown,
    })
}

/// What neighbours do to a layer.
fn beside(rows: &[Row], layers: &[LayerSummary], layer: usize) -> Vec<Beside> {
    let loads = rows.iter().map(|row| name_and_load(row.benchmark.raw()));
    let loads: BTreeSet<u32> =
        loads.filter(|(name, _)| BESIDE.contains(name)).map(|(_, load)| load).collect();
    let of = |neighbours: u32| {
        let [idle, busy] = BESIDE.map(|name| {
            let name = at_load(name, neighbours);
            let row = rows.iter().find(|row| row.benchmark == name)?;
            Found::new(row, layers, layer).mean().map(|mean| mean.mean)
        });
        Beside { neighbours, idle, busy }
    };
    loads.into_iter().map(of).filter(|found| found.idle.or(found.busy).is_some()).collect()
}

/// What a row has of one layer, which may be the baseline.
struct Found<'a> {
    row: &'a Row,
    /// The layer's cell; none for the baseline.
    column: Option<usize>,
}

impl<'a> Found<'a> {
    fn new(row: &'a Row, layers: &[LayerSummary], layer: usize) -> Found<'a> {
        let before = layers[..layer].iter().filter(|layer| !layer.baseline).count();
        Found { row, column: (!layers[layer].baseline).then_some(before) }
    }

    fn mean(&self) -> Option<Mean> {
        self.column.map_or(self.row.baseline, |column| self.row.cells[column].mean)
    }

    fn tails(&self) -> Option<Tails> {
        self.column.map_or(self.row.tails, |column| self.row.cells[column].tails)
    }

    fn ratio(&self) -> Option<Ratio> {
        self.row.cells[self.column?].ratio
    }

    fn phase(&self, name: &'static str) -> Phase {
        let cell = self.column.map(|column| &self.row.cells[column]);
        let why = cell.filter(|cell| cell.presence != Presence::Measured);
        Phase {
            name,
            ns: self.mean().map(|mean| mean.mean),
            why: why.and_then(|cell| cell.why.clone()),
        }
    }
}

/// The mean of one value a boot.
fn estimate(values: &[f64], confidence: f64) -> Option<Estimate> {
    let interval = mean_interval(values, confidence).ok();
    Some(Estimate {
        value: mean(values).ok()?,
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restoring_pays_from_where_the_lines_cross() {
        let at = |state_mib, (started, restored, cheaper)| AtState {
            state_mib,
            started,
            restored,
            cheaper,
        };
        let of = |small: (f64, f64, Option<bool>), large: (f64, f64, Option<bool>)| {
            pays(&[at(Some(1), small), at(Some(65), large)])
        };
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(of((9.0, 1.0, yes), (9.0, 1.0, yes)), Some(Pays::Always));
        assert_eq!(of((1.0, 2.0, no), (4.0, 3.0, yes)), Some(Pays::From(33.0)));
        assert_eq!(of((2.0, 1.0, yes), (3.0, 4.0, no)), Some(Pays::UpTo(33.0)));
        assert_eq!(of((1.0, 2.0, no), (1.0, 3.0, no)), Some(Pays::Never));
        assert_eq!(of((2.1, 2.0, None), (4.0, 3.0, yes)), Some(Pays::Larger));
        assert_eq!(of((2.1, 2.0, None), (3.1, 3.0, None)), Some(Pays::Unknown));
        assert_eq!(pays(&[]), None);
        let alone = |cheaper| pays(&[at(None, (2.0, 1.0, cheaper))]);
        assert_eq!(
            [yes, no, None].map(alone),
            [Pays::Always, Pays::Never, Pays::Unknown].map(Some)
        );
    }
}

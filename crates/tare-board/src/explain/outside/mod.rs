//! A ratio of the real machine by what its host saw from outside: counts, where the time went, and the causes of what is added.

mod both;
mod calls;
mod causes;
mod notes;
mod overall;
mod prices;
mod primitives;
mod processor;
mod seen;
mod sentence;
mod stacks;
mod tables;
mod unlike;
mod watched;

pub(super) use causes::REMAINDER;
pub use causes::{CostPart, Known};
pub(super) use overall::{EXPLAINED, kind};
pub use overall::{Help, LayerCauses, layer_causes};
pub use processor::Processed;
pub use stacks::{KERNEL, Stack};

use super::Table;
use crate::board::{Pair, Row, Scoreboard};
use crate::predict::SeenRuns;
use both::Both;
use calls::CallTime;
use prices::Prices;
use seen::{Of, One};
use sentence::Sentence;
use serde::Serialize;
use tare_proto::outside::{ASLEEP, Part, READY, STOPPED_BY_QUOTA, SYSTEM, USER};
use tare_proto::{Unit, Untrusted};
use tare_store::Campaign;
use watched::{SECOND, Watched};

/// What the host saw of one benchmark on a layer and on the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outside {
    /// The whole in one sentence.
    pub sentence: String,
    /// What the figures are of: one `operation`, one `run` of a program, one `start` of a layer, or one `second` of an idle one.
    pub per: &'static str,
    /// Where the time of one operation went: the path from its end to its beginning.
    pub times: Vec<Stretch>,
    /// In which of the host's system calls it went, the longest first; empty where nobody looked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<CallTime>,
    /// What the processor counted of an operation, by whose threads had its CPUs; empty where it has no counters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processor: Vec<Processed>,
    /// Which code called which, by how often the CPUs' clock found it; empty where it did not look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<Stack>,
    /// What makes the layer dearer than the baseline, or else the baseline dearer, in nanoseconds of an operation; empty where the row is
    /// no time, or hardly differs.
    pub causes: Vec<CostPart>,
    /// What the operation took while it was watched, in nanoseconds: on the baseline and on the layer.
    pub watched_ns: (f64, f64),
    /// The same in the same boots while nobody watched.
    pub unwatched_ns: (f64, f64),
    /// What writing one record took on the layer, in nanoseconds; it is in none of the times.
    pub record_ns: f64,
    /// What the times summed to in the watched boots, in nanoseconds, before they were scaled to the row's value.
    pub summed_ns: (f64, f64),
    /// The benchmark whose watched runs these are, where the row is a figure that a run prints: its own, or that of another such figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_of: Option<Untrusted>,
    /// Whether the times are of the mean operation in the watched boots, since a quota of CPU time stops the layer and the row's value
    /// lies between two stops.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_mean: bool,
    /// Whether all figures are of the whole operation, before something is subtracted from it in the row's value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_whole: bool,
    /// Whether the layer works in several ways, so that its times are scaled from what was watched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_modes: bool,
    /// The row's value on both, in nanoseconds, to which the times are scaled; what a run took where the row is a figure that it prints,
    /// an operation of the watched boots where they are of the mean, and what the whole operation took where they are of that; `None` where the row is no time.
    pub measured_ns: Option<(f64, f64)>,
    /// The largest half of a range between boots, as a share, of any count.
    pub spread: f64,
    /// Boots that were watched, of the layer.
    pub boots: usize,
    /// Operations that were watched in one of them.
    pub operations: f64,
    /// Tracepoints that the host's kernel lacks: what they would count is not counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Records that the kernel had no room for: counts are too low where it is not 0.
    pub lost: f64,
}

impl Outside {
    /// How much of `added` nanoseconds has a price, a place alone, and neither.
    pub(super) fn shares(&self, added: f64) -> [f64; 3] {
        sentence::shares(&self.causes, added)
    }

    /// Instructions and cycles of an operation, on the baseline and on the layer, of all its threads together; `None` where the processor has
    /// not counted both.
    pub(super) fn counted_by_processor(&self) -> Option<[(f64, f64); 2]> {
        processor::together(&self.processor).map(|all| [all.instructions, all.cycles])
    }

    /// Nanoseconds of CPUs that an operation's path took: on the baseline and on the layer.
    #[must_use]
    pub fn on_cpu_ns(&self) -> (f64, f64) {
        let is_on_cpu = |one: &&Stretch| STATES[..2].iter().any(|(_, words)| *words == one.state);
        let on_cpu = self.times.iter().filter(is_on_cpu);
        on_cpu.fold((0.0, 0.0), |sum, one| (sum.0 + one.baseline, sum.1 + one.layer))
    }
}

/// Time that somebody spent in one state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stretch {
    /// Whose threads.
    pub whose: &'static str,
    /// What they did.
    pub state: &'static str,
    /// Nanoseconds of an operation on the baseline.
    pub baseline: f64,
    /// On the layer.
    pub layer: f64,
}

/// What has less than this share of an operation is not told.
const TOLD: f64 = 0.002;

/// Whose threads a part is, in words.
const fn whose(part: Part) -> &'static str {
    match part {
        Part::Program => "the program",
        Part::Kernel => "the layer's kernel",
        Part::Helper => "its helpers",
    }
}

/// A row that is at least this many times as dear has something to explain.
const DEARER: f64 = 1.1;

/// What a part's threads do, in words; the first two on a CPU.
const STATES: [(&str, &str); 5] = [
    (USER, "in user mode"),
    (SYSTEM, "in the host's kernel"),
    (READY, "ready, without a CPU"),
    (STOPPED_BY_QUOTA, "ready, stopped by a quota"),
    (ASLEEP, "asleep, woken from outside"),
];

/// What the host saw of one run of a program; nothing of a figure that it prints, and where nobody looked into its calls.
pub(super) fn runs(campaign: &Campaign, (bench, layer): (usize, &str), pair: &Pair) -> SeenRuns {
    if Watched::of(campaign, bench).is_printed {
        return SeenRuns::default();
    }
    let at = campaign.layers.iter().position(|one| one.name == layer);
    let of = |at: Option<usize>, ns: f64| {
        One::of(campaign, (bench, at?), Of::Row)?.scaled_to(Some(ns)).run()
    };
    SeenRuns { baseline: of(campaign.baseline(), pair.baseline), layer: of(at, pair.layer) }
}

/// Where the time of both goes, without what is small.
fn stretches(baseline: &One, layer: &One) -> Vec<Stretch> {
    let mut times = Vec::new();
    for part in Part::ALL {
        for (state, words) in STATES {
            let of = |one: &One| one.time(part, state);
            let stretch = Stretch {
                whose: whose(part),
                state: words,
                baseline: of(baseline),
                layer: of(layer),
            };
            times.push(stretch);
        }
    }
    let all = |of: fn(&Stretch) -> f64| times.iter().map(of).sum::<f64>();
    let least = (TOLD * all(|one| one.baseline), TOLD * all(|one| one.layer));
    times.retain(|one| one.baseline > least.0 || one.layer > least.1);
    times
}

/// What was seen of benchmark number `bench`, whose `row` has the values `pair`; with the tables that tell it.
pub(super) fn outside(
    campaign: &Campaign,
    board: &Scoreboard,
    (bench, row): (usize, &Row),
    layer: &str,
    pair: &Pair,
) -> Option<(Outside, Vec<Table>)> {
    let at = campaign.layers.iter().position(|one| one.name == layer)?;
    let Watched { bench, per, is_printed } = Watched::of(campaign, bench);
    let Both { baseline, layer: seen, values, is_whole } =
        Both::of(campaign, (bench, row), at, pair)?;
    let by_mean = !is_printed && row.unit == Unit::Nanoseconds && seen.is_stopped_by_quota();
    let measured_ns = match is_printed || by_mean {
        true => Some((baseline.unwatched(), seen.unwatched())).filter(|(a, b)| a.min(*b) > 0.0),
        false => (row.unit == Unit::Nanoseconds).then_some((values.baseline, values.layer)),
    };
    let seen = seen.scaled_to(measured_ns.map(|(_, own)| own));
    let baseline = baseline.scaled_to(measured_ns.map(|(native, _)| native));
    let times = stretches(&baseline, &seen);
    let prices = Prices::of(campaign, board);
    let mut causes = match measured_ns {
        Some((native, own)) if own > DEARER * native => {
            causes::causes(&prices, &baseline, &seen, own - native)
        }
        Some((native, own)) if native > DEARER * own && !seen.is_guest() => {
            causes::causes(&prices, &seen, &baseline, native - own)
        }
        _ => Vec::new(),
    };
    if per == SECOND {
        causes.retain(|cause| cause.count.is_none()); // no price was measured beside it
    }
    let there = if board.baseline == "native" { "natively" } else { "on the baseline" };
    let told = Outside {
        sentence: Sentence {
            per,
            there,
            is_printed,
            is_whole,
            times: &times,
            causes: &causes,
            measured_ns,
        }
        .in_words(&baseline, &seen),
        per,
        times,
        within: calls::within(&baseline, &seen),
        processor: processor::processed(&baseline, &seen),
        stacks: stacks::stacks(&baseline, &seen),
        causes,
        watched_ns: (baseline.whole(), seen.whole()),
        unwatched_ns: (baseline.unwatched(), seen.unwatched()),
        record_ns: seen.record(),
        summed_ns: (baseline.raw_sum(), seen.raw_sum()),
        run_of: is_printed.then(|| campaign.benchmarks[bench].name.clone().into()),
        by_mean,
        is_whole,
        has_modes: seen.has_modes(),
        measured_ns,
        spread: seen.spread,
        boots: seen.boots,
        operations: seen.watched().0,
        missing: seen.missing(),
        lost: seen.watched().1,
    };
    let tables = tables::tables(&baseline, &seen, &told);
    Some((told, tables))
}

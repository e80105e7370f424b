//! One sentence: how often the host did what for an operation, and what most of its added time is.

use super::Stretch;
use super::causes::{CostPart, DEARER, Known};
use super::seen::One;
use super::tables::short;
use crate::format::quantity;
use tare_proto::Unit;
use tare_proto::outside::Seen;

/// Kinds of signals that are told one by one.
const FEW: usize = 2;

/// What the sentence is made of.
pub(super) struct Sentence<'a> {
    /// What the figures are of.
    pub per: &'static str,
    /// Where the baseline's are.
    pub there: &'static str,
    /// Whether the row is a figure that a run prints.
    pub is_printed: bool,
    /// Whether it is told of the whole operation, before anything is subtracted.
    pub is_whole: bool,
    pub times: &'a [Stretch],
    pub causes: &'a [CostPart],
    pub measured_ns: Option<(f64, f64)>,
}

impl Sentence<'_> {
    pub(super) fn in_words(&self, baseline: &One, seen: &One) -> String {
        let counts = counts(baseline, seen, self.there);
        let whole = if self.is_whole { "whole " } else { "" };
        let done = match counts.is_empty() {
            true => format!("The host does nothing for one {whole}{}", self.per),
            false => format!("One {whole}{} is {}", self.per, counts.join(", ")),
        };
        format!("{done}{}.", self.added().unwrap_or_else(|| most_of(self.times)))
    }

    /// What most of the added time is.
    fn added(&self) -> Option<String> {
        let (native, own) = self.measured_ns.filter(|_| !self.times.is_empty())?;
        let (more, words) = match (own > native, self.is_printed) {
            (true, false) => (own - native, "that are added"),
            (true, true) => (own - native, "that are added to the run"),
            (false, false) => (native - own, "that are saved"),
            (false, true) => (native - own, "that are saved of the run"),
        };
        if more < DEARER * native.min(own) {
            return Some(String::new());
        }
        let named =
            self.causes.iter().filter(|cause| cause.known != Known::Unexplained && cause.ns > 0.0);
        let top = named.max_by(|a, b| a.ns.total_cmp(&b.ns));
        let time = |ns: f64| quantity(Unit::Nanoseconds, ns);
        let most = top
            .map(|top| format!("; {} of the {} {words}: {}", time(top.ns), time(more), top.name));
        // What rounds to zero has no sign.
        let percent = |share: f64| (100.0 * share).round() + 0.0;
        let [priced, placed, left] = shares(self.causes, more).map(percent);
        Some(format!(
            "{}; {priced:.0}% has a price, {placed:.0}% a place alone, {left:.0}% is not explained",
            most.unwrap_or_default()
        ))
    }
}

/// How often the host did what.
fn counts(baseline: &One, seen: &One, there: &str) -> Vec<String> {
    let mut counts = Vec::new();
    let calls = seen.kinds(Seen::Calls);
    if let Some((name, most)) = calls.iter().max_by(|a, b| a.1.total_cmp(b.1)) {
        let all: f64 = calls.values().sum();
        let which = if *most > 0.99 * all { format!("all {name}") } else { format!("most {name}") };
        let native = short(baseline.all(Seen::Calls));
        counts.push(format!("{} host calls ({which}; {native} {there})", short(all)));
    }
    let switches = seen.all(Seen::Switches);
    if switches >= 0.005 {
        counts.push(format!("{} switches", short(switches)));
    }
    let signals = seen.kinds(Seen::Signals);
    if signals.len() <= FEW {
        counts.extend(signals.iter().map(|(name, n)| format!("{} {name}", short(*n))));
    } else if let Some((most, _)) = signals.iter().max_by(|a, b| a.1.total_cmp(b.1)) {
        counts.push(format!("{} signals (most {most})", short(signals.values().sum())));
    }
    let faults = seen.all(Seen::Faults);
    if faults >= 0.005 {
        counts.push(format!("{} page faults", short(faults)));
    }
    let exits = seen.all(Seen::Exits);
    if exits >= 0.005 {
        counts.push(format!("{} exits", short(exits)));
    }
    counts
}

/// How much of `added` has a price, a place alone, and neither.
pub(super) fn shares(causes: &[CostPart], added: f64) -> [f64; 3] {
    let of = |known| causes.iter().filter(|one| one.known == known).map(|one| one.ns).sum::<f64>();
    [Known::Priced, Known::Placed, Known::Unexplained].map(|known| of(known) / added + 0.0)
}

/// Who has most of the time, of a row that is no time.
fn most_of(times: &[Stretch]) -> String {
    let all: f64 = times.iter().map(|one| one.layer).sum();
    let most = times.iter().max_by(|a, b| a.layer.total_cmp(&b.layer));
    let told = most.filter(|_| all > 0.0);
    told.map_or_else(String::new, |one| {
        format!("; for {:.0}% of its time {} is {}", 100.0 * one.layer / all, one.whose, one.state)
    })
}

//! An explanation that was tried: one setting of the layer was changed, and the row measured again. What the change takes of each cause, or
//! adds to it, is what the row should have become cheaper or dearer by. The causes are seen in other boots than those of the row's value.

use super::outside::{EXPLAINED, Known, REMAINDER, kind};
use super::{Explanation, Table, TableLine, explain};
use crate::board::{Scoreboard, Verdict};
use crate::figures::Ratio;
use crate::format::{quantity, short_ratio};
use crate::options::Options;
use crate::scoreboard;
use serde::Serialize;
use std::collections::BTreeMap;
use tare_proto::{Unit, Untrusted};
use tare_store::{Campaign, LayerRow};

/// Most causes that the sentence names, and the least share of the row's move that one of them has.
const MOST: usize = 2;
const NOTABLE: f64 = 0.1;

/// What became of a row, and of its causes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// The row.
    pub benchmark: Untrusted,
    /// The benchmark whose watched runs have the causes, where the row is a figure that a run prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_of: Option<Untrusted>,
    /// The layer as it was explained.
    pub layer: Untrusted,
    /// The same layer with the change.
    pub changed: Untrusted,
    /// The change, as `cpus=2`.
    pub change: String,
    /// What both are explained against.
    pub baseline: Untrusted,
    /// With the change / without it.
    pub ratio: Ratio,
    /// Whether the row moved.
    pub verdict: Verdict,
    /// What both take more than the baseline, in nanoseconds of an operation: without the change, and with it.
    pub added_ns: (f64, f64),
    /// The causes of that; the last is what is not explained.
    pub causes: Vec<TriedCause>,
    /// The share of the row's move that the causes account for; `None` where it did not move, or nobody watched.
    pub explained: Option<f64>,
    /// What follows for the explanation.
    pub outcome: Outcome,
    /// The whole in a sentence.
    pub sentence: String,
    /// The causes as a table: without the change, and with it.
    pub table: Table,
}

/// A cause without the change and with it, in nanoseconds of an operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TriedCause {
    /// What it is.
    pub name: String,
    /// How well it is known.
    pub known: Known,
    /// Its part without the change.
    pub before_ns: f64,
    /// Its part with it.
    pub after_ns: f64,
}

/// What a try says of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The row moved by what its causes moved.
    AsExplained,
    /// The row moved, and its causes do not account for that.
    Otherwise,
    /// The row is not shown to have moved.
    Still,
    /// The row moved, and nobody watched the causes.
    Unwatched,
}

/// What `campaign` says of its row `bench` (a number): its layers are the baseline, the explained one, and that with the `change`. `None`
/// where it has no ratio of both.
#[must_use]
pub fn tried(campaign: &Campaign, bench: usize, change: &str) -> Option<Tried> {
    let [_, layer, changed] = &campaign.layers[..] else { return None };
    let options = Options::from_plan(&campaign.plan);
    let board = scoreboard(campaign, &options);
    let of = |row: &LayerRow| explain(campaign, &board, bench, row.name.raw());
    let (before, after) = (of(layer)?, of(changed)?);
    let mut among = campaign.clone();
    among.plan.baseline = layer.name.clone();
    let among = scoreboard(&among, &options);
    let (ratio, verdict) = cell(&among, &campaign.benchmarks.get(bench)?.name, changed.name.raw())?;
    let added_ns = (added(&before)?, added(&after)?);
    let causes = both(&before, &after, added_ns);
    let (outcome, explained) = judged(verdict, &causes, added_ns.1 - added_ns.0);
    let table = table(&causes, added_ns, &before);
    let run_of = before.outside.as_ref().and_then(|seen| seen.run_of.clone());
    let mut told = Tried {
        benchmark: before.benchmark,
        run_of,
        layer: layer.name.clone(),
        changed: changed.name.clone(),
        change: change.to_owned(),
        baseline: before.baseline,
        ratio,
        verdict,
        added_ns,
        causes,
        explained,
        outcome,
        sentence: String::new(),
        table,
    };
    told.sentence = told.in_words();
    Some(told)
}

fn cell(board: &Scoreboard, row: &str, layer: &str) -> Option<(Ratio, Verdict)> {
    let row = board.rows.iter().find(|one| one.benchmark == row)?;
    let cell = row.cells.iter().find(|cell| cell.layer == layer)?;
    Some((cell.ratio?, cell.verdict))
}

/// What follows when a row's `verdict` is this and it moved by so many nanoseconds; and the share of these that its causes moved.
fn judged(verdict: Verdict, causes: &[TriedCause], moved: f64) -> (Outcome, Option<f64>) {
    if !matches!(verdict, Verdict::Worse | Verdict::Better) {
        return (Outcome::Still, None);
    }
    if causes.iter().all(|cause| cause.known == Known::Unexplained) {
        return (Outcome::Unwatched, None);
    }
    let known = causes.iter().filter(|cause| cause.known != Known::Unexplained);
    let share = known.map(|cause| cause.after_ns - cause.before_ns).sum::<f64>() / moved;
    let fits = (1.0 - share).abs() < EXPLAINED;
    (if fits { Outcome::AsExplained } else { Outcome::Otherwise }, Some(share))
}

/// Nanoseconds that a row takes more than on the baseline; less, where it is below zero.
fn added(explanation: &Explanation) -> Option<f64> {
    let (native, own) = explanation.outside.as_ref()?.measured_ns?;
    Some(own - native)
}

/// Causes of both, each by its name without what was asked of the kernel, which may differ. Where a row hardly differs from the baseline,
/// nothing of it is explained.
fn both(before: &Explanation, after: &Explanation, added: (f64, f64)) -> Vec<TriedCause> {
    let mut all: BTreeMap<(Known, String), (f64, f64)> = BTreeMap::new();
    let of = |one: &Explanation, added: f64| {
        let causes = one.outside.iter().flat_map(|seen| &seen.causes);
        let sign = added.signum(); // causes of a faster row are what it saves
        let told = causes.map(|cause| ((cause.known, kind(&cause.name)), sign * cause.ns));
        let mut told: Vec<_> = told.collect();
        if told.is_empty() {
            told.push(((Known::Unexplained, REMAINDER.to_owned()), added));
        }
        told
    };
    for (key, ns) in of(before, added.0) {
        all.entry(key).or_default().0 += ns;
    }
    for (key, ns) in of(after, added.1) {
        all.entry(key).or_default().1 += ns;
    }
    let mut causes: Vec<TriedCause> = all
        .into_iter()
        .map(|((known, name), (before_ns, after_ns))| TriedCause {
            name,
            known,
            before_ns,
            after_ns,
        })
        .collect();
    causes.sort_by(|a, b| a.known.cmp(&b.known).then(b.before_ns.total_cmp(&a.before_ns)));
    causes
}

/// The causes, and what they sum to; the share is of the row's move.
fn table(causes: &[TriedCause], added: (f64, f64), of: &Explanation) -> Table {
    let line = |one: &TriedCause| TableLine::new(&one.name, (one.before_ns, one.after_ns));
    let mut lines: Vec<TableLine> = causes.iter().map(line).collect();
    lines.push(TableLine::new("all that is added", added));
    let per = of.outside.as_ref().map_or("operation", |seen| seen.per);
    let title = format!("What is added to {}", of.baseline.raw());
    let largest = added.0.abs().max(added.1.abs());
    Table::new(&title, lines).with_shares(added.1 - added.0).of_times(largest, per)
}

impl Tried {
    fn in_words(&self) -> String {
        let Tried { change, layer, ratio, .. } = self;
        let interval = match (ratio.low, ratio.high) {
            (Some(low), Some(high)) => {
                format!(", 95% CI {}–{}", short_ratio(low), short_ratio(high))
            }
            _ => String::new(),
        };
        let times = format!(
            "with {change} the row takes {} times what it takes in {}{interval}",
            short_ratio(ratio.value),
            layer.raw()
        );
        let moved = self.added_ns.1 - self.added_ns.0;
        match self.outcome {
            Outcome::Still => format!(
                "The row is not shown to move: {times}. So nothing is shown of the causes that the setting changes."
            ),
            Outcome::Unwatched => format!(
                "The row moves: {times}. Which causes moved with it was not seen; tare watches layers as root."
            ),
            Outcome::AsExplained => {
                format!("The row moves as its causes do: {times}. {}", self.accounts(moved))
            }
            Outcome::Otherwise => format!(
                "The row moves otherwise than its causes: {times}. {}",
                self.accounts(moved)
            ),
        }
    }

    /// What the causes account for of the row's move, first those that moved most in its direction.
    fn accounts(&self, moved: f64) -> String {
        let share = |cause: &TriedCause| (cause.after_ns - cause.before_ns) / moved;
        let known = self.causes.iter().filter(|cause| cause.known != Known::Unexplained);
        let mut largest: Vec<&TriedCause> = known.filter(|cause| share(cause) >= NOTABLE).collect();
        largest.sort_by(|a, b| share(b).total_cmp(&share(a)));
        let ns = |ns| quantity(Unit::Nanoseconds, ns);
        let told = largest.into_iter().take(MOST).map(|cause| {
            let TriedCause { name, before_ns, after_ns, .. } = cause;
            let percent = 100.0 * share(cause);
            format!(
                "{percent:.0}% is '{name}' ({} before, {} after)",
                ns(*before_ns),
                ns(*after_ns)
            )
        });
        let told = told.collect::<Vec<_>>().join(", ");
        let all = 100.0 * self.explained.unwrap_or_default();
        let whose = if self.run_of.is_some() { "the run's difference" } else { "the difference" };
        match told.is_empty() {
            true => format!("All causes together account for {all:.0}% of {whose}."),
            false => format!("Of {whose}, {told}; all causes together account for {all:.0}%."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(known: Known, before_ns: f64, after_ns: f64) -> TriedCause {
        TriedCause { name: String::new(), known, before_ns, after_ns }
    }

    #[test]
    fn a_row_moves_as_explained_where_its_causes_move_by_as_much() {
        let causes = [
            cause(Known::Priced, 40.0, 10.0),
            cause(Known::Placed, 50.0, 0.0),
            cause(Known::Unexplained, 10.0, 10.0),
        ];
        let (outcome, share) = judged(Verdict::Better, &causes, -80.0);
        assert_eq!((outcome, share), (Outcome::AsExplained, Some(1.0)));
        let (outcome, share) = judged(Verdict::Undecided, &causes, -80.0);
        assert_eq!((outcome, share), (Outcome::Still, None));
    }

    #[test]
    fn it_moves_otherwise_without_them_or_against_them() {
        let causes = [cause(Known::Placed, 90.0, 90.0), cause(Known::Unexplained, 10.0, -70.0)];
        assert_eq!(judged(Verdict::Better, &causes, -80.0), (Outcome::Otherwise, Some(-0.0)));
        let causes = [cause(Known::Placed, 10.0, 60.0), cause(Known::Unexplained, 0.0, -130.0)];
        assert_eq!(judged(Verdict::Better, &causes, -80.0).0, Outcome::Otherwise);
        let causes = [cause(Known::Unexplained, 100.0, 20.0)];
        assert_eq!(judged(Verdict::Better, &causes, -80.0), (Outcome::Unwatched, None));
    }
}

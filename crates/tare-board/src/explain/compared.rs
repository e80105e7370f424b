//! What a run of a program takes beside what was predicted of it, in words and as a table.

use super::{Parts, Table, TableLine};
use crate::format::short_ratio;
use crate::predict::{Compared, Kind};
use tare_proto::Untrusted;

/// What the table rests on.
const METHOD: &str = "The prediction is that of tare predict, from the program's operations on the baseline and the prices of \
    operations on both; nothing that was measured of this program on the layer is in it. What the host saw of each kind is the time within \
    its own calls of that kind. Page faults and the ways into calls are outside of calls. In a layer with a kernel of its own the host does not \
    see for which call of the program it works.";

impl Parts {
    /// Adds what was predicted of a run, or the reason why nothing was.
    pub(super) fn compare(&mut self, found: Result<Compared, String>) -> Option<Compared> {
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                self.notes.push(format!("The run is compared with no prediction: {why}."));
                return None;
            }
        };
        self.sentence = format!("{} {}", sentence(&found), self.sentence);
        self.tables.insert(self.tables.len().min(1), table(&found));
        self.notes.push(METHOD.into());
        if !found.unpriced.is_empty() {
            let rows: Vec<&str> = found.unpriced.iter().map(Untrusted::raw).collect();
            self.notes.push(format!(
                "The layer has no number for {}, so they are taken to cost what they cost on the baseline.",
                rows.join(", ")
            ));
        }
        Some(found)
    }
}

/// Prediction and measurement in one sentence.
fn sentence(one: &Compared) -> String {
    let [predicted, low, high, measured] =
        [one.predicted, one.low, one.high, one.measured].map(short_ratio);
    let missed = if one.holds() { "" } else { ", which the interval misses" };
    let added = |kind: &&Kind| {
        kind.predicted_ns.zip(kind.priced_ns).map_or(0.0, |(own, native)| own - native)
    };
    let most = one.kinds.iter().max_by(|a, b| added(a).total_cmp(&added(b)));
    let mostly = match most.filter(|kind| one.predicted > WORTH && added(kind) > 0.0) {
        Some(kind) => format!(" Most of what was predicted to be added is {}.", kind.name),
        None => String::new(),
    };
    format!(
        "Predicted × {predicted} ({low}–{high}, {:.0}%), measured × {measured}{missed}.{mostly}",
        100.0 * one.confidence
    )
}

/// A prediction below this adds nothing worth a word.
const WORTH: f64 = 1.02;

/// Every kind of work with both, and the whole run.
fn table(one: &Compared) -> Table {
    let mut lines = Vec::new();
    let line = |name: &str, (native, own): (Option<f64>, Option<f64>)| {
        TableLine::new(name, (native.unwrap_or(f64::NAN), own.unwrap_or(f64::NAN)))
    };
    for kind in &one.kinds {
        if kind.predicted_ns.is_some() {
            let name = format!("{}: predicted", kind.name);
            lines.push(line(&name, (kind.priced_ns, kind.predicted_ns)));
        }
        if kind.seen_baseline_ns.is_some() {
            let name = format!("{}: seen by the host", kind.name);
            lines.push(line(&name, (kind.seen_baseline_ns, kind.seen_layer_ns)));
        }
    }
    let run = |name, ratio| TableLine::new(name, (one.baseline_ns, ratio * one.baseline_ns));
    lines.push(run("the run: predicted", one.predicted));
    lines.push(run("the run: measured", one.measured));
    let largest = lines.iter().map(|line| line.baseline.max(line.layer)).fold(0.0, f64::max);
    Table::new("Predicted and measured", lines).of_times(largest, "run")
}

//! A comparison in words, for every written form.

use crate::clean::{clean, fit};
use crate::words::{self, name, percent_of, times};
use tare_board::Gate;
use tare_board::format::{
    count, digits, pair, percent_above_one, quantity, ratio_and_interval, short_ratio,
};
use tare_board::{By, Campaigned, ComparedLayer, ComparedRow, Comparison};
use tare_board::{Geomean, Measure, Pair, Ratio, Verdict};

/// Which campaigns are compared.
pub(super) fn title(comparison: &Comparison) -> Vec<String> {
    let side = |when: &str, side: &Campaigned| {
        let state = if side.state == "finished" { String::new() } else { name(&side.state) + ", " };
        format!(
            "{when} {} ({state}{}, {})",
            fit(&clean(&side.name), 120),
            count(side.blocks, "block"),
            name(&side.created)
        )
    };
    vec![side("after: ", &comparison.after), side("before:", &comparison.before)]
}

/// What the figures are, in sentences.
pub(crate) fn how(comparison: &Comparison) -> Vec<String> {
    let method = &comparison.method;
    let what = match comparison.by {
        By::Cost => format!(
            "Compared: each layer's cost against {}, after / before: {}.",
            name(&comparison.before.baseline),
            clean(&comparison.why)
        ),
        By::Value => format!(
            "Compared: values, after / before: {}. What the host did between the campaigns is part of every difference.",
            clean(&comparison.why)
        ),
    };
    let mut lines = vec![what];
    lines.extend(control(comparison));
    lines.push(format!(
        "Unpaired: the blocks of two campaigns are unrelated (Welch's t on the logs, {} CI). Verdicts: {} correction over \
         {}, equivalence within {}, nothing within either campaign's noise floor.",
        percent_of(method.confidence),
        words::correction(method.correction),
        count(method.comparisons, "comparison"),
        percent_of(method.margin),
    ));
    lines
}

/// What the baseline did between the campaigns.
fn control(comparison: &Comparison) -> Option<String> {
    let say = |mean: &Geomean| {
        let (ratio, interval) = ratio_and_interval(&mean.cost);
        let interval = interval.map(|interval| format!(" ({interval})")).unwrap_or_default();
        format!("{} {}{interval}", measured(mean), ratio)
    };
    let all: Vec<String> = comparison.control.iter().map(say).collect();
    let first = comparison.control.first()?;
    Some(format!("{} itself, after / before: {}.", name(&first.layer), all.join(", ")))
}

/// A suite, and what is measured where that is not speed.
fn measured(mean: &Geomean) -> String {
    let what = match mean.measure {
        Measure::Speed => "",
        Measure::Size => " (memory)",
        Measure::Path => " (instructions)",
    };
    format!("{}{what}", name(&mean.suite))
}

/// What a layer's geometric means and rows say.
pub(crate) fn sentences(comparison: &Comparison, layer: &ComparedLayer) -> Vec<(Verdict, String)> {
    let confidence = percent_of(comparison.method.confidence);
    let margin = percent_of(comparison.method.margin);
    let say = |mean: &Geomean| {
        let (ratio, interval) = ratio_and_interval(&mean.cost);
        let sure = interval.map_or(String::new(), |i| format!(", {confidence} CI {i}"));
        let said = match mean.verdict {
            Verdict::Equivalent => format!("equivalent within {margin}"),
            Verdict::Undecided | Verdict::None => "undecided".into(),
            _ => times(mean.cost.value, mean.measure),
        };
        let over = format!("{} of {}", count(mean.rows, "row"), measured(mean));
        (mean.verdict, format!("{said} over {over} (geometric mean {ratio}{sure})"))
    };
    let several = layer.geomeans.iter().filter(|mean| mean.rows > 1);
    let mut all: Vec<(Verdict, String)> = several.map(say).collect();
    all.push((Verdict::None, tally(layer)));
    all
}

/// `2 slower, 1 undecided, 1 without a ratio`.
fn tally(layer: &ComparedLayer) -> String {
    let mut parts: Vec<(&str, usize)> = Vec::new();
    for row in &layer.rows {
        let word = match row.ratio {
            Some(_) => words::word(row.verdict, Measure::of(row.unit)),
            None => "without a ratio",
        };
        match parts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, n)) => *n += 1,
            None => parts.push((word, 1)),
        }
    }
    let said: Vec<String> = parts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    said.join(", ")
}

/// Ratio, interval, floor, raw pair and verdict of a row in words.
pub(crate) fn columns(row: &ComparedRow, by: By) -> [String; 5] {
    let none = || "–".to_owned();
    let (ratio, interval) = row.ratio.as_ref().map_or((none(), None), ratio_and_interval);
    let word = words::word(row.verdict, Measure::of(row.unit));
    let verdict = match (row.verdict, row.more_blocks, row.ratio) {
        (_, _, None) => absent(row),
        (Verdict::Undecided, Some(more), _) => format!("{word} (+{more})"),
        _ => word.into(),
    };
    let floor = row.floor.map_or_else(none, percent_above_one);
    [ratio, interval.unwrap_or_else(none), floor, raw(row, by), verdict]
}

/// Which side has no value.
fn absent(row: &ComparedRow) -> String {
    match (row.before, row.after) {
        (None, None) => "not measured",
        (None, _) => "not before",
        _ => "not after",
    }
    .into()
}

fn raw(row: &ComparedRow, by: By) -> String {
    let print = |value: f64| match by {
        By::Value => quantity(row.unit, value),
        By::Cost => short_ratio(value),
    };
    match (row.after.map(|m| m.mean), row.before.map(|m| m.mean), by) {
        (Some(after), Some(before), By::Value) => {
            pair(row.unit, &Pair { layer: after, baseline: before })
        }
        (after, before, _) => {
            let print = |value: Option<f64>| value.map_or("–".into(), print);
            format!("[{}/{}]", print(after), print(before))
        }
    }
}

/// What came of every condition, and of what is open.
pub(super) fn gate_lines(gate: &Gate) -> Vec<(bool, String)> {
    let mut lines = Vec::new();
    for judged in &gate.conditions {
        if judged.failing.is_empty() {
            lines.push((true, format!("passed: nothing is shown to be {}", judged.condition)));
        }
        for row in &judged.failing {
            let times = short_ratio(row.cost);
            let (layer, bench) = (name(&row.layer), name(&row.benchmark));
            let p = digits(row.p);
            lines.push((
                false,
                format!("FAILED {}: {layer} {bench}, cost {times} (p = {p})", judged.condition),
            ));
        }
    }
    if gate.undecided > 0 {
        let (open, all) = (gate.undecided, count(gate.tested, "row"));
        lines.push((true, format!("{open} of {all} undecided, which does not fail")));
    }
    if gate.untested > 0 {
        let rows = count(gate.untested, "row");
        lines.push((true, format!("{rows} not tested: no two values in both campaigns")));
    }
    lines
}

/// A ratio for a sentence.
pub(super) fn ratio_of(ratio: Option<Ratio>) -> String {
    ratio.map_or("–".into(), |ratio| short_ratio(ratio.value))
}

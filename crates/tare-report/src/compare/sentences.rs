//! A comparison in words, for every written form.

use crate::certainty;
use crate::clean::{clean, fit};
use crate::words::{self, name, percent_of, times};
use tare_board::format::{
    count, digits, pair, percent_above_one, quantity, ratio_and_interval, short_ratio,
};
use tare_board::{By, Campaigned, ComparedLayer, ComparedRow, Comparison};
use tare_board::{Gate, Judged, Seen};
use tare_board::{Geomean, Measure, Pair, Ratio, Verdict};

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
            "Compared: values, after / before: {}. Changes of the host between the campaigns are part of every difference.",
            clean(&comparison.why)
        ),
    };
    let mut lines = vec![what];
    lines.extend(control(comparison));
    lines.push(format!(
        "Unpaired: the blocks of two campaigns are unrelated (Welch's t on the logs, {} CI). Verdicts: {} correction over \
         {}, equivalence within {}, no difference called within either campaign's noise floor.",
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
        measure => &format!(" ({})", measure.words().about),
    };
    format!("{}{what}", name(&mean.suite))
}

/// What a layer's geometric means and rows say.
pub(crate) fn sentences(comparison: &Comparison, layer: &ComparedLayer) -> Vec<(Verdict, String)> {
    let confidence = percent_of(comparison.method.confidence);
    let margin = percent_of(comparison.method.margin);
    let say = |mean: &Geomean| {
        let (mut ratio, interval) = ratio_and_interval(&mean.cost);
        let mut sure = interval.map_or(String::new(), |i| format!(", {confidence} CI {i}"));
        let said = match mean.verdict {
            Verdict::Identical => "identical".into(),
            Verdict::Equivalent => {
                if let Some(tested) = &mean.shown {
                    let (own, interval) = certainty::shown(&mean.cost, tested);
                    (ratio, sure) = (own, format!(", {interval}"));
                }
                format!("equivalent within {margin}")
            }
            Verdict::Undecided | Verdict::None => {
                let margin = comparison.method.margin;
                let (seen, most) = words::open(&mean.cost, mean.measure, margin);
                format!("{seen}, {most}, {},", certainty::why_open_mean(mean, margin))
            }
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
pub(crate) fn columns(row: &ComparedRow, by: By, margin: f64) -> [String; 5] {
    let none = || "–".to_owned();
    let (ratio, interval) = row.ratio.as_ref().map_or((none(), None), ratio_and_interval);
    let verdict = match (row.verdict, row.ratio) {
        (_, None) => absent(row),
        (Verdict::Undecided, _) => words::undecided(row.more_blocks),
        (Verdict::Equivalent, ratio) => {
            certainty::equivalent(ratio.as_ref(), row.shown.as_ref(), margin)
        }
        (verdict, _) => words::word(verdict, Measure::of(row.unit)).into(),
    };
    let floor = row.floor.map_or_else(none, percent_above_one);
    [ratio, interval.unwrap_or_else(none), floor, raw(row, by), verdict]
}

fn absent(row: &ComparedRow) -> String {
    match (row.before, row.after) {
        (None, None) => "not measured",
        (None, _) => "missing before",
        _ => "missing after",
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

/// Most rows of a condition that are named.
const FAILING: usize = 10;

/// What came of every condition, and of what is open: each line with whether it is no reason to fail.
pub fn gate_lines(gate: &Gate) -> Vec<(bool, String)> {
    let mut lines: Vec<(bool, String)> = gate.conditions.iter().flat_map(judged_lines).collect();
    let (does, fine) = match gate.fail_undecided {
        true => ("which fails (--fail-undecided)", false),
        false => ("which does not fail (--fail-undecided does)", true),
    };
    if gate.undecided > 0 {
        let open = gate.undecided;
        let all = count(gate.tested, "row");
        let text = format!(
            "{open} of {all} undecided, {does}: shown to be neither beyond the bound nor within it"
        );
        lines.push((fine, text));
    }
    if gate.untested > 0 {
        let rows = count(gate.untested, "row");
        lines.push((fine, format!("{rows} not tested, {does}: fewer than two values on a side")));
    }
    lines
}

/// What is said of a condition that none of the rows with an interval is about.
pub const UNTESTABLE: &str = "cannot be tested: none of its rows has two values on each side (two blocks; of many hosts, two hosts)";

fn judged_lines(judged: &Judged) -> Vec<(bool, String)> {
    let condition = &judged.condition;
    if judged.rows == 0 {
        return vec![(false, format!("{condition} {UNTESTABLE}"))];
    }
    let failing = judged.failing.iter().take(FAILING).map(|row| {
        let layer = name(&row.layer);
        let bench = name(&row.benchmark);
        let times = short_ratio(row.cost);
        let p = digits(row.p);
        (false, format!("FAILED {condition}: {layer} {bench}, cost {times} (p = {p})"))
    });
    let mut lines: Vec<(bool, String)> = failing.collect();
    if let Some(more) = judged.failing.len().checked_sub(FAILING + 1) {
        lines.push((false, format!("FAILED {condition}: {} more", count(more + 1, "row"))));
    }
    if lines.is_empty() {
        let within = judged.rows - judged.undecided;
        let all = count(judged.rows, "row");
        let mut text = format!(
            "passed: nothing is shown to be {condition}; {within} of {all} shown not to be"
        );
        if let Some((least, worst)) =
            judged.least_seen.as_ref().zip(judged.least_seen_at_worst.as_ref())
        {
            text += &format!(". Smallest detectable difference: {}", seen(least));
            if worst != least {
                text += &format!("; on the noisiest row: {}", seen(worst));
            }
        }
        lines.push((true, text));
    }
    lines
}

/// `4.2% slower (runc lmbench/null_call)`.
fn seen(seen: &Seen) -> String {
    let layer = name(&seen.layer);
    let bench = name(&seen.benchmark);
    format!("{} ({layer} {bench})", times(seen.cost, seen.measure))
}

pub(super) fn ratio_of(ratio: Option<Ratio>) -> String {
    ratio.map_or("–".into(), |ratio| short_ratio(ratio.value))
}

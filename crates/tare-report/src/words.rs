//! The words for verdicts, costs and absences, shared by every written form.

use crate::clean::{clean, fit};
use tare_board::Comment;
pub(crate) use tare_board::format::percent_of;
use tare_board::format::{count, percent, quantity, short_ratio};
use tare_board::{Cell, FailedBoot, Measure, Presence, Ratio, Row, Scoreboard, Verdict};
use tare_proto::{BenchInfo, Better, Foreign, Untrusted};
use tare_stats::Correction;
use tare_store::Role;

/// Longest name in a sentence.
const NAME: usize = 32;

/// A name from the campaign, harmless and of bearable length.
pub(crate) fn name(text: &(impl Foreign + ?Sized)) -> String {
    fit(&clean(text), NAME)
}

/// Longest text of the campaign's that is printed in one place.
const REASON: usize = 400;

/// A sentence from the campaign, harmless and of bearable length.
pub(crate) fn reason(text: &(impl Foreign + ?Sized)) -> String {
    fit(&clean(text), REASON)
}

/// What the loads of a benchmark count.
pub(crate) fn load(bench: &BenchInfo) -> &str {
    if bench.load.is_empty() { "users or copies" } else { &bench.load }
}

pub(crate) const fn word(verdict: Verdict, measure: Measure) -> &'static str {
    match verdict {
        Verdict::Worse => measure.words().worse,
        Verdict::Better => measure.words().better,
        Verdict::Equivalent => "equivalent",
        Verdict::Identical => "identical",
        Verdict::Undecided => "undecided",
        Verdict::None => "no verdict",
    }
}

pub(crate) const fn mark(verdict: Verdict) -> char {
    match verdict {
        Verdict::Worse => '▲',
        Verdict::Better => '▼',
        Verdict::Equivalent | Verdict::Identical => '=',
        Verdict::Undecided => '?',
        Verdict::None => '·',
    }
}

/// Why a cell has no number, for a narrow column.
pub(crate) const fn absent(presence: Presence) -> &'static str {
    match presence {
        Presence::Measured => "",
        Presence::Unavailable => "n/a",
        Presence::Failed => "failed",
        Presence::Rejected => "bad",
        Presence::Unpaired => "alone",
        Presence::Missing => "–",
    }
}

/// What stands in a narrow column for a cell without a ratio: the layer's own value, where only the baseline's is missing.
pub(crate) fn without_ratio(row: &Row, cell: &Cell) -> String {
    match (cell.presence, cell.mean) {
        (Presence::Unpaired, Some(mean)) => quantity(row.unit, mean.mean),
        (presence, _) => absent(presence).into(),
    }
}

/// Why a cell has no number, in words.
pub(crate) const fn absent_in_words(presence: Presence) -> &'static str {
    match presence {
        Presence::Measured => "measured",
        Presence::Unavailable => "cannot run there",
        Presence::Failed => "failed",
        Presence::Rejected => "samples rejected",
        Presence::Unpaired => "no ratio",
        Presence::Missing => "not measured",
    }
}

pub(crate) const fn correction(correction: Correction) -> &'static str {
    match correction {
        Correction::Holm => "Holm",
        Correction::BenjaminiHochberg => "Benjamini–Hochberg",
        Correction::None => "none",
    }
}

/// What a cell costs: its ratio, inverted where higher is better.
pub(crate) fn cost(row: &Row, cell: &Cell) -> Option<Ratio> {
    cell.ratio.map(|ratio| cost_of(ratio, row.better))
}

/// A ratio as a cost: inverted where higher is better.
pub(crate) fn cost_of(ratio: Ratio, better: Better) -> Ratio {
    if better == Better::Lower {
        return ratio;
    }
    let inverted = |end: Option<f64>| end.map(|end| 1.0 / end);
    let low = inverted(ratio.high);
    let high = inverted(ratio.low);
    Ratio { value: 1.0 / ratio.value, low, high, blocks: ratio.blocks }
}

/// What the rows of a suite are, one and several. Those of other suites are its benchmarks.
const ROWS: &[(&str, &str, &str)] = &[
    ("vmi", "single kernel operation", "single kernel operations"),
    ("stream", "loop over memory", "loops over memory"),
    ("disk", "way to use a disk", "ways to use a disk"),
    ("net", "exchange over a network", "exchanges over a network"),
    ("aim7", "test of AIM7", "tests of AIM7"),
];

/// What a geometric mean is of: `24 single kernel operations`, `3 mine benchmarks`.
pub(crate) fn rows_of(suite: &str, n: usize) -> String {
    match ROWS.iter().find(|(known, ..)| *known == suite) {
        Some((_, one, _)) if n == 1 => format!("1 {one}"),
        Some((.., several)) => format!("{n} {several}"),
        None => count(n, &format!("{} benchmark", name(suite))),
    }
}

/// An undecided cost in words: what was seen (`no difference seen`), and what is still possible (`at most 2.3% slower`).
pub(crate) fn open(cost: &Ratio, measure: Measure, margin: f64) -> (&'static str, String) {
    let (low, high) = cost.low.zip(cost.high).unwrap_or((cost.value, cost.value));
    let seen = match low > 1.0 || high < 1.0 {
        true => "an uncertain difference",
        false => "no difference seen",
    };
    let mut ends = Vec::new();
    if high > 1.0 {
        ends.push(times(high, measure));
    }
    if low < 1.0 && (high <= 1.0 || 1.0 / low > 1.0 + margin) {
        ends.push(times(low, measure));
    }
    (seen, format!("at most {}", ends.join(" or ")))
}

pub(crate) fn why_open(cost: &Ratio, margin: f64) -> String {
    let (low, high) = cost.low.zip(cost.high).unwrap_or((cost.value, cost.value));
    let why = match low > 1.0 / (1.0 + margin) && high < 1.0 + margin {
        true => "not certain enough to call equivalent within",
        false => "too noisy here to decide within",
    };
    format!("{why} {}", percent_of(margin))
}

/// Where more blocks than this would be needed, no number is named.
const MANY_BLOCKS: usize = 100;

/// The verdict of an undecided row, and what would decide it: `undecided (+12)`, `too noisy here`.
pub(crate) fn undecided(more_blocks: Option<usize>) -> String {
    let word = word(Verdict::Undecided, Measure::Speed);
    match more_blocks {
        Some(more) if more <= MANY_BLOCKS => format!("{word} (+{more})"),
        Some(_) => "too noisy here".into(),
        None => word.into(),
    }
}

/// How many more blocks would decide a row, in a sentence's worth.
pub(crate) fn more_blocks(more: usize) -> String {
    match more <= MANY_BLOCKS {
        true => format!("{} would likely decide", count(more, "more block")),
        false => format!("too noisy here: over {MANY_BLOCKS} more blocks would be needed"),
    }
}

/// A cost compared with something: `12.3 times slower than native`, `the same as native`.
pub(crate) fn times_than(cost: f64, measure: Measure, than: &str) -> String {
    match times(cost, measure) {
        same if same == SAME => format!("{same} as {than}"),
        times => format!("{times} than {than}"),
    }
}

/// A cost that no digit tells from none.
const SAME: &str = "the same";

/// A cost in words: `12.3 times slower`, `3.1% heavier`, `1.2% faster`, `the same`.
pub(crate) fn times(cost: f64, measure: Measure) -> String {
    let verdict = if cost >= 1.0 { Verdict::Worse } else { Verdict::Better };
    let word = word(verdict, measure);
    let larger = cost.max(1.0 / cost);
    if larger >= 1.995 {
        return format!("{} times {word}", short_ratio(larger));
    }
    // A tenth off the weight is 10% lighter; a tenth off the time is 11% faster.
    let lighter = cost < 1.0 && measure != Measure::Speed;
    let part = if lighter { 1.0 - cost } else { larger - 1.0 };
    if part < 0.000_05 {
        return SAME.into();
    }
    format!("{} {word}", percent(100.0 * part))
}

/// The suites in the order of the rows.
pub(crate) fn suites(board: &Scoreboard) -> Vec<&str> {
    let mut suites: Vec<&str> = Vec::new();
    for row in &board.rows {
        if !suites.contains(&row.suite.raw()) {
            suites.push(row.suite.raw());
        }
    }
    suites
}

/// The labels that every measured cell of a layer carries: said once, not in every row.
pub(crate) fn shared(board: &Scoreboard, at: usize) -> Vec<Untrusted> {
    let mut measured = board.rows.iter().map(|r| &r.cells[at]).filter(|c| c.ratio.is_some());
    let labels = |cell: &Cell| cell.comments.iter().map(|c| c.label()).collect::<Vec<_>>();
    let Some(first) = measured.next() else { return Vec::new() };
    let rest: Vec<Vec<Untrusted>> = measured.map(labels).collect();
    let alone = rest.is_empty();
    let everywhere = |label: &Untrusted| !alone && rest.iter().all(|cell| cell.contains(label));
    labels(first).into_iter().filter(everywhere).collect()
}

/// A cell's own labels, without those that its whole layer shares, and those that its verdict says already.
pub(crate) fn labels(cell: &Cell, shared: &[Untrusted]) -> Vec<String> {
    let said = |comment: &&Comment| match comment {
        Comment::WideInterval { .. } => cell.verdict == Verdict::Undecided,
        Comment::OneBlock => cell.verdict == Verdict::None,
        _ => false,
    };
    let labels = cell.comments.iter().filter(|c| !said(c)).map(|comment| comment.label());
    labels.filter(|label| !shared.contains(label)).map(|label| clean(&label)).collect()
}

/// `block 2, floor boot, second attempt`.
pub(crate) fn which(boot: &FailedBoot) -> String {
    let role = match boot.role {
        Role::Weigh => "",
        Role::Floor => ", floor boot",
        Role::OneCpu => ", on one CPU",
    };
    let attempt = if boot.attempt > 1 { ", second attempt" } else { "" };
    format!("block {}{role}{attempt}", boot.block + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(low: f64, high: f64) -> Ratio {
        Ratio { value: (low * high).sqrt(), low: Some(low), high: Some(high), blocks: 5 }
    }

    #[test]
    fn what_is_open_says_how_large_it_can_be() {
        let said = |low, high| open(&cost(low, high), Measure::Speed, 0.02);
        assert_eq!(said(0.99, 1.023), ("no difference seen", "at most 2.3% slower".into()));
        assert_eq!(
            said(0.8, 1.5),
            ("no difference seen", "at most 50% slower or 25% faster".into())
        );
        let open = |most: &str| ("an uncertain difference", most.to_owned());
        assert_eq!(said(1.001, 1.046), open("at most 4.6% slower"));
        assert_eq!(said(0.8, 0.99), open("at most 25% faster"));
    }

    #[test]
    fn what_lies_within_the_margin_is_not_called_too_noisy_for_it() {
        assert_eq!(why_open(&cost(0.99, 1.023), 0.02), "too noisy here to decide within 2%");
        let sure = why_open(&cost(0.99, 1.009), 0.02);
        assert_eq!(sure, "not certain enough to call equivalent within 2%");
    }

    #[test]
    fn an_undecided_row_names_no_number_that_nobody_would_run() {
        assert_eq!(undecided(Some(12)), "undecided (+12)");
        assert_eq!(undecided(Some(3713)), "too noisy here");
        assert_eq!(more_blocks(1), "1 more block would likely decide");
    }

    #[test]
    fn no_difference_has_no_direction() {
        assert_eq!(times(1.0, Measure::Speed), "the same");
        assert_eq!(times_than(1.000_01, Measure::Size, "native"), "the same as native");
        assert_eq!(times_than(1.001, Measure::Speed, "native"), "0.10% slower than native");
    }

    #[test]
    fn rows_are_what_their_suite_measures() {
        assert_eq!(rows_of("vmi", 24), "24 single kernel operations");
        assert_eq!(
            (rows_of("net", 1), rows_of("mine", 1)),
            ("1 exchange over a network".into(), "1 mine benchmark".into())
        );
    }
}

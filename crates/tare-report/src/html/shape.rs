//! What the samples of a benchmark look like, in figures and in sentences: all of them read from the board.

use super::common::swatch;
use crate::cells::NONE;
use crate::words;
use maud::{Markup, html};
use tare_board::format::{digits, percent, percent_of, quantity, ratio_with_interval};
use tare_board::{Cell, Finding, Ratio, Row, SampleSummary, Scoreboard};
use tare_proto::{Better, Unit};
use tare_stats::{MeanInterval, Shape};

/// Location shift and spread in figures.
pub(super) fn shapes(board: &Scoreboard, row: &Row) -> Markup {
    let titles = [
        "Layer",
        "Samples",
        "Boots",
        "Median",
        "10%–90%",
        "Shift of the values",
        "Spread (jitter)",
        "Above baseline",
    ];
    let of_row = row.samples.map(|samples| (0, board.baseline.raw(), samples));
    html! {
        table.shapes.cards {
            caption { "Location and spread. Shift: Hodges–Lehmann" (meaning(row.better))
                ", spread: ratio of 10–90% ranges within a boot, both with " (percent_of(board.method.confidence))
                " intervals over blocks; last: how often a sample of the layer exceeds one of the baseline." }
            thead { tr { @for title in titles { th scope="col" { (title) } } } }
            tbody {
                @if let Some((series, name, samples)) = of_row {
                    tr { (described(row.unit, series, name, &samples)) td colspan="3" { "baseline" } }
                }
                @for (at, cell) in row.cells.iter().enumerate() {
                    @if let Some(samples) = &cell.samples {
                        tr {
                            (described(row.unit, at + 1, cell.layer.raw(), samples))
                            @match &cell.shape {
                                Some(shape) => { (compared(row.unit, shape)) }
                                None if of_row.is_some() => { td colspan="3" { "needs two blocks with both" } }
                                None => { td colspan="3" { "no baseline to compare with" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Each layer's ratio by every figure of the same samples.
pub(super) fn figures(row: &Row) -> Markup {
    let shown = |ratio: Option<Ratio>| ratio.map_or(NONE.into(), |it| ratio_with_interval(&it));
    let several = |cell: &&Cell| cell.figures.best.is_some() && cell.figures.mean.is_some();
    html! {
        @if row.cells.iter().any(|cell| several(&cell)) {
            table.shapes.cards {
                caption { "Ratios by what the samples of a block stand for. p99: the 99th percentile of all batches." }
                thead { tr { @for title in ["Layer", "Best case", "Mean", "p99"] { th scope="col" { (title) } } } }
                tbody {
                    @for (at, cell) in row.cells.iter().enumerate().filter(|(_, cell)| several(cell)) {
                        tr {
                            th scope="row" { (swatch(at + 1)) " " bdi { (words::name(&cell.layer)) } }
                            td data-label="Best case" { (shown(cell.figures.best)) }
                            td data-label="Mean" { (shown(cell.figures.mean)) }
                            td data-label="p99" { (shown(cell.figures.p99)) }
                        }
                    }
                }
            }
        }
    }
}

const fn meaning(better: Better) -> &'static str {
    match better {
        Better::Lower => " (upwards is added cost)",
        Better::Higher => " (upwards is more done)",
    }
}

fn described(unit: Unit, series: usize, name: &str, samples: &SampleSummary) -> Markup {
    html! {
        th scope="row" { (swatch(series)) " " bdi { (words::name(name)) } }
        td data-label="Samples" { (samples.samples)
            @if samples.not_positive > 0 { br; small { (samples.not_positive) " not above zero" } } }
        td data-label="Boots" { (samples.boots) }
        td data-label="Median" { (quantity(unit, samples.median)) }
        td data-label="10%–90%" { (quantity(unit, samples.low)) " – " (quantity(unit, samples.high)) }
    }
}

fn compared(unit: Unit, shape: &Shape) -> Markup {
    html! {
        td data-label="Shift" { (signed(unit, shape.shift.mean)) " (" (in_percent(shape.shift_percent)) ")"
            br; small { (range(unit, &shape.shift)) } }
        td data-label="Spread (jitter)" {
            @match &shape.spread_ratio {
                Some(spread) => { "× " (digits(spread.ratio)) br; small { (digits(spread.low)) "–" (digits(spread.high)) } }
                None => { "a series without spread" }
            }
        }
        td data-label="Above baseline" { (percent(50.0 * (1.0 + shape.delta))) }
    }
}

/// A difference in percent; a large one as how many times that is.
fn in_percent(percent: f64) -> String {
    match percent {
        large if large >= 1000.0 => format!("{} times", digits(1.0 + large / 100.0)),
        _ => format!("{percent:+.1}%"),
    }
}

/// Less than anybody measures, in any unit.
const NOTHING: f64 = 0.000_95;

fn signed(unit: Unit, value: f64) -> String {
    if value.abs() < NOTHING {
        return quantity(unit, 0.0);
    }
    format!("{}{}", if value < 0.0 { "−" } else { "+" }, quantity(unit, value.abs()))
}

fn range(unit: Unit, interval: &MeanInterval) -> String {
    format!("{} to {}", signed(unit, interval.low), signed(unit, interval.high))
}

/// What the samples' order and modes say against taking one number for them.
pub(super) fn findings(board: &Scoreboard, row: &Row) -> Markup {
    let of_baseline = row.findings.iter().map(|finding| (0, board.baseline.raw(), finding));
    let of_cells = row.cells.iter().enumerate().flat_map(|(at, cell)| {
        cell.findings.iter().map(move |finding| (at + 1, cell.layer.raw(), finding))
    });
    let found: Vec<(usize, &str, &Finding)> = of_baseline.chain(of_cells).collect();
    html! {
        @if !found.is_empty() {
            ul.findings { @for (series, layer, finding) in found {
                li { (swatch(series)) " " strong { bdi { (words::name(layer)) } } ": " (finding.text) }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_figures_that_people_read() {
        let percents = [-3.06, 0.04, 999.0, 20_678.5].map(in_percent);
        assert_eq!(percents, ["-3.1%", "+0.0%", "+999.0%", "208 times"]);
        let shifts = [6.0e-4, -2.5, 21_000.0].map(|value| signed(Unit::Nanoseconds, value));
        assert_eq!(shifts, ["0.00 ns", "−2.50 ns", "+21.0 µs"]);
    }
}

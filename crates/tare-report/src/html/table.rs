//! The scoreboard as a table, grouped by suite: a row per benchmark with its intervals drawn, a column per layer.

use super::cell;
use super::common::{shown, swatch};
use super::controls::controls;
use crate::clean::{clean, fit};
use crate::svg::canvas::Canvas;
use crate::svg::figure::forest::{self, Strip};
use crate::svg::scale::Scale;
use crate::{enough, words};
use maud::{Markup, PreEscaped, html};
use tare_board::format::{percent, percent_above_one, quantity};
use tare_board::{Geomean, Measure, Row, Scoreboard};
use tare_proto::Better;

/// Width of the plots in the table's rows, and the part that is drawn on.
const PLOT: f64 = 330.0;
pub(super) const RANGE: (f64, f64) = (20.0, PLOT - 20.0);

pub(super) fn section(board: &Scoreboard) -> Markup {
    let shown: Vec<usize> = shown(board).map(|(at, _)| at).collect();
    let strips: Vec<Strip> = board.rows.iter().map(|row| Strip::of_row(row).only(&shown)).collect();
    let scale = forest::shared(strips.iter(), board.method.margin, RANGE);
    let suites = words::suites(board);
    html! {
        section #scoreboard aria-labelledby="h-board" {
            h2 #h-board { "Scoreboard" }
            @if board.rows.is_empty() { p.notice { "This campaign has no benchmarks." } }
            @else if shown.is_empty() { p.notice { "There is no layer to compare with the baseline here." } }
            @else {
                (controls(board))
                div.wide tabindex="0" role="region" aria-label="Scoreboard, scrolls sideways" {
                    table #board role="table" {
                        caption { (caption(board)) }
                        (head(board, &scale))
                        @for suite in &suites { (group(board, suite, &strips, &scale)) }
                    }
                }
            }
        }
    }
}

fn caption(board: &Scoreboard) -> Markup {
    let method = &board.method;
    html! {
        "Ratios layer / " bdi { (words::name(&board.baseline)) } " with " (words::percent_of(method.confidence))
        " intervals, " (if enough::all_imported(board) { "unpaired" } else { "paired within blocks" }) ". Plots show costs on a log scale, right of 1 is worse (ratios of benchmarks "
        "where higher is better, ↑, are drawn inverted); green: equivalent within " (words::percent_of(method.margin))
        "; grey: the row's noise floor. Verdicts corrected for " (method.comparisons) " comparisons ("
        (words::correction(method.correction)) ")."
        " " (crate::legend::about_rows(board))
        @if let Some(estimator) = &method.estimator { " Every series reduced by " (estimator) "." }
    }
}

fn head(board: &Scoreboard, scale: &Scale) -> Markup {
    html! {
        thead role="rowgroup" {
            tr role="row" {
                th role="columnheader" scope="col" aria-sort="none" { button type="button" data-sort="name" { "Benchmark" } }
                th role="columnheader" scope="col" aria-sort="none" {
                    button type="button" data-sort="base" { bdi { (words::name(&board.baseline)) } }
                }
                th.plotted role="columnheader" scope="col" { span.sr { "Costs drawn" } (PreEscaped(axis(scale))) }
                @for (at, layer) in shown(board) {
                    th.layer role="columnheader" scope="col" aria-sort="none" data-layer=(at) {
                        button type="button" data-sort=(at) { (swatch(at + 1)) bdi { (words::name(&layer.name)) } }
                    }
                }
            }
        }
    }
}

fn strip_canvas(height: f64, scale: &Scale) -> Canvas {
    Canvas::new("plot strip", (PLOT, height), "")
        .data("x", &format!("{:.6} {:.6} log", scale.low, scale.high))
        .data("r", &format!("{} {}", RANGE.0, RANGE.1))
}

pub(super) fn axis(scale: &Scale) -> String {
    let mut canvas = strip_canvas(20.0, scale);
    forest::axis(&mut canvas, scale, (0.0, 4.0), 6);
    canvas.finish()
}

fn group(board: &Scoreboard, suite: &str, strips: &[Strip], scale: &Scale) -> Markup {
    let rows = board.rows.iter().enumerate().filter(|(_, row)| row.suite == suite);
    let means: Vec<&Geomean> = board.geomeans.iter().filter(|m| m.suite == suite).collect();
    let several = means.iter().any(|mean| mean.rows + mean.left_out > 1);
    let name = fit(&clean(suite), 40);
    html! {
        tbody role="rowgroup" data-suite=(name) {
            tr.suite role="row" {
                th role="rowheader" scope="rowgroup" colspan="2" {
                    bdi { (name) } @if several { small { " geometric mean of costs" } }
                }
                td.plotted role="cell" {
                    @if several { @if let Some(mean) = means.first() {
                        (PreEscaped(drawn(&means_strip(board, suite, mean.measure), scale, board.method.margin)))
                    } }
                }
                @for (at, layer) in shown(board) {
                    td.layer role="cell" data-layer=(at) data-label=(words::name(&layer.name)) {
                        @for mean in means.iter().filter(|m| several && m.layer == layer.name) { (cell::mean(mean)) }
                    }
                }
            }
            @for (at, row) in rows { (line(board, at, row, &strips[at], scale)) }
        }
    }
}

fn means_strip(board: &Scoreboard, suite: &str, measure: Measure) -> Strip {
    let shown: Vec<usize> = shown(board).map(|(at, _)| at).collect();
    Strip::of_means(board, suite, measure).only(&shown)
}

pub(super) fn drawn(strip: &Strip, scale: &Scale, margin: f64) -> String {
    let mut canvas = strip_canvas(strip.height(), scale);
    forest::draw(&mut canvas, strip, scale, margin, 0.0);
    canvas.finish()
}

fn line(board: &Scoreboard, at: usize, row: &Row, strip: &Strip, scale: &Scale) -> Markup {
    let name = fit(&clean(&row.benchmark), 60);
    let about = fit(&clean(&row.about), 160);
    let found_by = format!("{name} {} {about}", fit(&clean(&row.suite), 40));
    html! {
        tr role="row" data-name=(name.to_lowercase()) data-find=(found_by.to_lowercase()) {
            th role="rowheader" scope="row" {
                a href=(format!("#b{at}")) { bdi { (name) } }
                @if row.better == Better::Higher { span title="higher is better" { " ↑" } }
                small.about { (about) }
            }
            td.base role="cell" data-label=(words::name(&board.baseline)) data-k=[row.baseline.map(|mean| mean.mean)] {
                @match row.baseline {
                    Some(mean) => { (quantity(row.unit, mean.mean)) }
                    None => { "–" }
                }
                div.more {
                    @if let Some(width) = row.baseline.and_then(|mean| mean.ci_width_percent) { "CI width " (percent(width)) br; }
                    @match row.floor.and_then(|floor| floor.bound) {
                        Some(bound) => { "floor " (percent_above_one(bound)) }
                        None => { "no floor" }
                    }
                }
            }
            td.plotted role="cell" { (PreEscaped(drawn(strip, scale, board.method.margin))) }
            @for (at, _) in shown(board) { (cell::cell(row, &row.cells[at], at)) }
        }
    }
}

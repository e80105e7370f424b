//! The top of the page: a sentence a layer, and the geometric means drawn.

use super::common::shown;
use super::document::item;
use crate::choices;
use crate::clean::fit;
use crate::document::{Block, Document, Place};
use crate::enough;
use crate::headline;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::figure::forest::{self, LINE, Strip};
use crate::{sweep, words};
use maud::{Markup, PreEscaped, html};
use tare_board::format::{count, ratio_with_interval};
use tare_board::{Measure, Ratio, Scoreboard};

/// Benchmarks of a sweep whose best setting stands at the top.
const SWEPT: usize = 3;

pub(super) fn summary(board: &Scoreboard, said: &Document) -> Markup {
    html! {
        section.summary aria-label="Summary" {
            (opening(board, said))
            div.columns {
                ul.headlines {
                    @for block in said.blocks(Place::Summary) { @if let Block::Item(one) = block { (item(one)) } }
                    @for layer in board.layers.iter().filter(|l| l.unavailable.is_some() && l.measured == 0) {
                        li.none { strong { bdi { (words::name(&layer.name)) } } ": cannot run here ("
                            a href="#trouble" { "why" } ")" }
                    }
                }
                (means(board))
            }
            @if !board.hangs_on.is_empty() {
                h2 { "What these figures hang on" }
                ul { @for one in choices::items(board) { (item(&one)) } }
            }
            @for found in &board.sweeps {
                @for response in found.responses.iter().take(SWEPT) {
                    p { strong { bdi { (sweep::heading(response)) } } ": " (sweep::sentence(response)) }
                }
            }
            p.quiet { (headline::floor(board)) }
        }
    }
}

/// What was weighed, and what is missing from the whole.
fn opening(board: &Scoreboard, said: &Document) -> Markup {
    let counts = &board.counts;
    html! {
        @for block in said.blocks(Place::Title) {
            @match block {
                Block::Paragraph(_, text) => p.lead {
                    (text)
                    @if !enough::all_imported(board) {
                        " of fresh boots, " (count(counts.samples, "sample")) ", on " (machine(board))
                    }
                    "."
                },
                Block::Notice(_, text) => p.notice { (text) },
                _ => {},
            }
        }
        @if counts.failed_boots > 0 {
            p.notice { (count(counts.failed_boots, "boot")) " of " (counts.boots) " failed: "
                a href="#trouble" { "which, and why" } "." }
        }
    }
}

fn machine(board: &Scoreboard) -> String {
    let model = crate::clean::fit(&crate::clean(&board.provenance.cpu_model), 60);
    if model.is_empty() { "an unknown machine".into() } else { model }
}

/// The geometric means of suites of several rows, one plot a suite.
fn means(board: &Scoreboard) -> Markup {
    let mut suites: Vec<(&str, Measure)> = Vec::new();
    for mean in board.geomeans.iter().filter(|mean| mean.rows + mean.left_out > 1) {
        if !suites.contains(&(mean.suite.raw(), mean.measure)) {
            suites.push((mean.suite.raw(), mean.measure));
        }
    }
    html! {
        @if !suites.is_empty() {
            figure.means {
                @for (suite, measure) in suites { (PreEscaped(plot(board, suite, measure))) }
                figcaption { "Geometric mean of each suite with its "
                    (words::percent_of(board.method.confidence))
                    " interval, log scale. Right of 1 costs more than "
                    bdi { (words::name(&board.baseline)) } "."
                    @if band_is_seen(board) { " Inside the green band it is equivalent." } }
            }
        }
    }
}

/// Whether the margin is wide enough in the plots to be a band: not where a mean lies many times away.
fn band_is_seen(board: &Scoreboard) -> bool {
    const WIDEST: f64 = 5.0;
    let far = |mean: &tare_board::Geomean| mean.cost.value.ln().abs() > WIDEST.ln();
    !board.geomeans.iter().any(far)
}

fn plot(board: &Scoreboard, suite: &str, measure: Measure) -> String {
    const WIDTH: f64 = 420.0;
    /// Room for a letter of a figure.
    const LETTER: f64 = 7.1;
    let shown: Vec<_> = shown(board).collect();
    let places: Vec<usize> = shown.iter().map(|(at, _)| *at).collect();
    let strip = Strip::of_means(board, suite, measure).only(&places);
    let margin = board.method.margin;
    let texts: Vec<String> = strip.marks.iter().map(|(_, ratio)| figures(ratio.as_ref())).collect();
    let longest = texts.iter().map(|text| crate::clean::width(text)).max().unwrap_or(0);
    let right = (WIDTH - LETTER * longest as f64).min(308.0);
    let scale = forest::shared(std::iter::once(&strip), margin, (104.0, right - 8.0));
    let top = 22.0;
    let bottom = 22.0 + strip.height();
    let label = fit(&format!("Geometric means of suite {}", words::name(suite)), 52);
    let mut canvas = Canvas::new("plot", (WIDTH, bottom + 20.0), &label);
    canvas.text("strong", (0.0, 12.0), Anchor::Start, &label);
    forest::axis(&mut canvas, &scale, (top, bottom), 6);
    forest::draw(&mut canvas, &strip, &scale, margin, top);
    for (at, ((_, layer), text)) in shown.iter().zip(&texts).enumerate() {
        let y = top + 2.0 + LINE * (at as f64 + 0.5) + 3.5;
        let name = crate::clean::fit(&words::name(&layer.name), 15);
        canvas.text("", (0.0, y), Anchor::Start, &name);
        canvas.text("", (right, y), Anchor::Start, text);
    }
    canvas.finish()
}

/// A mean and its interval in figures.
fn figures(ratio: Option<&Ratio>) -> String {
    ratio.map_or("–".into(), ratio_with_interval)
}

//! A comparison as part of a page: for every layer its sentences, and a table with its ratios drawn.

use super::common::{swatch, verdict_class};
use super::table::{RANGE, axis, drawn};
use crate::clean::{clean, fit};
use crate::compare::sentences::{columns, how, sentences};
use crate::svg::figure::forest::{self, Strip};
use crate::svg::scale::Scale;
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::{ComparedLayer, ComparedRow, Comparison};

/// Writes a comparison for a page that [`super::shell`] stands around.
#[must_use]
pub fn compare_html(comparison: &Comparison) -> Markup {
    let strips: Vec<Vec<Strip>> =
        comparison.layers.iter().enumerate().map(|(at, layer)| strips(at, layer)).collect();
    let scale = forest::shared(strips.iter().flatten(), comparison.method.margin, RANGE);
    html! {
        ul.headlines {
            @for (at, layer) in comparison.layers.iter().enumerate() { (headline(comparison, at, layer)) }
        }
        (differences(comparison))
        @for line in how(comparison) { p.quiet { (line) } }
        @for ((at, layer), strips) in comparison.layers.iter().enumerate().zip(&strips) {
            h3 { (swatch(at + 1)) " " bdi { (words::name(&layer.name)) } }
            @for note in &layer.notes { p.quiet { (fit(&clean(&note.text), 400)) } }
            div.wide tabindex="0" role="region" aria-label=(format!("{}, after against before, scrolls sideways", words::name(&layer.name))) {
                (table(comparison, layer, strips, &scale))
            }
        }
    }
}

/// A row's ratio as a cost.
fn strips(at: usize, layer: &ComparedLayer) -> Vec<Strip> {
    let strip = |row: &ComparedRow| Strip {
        marks: vec![(at + 1, row.ratio.map(|ratio| words::cost_of(ratio, row.better)))],
        floor: row.floor,
    };
    layer.rows.iter().map(strip).collect()
}

fn headline(comparison: &Comparison, at: usize, layer: &ComparedLayer) -> Markup {
    html! {
        li { (swatch(at + 1)) " " strong { bdi { (words::name(&layer.name)) } } ": "
            @for (at, (verdict, text)) in sentences(comparison, layer).iter().enumerate() {
                @if at > 0 { "; " }
                span class=(verdict_class(*verdict)) { (text) }
            }
        }
    }
}

fn differences(comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.differences.is_empty() {
            h3 { "What else differs" }
            ul { @for difference in &comparison.differences {
                li {
                    @if let Some(layer) = &difference.layer { strong { bdi { (words::name(layer)) } } ": " }
                    span class=[difference.refuses.then_some("worse")] { (fit(&clean(&difference.text), 400)) }
                }
            } }
        }
    }
}

fn table(
    comparison: &Comparison,
    layer: &ComparedLayer,
    strips: &[Strip],
    scale: &Scale,
) -> Markup {
    let interval = format!("{} interval", words::percent_of(comparison.method.confidence));
    let titles = ["After / before", &interval, "Noise floor", "After, before", "Verdict"];
    html! {
        table.cards.compared {
            caption { "After / before. Plots show costs on a log scale, right of 1 is worse; green: equivalent within "
                (words::percent_of(comparison.method.margin)) "; grey: the noise floor." }
            thead { tr {
                th scope="col" { "Benchmark" }
                th.plotted scope="col" { span.sr { "Costs drawn" } (PreEscaped(axis(scale))) }
                @for title in titles { th scope="col" { (title) } }
            } }
            tbody { @for (row, strip) in layer.rows.iter().zip(strips) {
                @let [ratio, interval, floor, raw, verdict] = columns(row, comparison.by, comparison.method.margin);
                tr {
                    th scope="row" { bdi { (fit(&clean(&row.benchmark), 60)) } }
                    td.plotted { (PreEscaped(drawn(strip, scale, comparison.method.margin))) }
                    td.ratio data-label=(titles[0]) { b { (ratio) } }
                    @for (title, text) in titles[1..].iter().zip([interval, floor, raw]) { td data-label=(title) { (text) } }
                    td data-label="Verdict" class=(verdict_class(row.verdict)) {
                        (words::mark(row.verdict)) " " (verdict)
                        @for comment in &row.comments { br; small { (fit(&clean(&comment.label()), 120)) } }
                    }
                }
            } }
        }
    }
}

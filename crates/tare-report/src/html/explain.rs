//! What explains the ratios of a benchmark, layer by layer.

use super::document::plain;
use crate::clean::clean;
use crate::document;
use crate::explain::{OVERALL, of_layers, table};
use crate::svg::figure::flame::{self, Of, Side};
use crate::svg::figure::parts;
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::format::short_ratio;
use tare_board::{Explanation, Scoreboard, Table, explain};
use tare_store::Campaign;

/// What is known of every layer's ratio in every benchmark.
pub(super) fn explained(campaign: &Campaign, board: &Scoreboard) -> Vec<Explanation> {
    let of = |bench| {
        let layers = board.others();
        layers.filter_map(move |layer| explain(campaign, board, bench, layer.name.raw()))
    };
    (0..campaign.benchmarks.len()).flat_map(of).collect()
}

/// What each layer's cost is made of over all rows.
pub(super) fn overall(explained: &[Explanation]) -> Markup {
    let said = of_layers(explained);
    html! {
        @if !said.is_empty() {
            section #why aria-labelledby="h-why" {
                h2 #h-why { (OVERALL) }
                @for sentence in &said { p { (sentence) } }
            }
        }
    }
}

/// What explains the ratios of the benchmark `name`, as far as something was counted.
pub(super) fn explanations(explained: &[Explanation], name: &str) -> Markup {
    let is_own = |e: &&Explanation| e.benchmark == *name && !e.tables.is_empty();
    let all: Vec<&Explanation> = explained.iter().filter(is_own).collect();
    html! {
        @for e in &all {
            h4 { bdi { (words::name(&e.layer)) } " × " (short_ratio(e.ratio)) ": why" }
            p { (clean(&e.sentence)) }
            @if let Some(seen) = &e.outside { (PreEscaped(parts::figure(e, seen))) }
            @for counted in &e.tables { (plain(&counts(e, counted))) }
            @for note in &e.notes { p.quiet { (clean(note)) } }
        }
        (flames(&all))
    }
}

/// A table of counts, which is told from those of other rows and layers.
fn counts(e: &Explanation, counted: &Table) -> document::Table {
    let subject = format!("{} on {}", words::name(&e.benchmark), words::name(&e.layer));
    document::Table { subject, ..table(&[&e.baseline, &e.layer], counted) }
}

/// Flame graphs of the baseline and of every layer that was watched, folded away.
fn flames(all: &[&Explanation]) -> Markup {
    let whole = |e: &Explanation| match (&e.outside, &e.executed) {
        (Some(seen), _) => Some((Of::Time, seen.on_cpu_ns())),
        (None, Some(executed)) => Some((Of::Instructions, executed.total)),
        (None, None) => None,
    };
    let seen = || all.iter().filter_map(|e| Some((*e, whole(e)?)));
    let figure = |(e, (of, (baseline, layer))): (&Explanation, (Of, (f64, f64))), side| match side {
        Side::Baseline => flame::figure(e.stacks(), side, &e.baseline, (of, (baseline, layer))),
        Side::Layer => flame::figure(e.stacks(), side, &e.layer, (of, (layer, baseline))),
    };
    let mut figures: Vec<String> = seen().take(1).map(|one| figure(one, Side::Baseline)).collect();
    figures.extend(seen().map(|one| figure(one, Side::Layer)));
    figures.retain(|figure| !figure.is_empty());
    let counted = seen().any(|(_, (of, _))| of == Of::Instructions);
    let share = if counted { "the instructions" } else { "the time on CPUs" };
    let much = if counted { "as many" } else { "as long" };
    let unknown = if counted {
        "After a switch to a task that was not seen before, callers are unknown."
    } else {
        "Functions of the host's kernel are in italics. In programs that were built without frame pointers, callers are unknown."
    };
    html! {
        @if !figures.is_empty() {
            details.flames {
                summary { "Flame graphs: which code called which" }
                p.quiet {
                    "What is called stands below its caller, as wide as its share of " (share) ". Coloured functions take at least twice "
                    (much) " on the layer as on the baseline. " (unknown)
                    span.scripted { " Click a function to see it alone, and the uppermost one to see all again." }
                }
                p.scripted { label { "Find functions " input.seek type="search" placeholder="futex, kernel.Task …" autocomplete="off"; } " " output.seen {} }
                @for figure in &figures { (PreEscaped(figure)) }
            }
        }
    }
}

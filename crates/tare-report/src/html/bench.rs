//! One section per benchmark: distributions, location and spread in figures, the series over time, counters, load
//! curves and where the time went, as far as there are any.

use super::common::swatch;
use super::explain::explanations;
use super::shape::{figures, findings, shapes};
use crate::clean::{clean, fit};
use crate::svg::figure::{distribution, ecdf, jitter, load, time, usage};
use crate::svg::samples::{numbers, of_benchmark};
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::format::{digits, percent, quantity};
use tare_board::{Counted, Counter, Explanation, Extras, LoadCurve, Scoreboard};
use tare_proto::{BenchInfo, Better, Unit};
use tare_store::Campaign;

/// Marks over time that all sections together may hold, which keeps the page small.
const MARKS: usize = 24_000;

pub(super) fn sections(
    campaign: &Campaign,
    board: &Scoreboard,
    extras: &Extras,
    explained: &[Explanation],
) -> Markup {
    let cells = (campaign.benchmarks.len() * campaign.layers.len()).max(1);
    let estimator = board.method.estimator.as_ref().and_then(|estimator| estimator.parse().ok());
    let counted = Counted::new(campaign, estimator);
    let marks = (MARKS / cells).clamp(24, time::MARKS);
    html! {
        section #benchmarks aria-labelledby="h-bench" {
            h2 #h-bench { "Benchmarks" }
            p.quiet { "Every sample of every boot, by layer. "
                @if extras.counters.is_empty() && campaign.series.iter().all(|series| series.counters.is_empty()) { "No counters were recorded. " }
                @if extras.curves.is_empty() { "No benchmark has a load curve. " }
                @if extras.usage.is_empty() { "CPU utilisation was not measured." }
            }
            @for (at, bench) in campaign.benchmarks.iter().enumerate() {
                details.bench id=(format!("b{at}")) {
                    summary { h3 { bdi { (fit(&clean(&bench.name), 80)) } } " " small { (fit(&clean(&bench.about), 160)) } }
                    (one(campaign, &counted, board, extras, at, marks))
                    (explanations(explained, &bench.name))
                }
            }
        }
    }
}

fn one<'a>(
    campaign: &'a Campaign,
    counted: &Counted<'a>,
    board: &Scoreboard,
    extras: &Extras,
    at: usize,
    marks: usize,
) -> Markup {
    let bench = &campaign.benchmarks[at];
    let row = &board.rows[at];
    let layers = of_benchmark(campaign, counted, at);
    if layers.is_empty() {
        return html! { p.notice { "No layer measured this benchmark." } };
    }
    html! {
        p.quiet { "Suite " bdi { (words::name(&bench.suite)) } ", each series reduced by "
            code { (words::name(&row.estimator)) } ", "
            @match (bench.better, bench.unit.symbol()) {
                (Better::Higher, unit) => { (unit) @if !unit.is_empty() { ", " } "higher is better." }
                (Better::Lower, "") => { "a plain number." }
                (Better::Lower, unit) => { (unit) " an operation." }
            } }
        p.quiet.scripted { "Drag across the distribution to zoom in; a double click or Escape shows all of it again. "
            button.whole type="button" hidden { "Show all" } }
        div.figures {
            (PreEscaped(distribution::figure(&layers, bench.unit).0))
            (PreEscaped(ecdf::figure(&layers, bench.unit).0))
            (PreEscaped(jitter::figure(&layers).0))
            (PreEscaped(time::figure(&layers, marks).0))
            (curves(campaign, extras, at, bench))
            (used(campaign, extras, at))
        }
        div.wide tabindex="0" role="region" aria-label=(format!("{}, location and spread, scrolls sideways", words::name(&row.benchmark))) {
            (shapes(board, row))
            (figures(row))
        }
        (findings(board, row))
        (counters(campaign, extras, at))
    }
}

/// The curves drawn and in figures, with their efficiency.
fn curves(campaign: &Campaign, extras: &Extras, at: usize, bench: &BenchInfo) -> Markup {
    let series = numbers(campaign);
    let own = extras.curves.iter().filter(|(benchmark, _)| *benchmark == at);
    let own: Vec<_> =
        own.filter_map(|(_, curve)| Some((*series.get(curve.layer)?, curve))).collect();
    let unit = own.first().map_or(bench.unit, |(_, curve)| curve.unit);
    let caption = match unit {
        Unit::Nanoseconds => "Latency at each rate, from when a request was due.",
        _ => "Throughput and efficiency: at 100% throughput grows in proportion to the load.",
    };
    let what = words::load(bench);
    html! {
        @if !own.is_empty() {
            (PreEscaped(load::figure(&own, unit, &words::name(what))))
            div.wide tabindex="0" role="region" aria-label=(format!("{}, load curves in figures, scrolls sideways", words::name(&bench.name))) {
                table.counters {
                    caption { (caption) }
                    thead { tr { th scope="col" { (words::name(what)) }
                        @for (number, curve) in &own {
                            th scope="col" { (swatch(*number)) " " bdi { (words::name(&campaign.layers[curve.layer].name)) } }
                        }
                    } }
                    tbody {
                        @for load in loads(&own) {
                            tr { th scope="row" { (load) } @for (_, curve) in &own { td { (done(curve, load, unit)) } } }
                        }
                    }
                }
            }
        }
    }
}

fn loads(curves: &[(usize, &LoadCurve)]) -> Vec<f64> {
    let mut loads: Vec<f64> =
        curves.iter().flat_map(|(_, curve)| curve.points.iter().map(|p| p.load)).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    loads
}

fn done(curve: &LoadCurve, load: f64, unit: Unit) -> Markup {
    let point = curve.points.iter().find(|point| point.load == load);
    html! {
        @match point {
            Some(point) => {
                (quantity(unit, point.value)) @if curve.peak() == Some(load) { " (most)" }
                br; small { @if let Some(part) = curve.efficiency(point) { (percent(100.0 * part)) } }
            }
            None => { "–" }
        }
    }
}

fn used(campaign: &Campaign, extras: &Extras, at: usize) -> Markup {
    let series = numbers(campaign);
    let own = extras.usage.iter().filter(|(benchmark, _)| *benchmark == at);
    let named = own.filter_map(|(_, usage)| {
        Some((*series.get(usage.layer)?, campaign.layers[usage.layer].name.raw(), usage))
    });
    let own: Vec<_> = named.collect();
    html! { @if !own.is_empty() { (PreEscaped(usage::figure(&own))) } }
}

/// Counters a row each, layers a column each.
fn counters(campaign: &Campaign, extras: &Extras, at: usize) -> Markup {
    let own: Vec<&Counter> = extras.counters.iter().filter(|c| c.benchmark == at).collect();
    let mut names: Vec<&str> = own.iter().map(|counter| counter.name.raw()).collect();
    names.sort_unstable();
    names.dedup();
    let series = numbers(campaign);
    let layers: Vec<usize> =
        (0..campaign.layers.len()).filter(|l| own.iter().any(|c| c.layer == *l)).collect();
    let cell = |layer: usize, name: &str| own.iter().find(|c| c.layer == layer && c.name == name);
    html! {
        @if !own.is_empty() {
            div.wide tabindex="0" role="region" aria-label=(format!("{}, counters, scrolls sideways", words::name(&campaign.benchmarks[at].name))) {
                table.counters {
                    caption { "Counted along with the samples: means over boots, with intervals." }
                    thead { tr { th scope="col" { "Counter" }
                        @for &layer in &layers {
                            th scope="col" {
                                @if let Some(number) = series.get(layer) { (swatch(*number)) " " }
                                bdi { (words::name(&campaign.layers[layer].name)) }
                            }
                        }
                    } }
                    tbody {
                        @for name in &names {
                            tr { th scope="row" { (fit(&clean(name), 64)) }
                                @for &layer in &layers { td { @match cell(layer, name) {
                                    Some(counter) => { (digits(counter.mean))
                                        @if let Some((low, high)) = counter.ci { br; small { (digits(low)) "–" (digits(high)) } } }
                                    None => { "–" }
                                } } } }
                        }
                    }
                }
            }
        }
    }
}

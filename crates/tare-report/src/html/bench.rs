//! One section a benchmark: distributions, location and spread in figures, the series over time, counters, load
//! curves and where the time went, as far as there are any.

use super::summary::swatch;
use crate::clean::{clean, fit};
use crate::explain::explanations_html;
use crate::svg::bins::at_quantile;
use crate::svg::figure::{distribution, ecdf, jitter, load, time, usage};
use crate::svg::samples::{BootSamples, LayerSamples, numbers, of_benchmark};
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::Scoreboard;
use tare_board::format::{digits, percent, quantity};
use tare_board::{Counter, Extras, LoadCurve};
use tare_proto::{BenchInfo, Better, Unit};
use tare_stats::{
    BlockSamples, MeanInterval, Shape, block_warnings, median, series_warnings, shape,
};
use tare_store::{Campaign, Role};

/// Marks over time that all sections together may hold, which keeps the page small.
const MARKS: usize = 24_000;

pub(super) fn sections(campaign: &Campaign, board: &Scoreboard, extras: &Extras) -> Markup {
    let cells = (campaign.benchmarks.len() * campaign.layers.len()).max(1);
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
                    (one(campaign, board, extras, at, marks))
                }
            }
        }
    }
}

fn one(
    campaign: &Campaign,
    board: &Scoreboard,
    extras: &Extras,
    at: usize,
    marks: usize,
) -> Markup {
    let bench = &campaign.benchmarks[at];
    let layers = of_benchmark(campaign, at);
    if layers.is_empty() {
        return html! { p.notice { "No layer measured this benchmark." } };
    }
    html! {
        p.quiet { "Suite " bdi { (words::name(&bench.suite)) } ", each series reduced by "
            code { (words::name(&bench.estimator)) } ", "
            @match (bench.better, bench.unit.symbol()) {
                (Better::Higher, unit) => { (unit) @if !unit.is_empty() { ", " } "higher is better." }
                (Better::Lower, "") => { "a plain number." }
                (Better::Lower, unit) => { (unit) " an operation." }
            } }
        div.figures {
            (PreEscaped(distribution::figure(&layers, bench.unit).0))
            (PreEscaped(ecdf::figure(&layers, bench.unit).0))
            (PreEscaped(jitter::figure(&layers).0))
            (PreEscaped(time::figure(&layers, marks).0))
            (curves(campaign, extras, at, bench))
            (used(campaign, extras, at))
        }
        div.wide tabindex="0" role="region" aria-label="Location and spread, scrolls sideways" {
            (shapes(board, bench, &layers))
        }
        (findings(&layers))
        (counters(campaign, extras, at))
        (explanations_html(campaign, board, at))
    }
}

/// Location shift and spread in figures.
fn shapes(board: &Scoreboard, bench: &BenchInfo, layers: &[LayerSamples]) -> Markup {
    let base = layers.iter().find(|layer| layer.series == 0);
    let titles = [
        "Layer",
        "Samples",
        "Boots",
        "Median",
        "10%–90%",
        "Shift (added cost)",
        "Spread (jitter)",
        "Above baseline",
    ];
    html! {
        table.shapes {
            caption { "Location and spread. Shift: Hodges–Lehmann, spread: ratio of 10–90% ranges within a boot, both with "
                (words::percent_of(board.method.confidence)) " intervals over blocks; last: how often a sample of the layer exceeds one of the baseline." }
            thead { tr { @for title in titles { th scope="col" { (title) } } } }
            tbody {
                @for layer in layers {
                    tr {
                        th scope="row" { (swatch(layer.series)) " " bdi { (words::name(layer.name)) } }
                        td { (layer.sorted.len()) } td { (layer.boots.len()) }
                        td { (quantity(bench.unit, layer.median())) }
                        td { (quantity(bench.unit, at_quantile(&layer.sorted, 0.1))) " – " (quantity(bench.unit, at_quantile(&layer.sorted, 0.9))) }
                        @match base.filter(|base| base.series != layer.series).map(|base| against(base, layer, board.method.confidence)) {
                            Some(Some(shape)) => { (compared(bench, &shape)) }
                            Some(None) => { td colspan="3" { "needs two blocks with both" } }
                            None => { td colspan="3" { @if layer.series == 0 { "baseline" } @else { "no baseline to compare with" } } }
                        }
                    }
                }
            }
        }
    }
}

fn against(base: &LayerSamples, layer: &LayerSamples, confidence: f64) -> Option<Shape> {
    let pair = |boot: &BootSamples| {
        let same = |b: &&BootSamples| b.block == boot.block && b.role == Role::Weigh;
        let of_base = base.boots.iter().find(same);
        let of_base = of_base.or_else(|| base.boots.iter().find(|b| b.block == boot.block));
        of_base.map(|b| (b.values.to_vec(), boot.values.to_vec()))
    };
    let pairs: Vec<(Vec<f64>, Vec<f64>)> = layer.boots.iter().filter_map(pair).collect();
    let blocks: Vec<BlockSamples> =
        pairs.iter().map(|(baseline, layer)| BlockSamples { baseline, layer }).collect();
    shape(&blocks, confidence).ok()
}

fn compared(bench: &BenchInfo, shape: &Shape) -> Markup {
    html! {
        td { (signed(bench.unit, shape.shift.mean)) " (" (format!("{:+.1}%", shape.shift_percent)) ")"
            br; small { (range(bench.unit, &shape.shift)) } }
        td {
            @match &shape.spread_ratio {
                Some(spread) => { "× " (digits(spread.ratio)) br; small { (digits(spread.low)) "–" (digits(spread.high)) } }
                None => { "a series without spread" }
            }
        }
        td { (percent(50.0 * (1.0 + shape.delta))) }
    }
}

fn signed(unit: Unit, value: f64) -> String {
    format!("{}{}", if value < 0.0 { "−" } else { "+" }, quantity(unit, value.abs()))
}

fn range(unit: Unit, interval: &MeanInterval) -> String {
    format!("{} to {}", signed(unit, interval.low), signed(unit, interval.high))
}

/// What the samples' order and modes say against taking one number for them.
fn findings(layers: &[LayerSamples]) -> Markup {
    let mut found: Vec<(&LayerSamples, String)> = Vec::new();
    for layer in layers {
        if layer.dropped > 0 {
            let text = format!("{} samples at or below zero are not drawn", layer.dropped);
            found.push((layer, text));
        }
        let boots: Vec<&[f64]> = layer.boots.iter().map(|boot| &*boot.values).collect();
        let middles: Vec<f64> = boots.iter().filter_map(|boot| median(boot).ok()).collect();
        let within = series_warnings(&boots).unwrap_or_default();
        let between = block_warnings(&middles).unwrap_or_default();
        found.extend(within.iter().chain(&between).map(|warning| (layer, warning.to_string())));
    }
    html! {
        @if !found.is_empty() {
            ul.findings { @for (layer, text) in found {
                li { (swatch(layer.series)) " " strong { bdi { (words::name(layer.name)) } } ": " (text) }
            } }
        }
    }
}

/// The curves drawn and in figures, with their efficiency.
fn curves(campaign: &Campaign, extras: &Extras, at: usize, bench: &BenchInfo) -> Markup {
    let series = numbers(campaign);
    let own = extras.curves.iter().filter(|(benchmark, _)| *benchmark == at);
    let own: Vec<_> =
        own.filter_map(|(_, curve)| Some((*series.get(curve.layer)?, curve))).collect();
    let unit = if bench.better == Better::Higher { bench.unit } else { Unit::PerSecond };
    let what = if bench.load.is_empty() { "users or copies" } else { bench.load.as_str() };
    html! {
        @if !own.is_empty() {
            (PreEscaped(load::figure(&own, unit, &words::name(what))))
            div.wide tabindex="0" role="region" aria-label="Load curves in figures, scrolls sideways" {
                table.counters {
                    caption { "Throughput and efficiency: 100% is as many times that of the smallest load." }
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

/// What a layer did at a load.
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
        Some((*series.get(usage.layer)?, campaign.layers[usage.layer].name.as_str(), usage))
    });
    let own: Vec<_> = named.collect();
    html! { @if !own.is_empty() { (PreEscaped(usage::figure(&own))) } }
}

/// Counters a row each, layers a column each.
fn counters(campaign: &Campaign, extras: &Extras, at: usize) -> Markup {
    let own: Vec<&Counter> = extras.counters.iter().filter(|c| c.benchmark == at).collect();
    let mut names: Vec<&str> = own.iter().map(|counter| counter.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let series = numbers(campaign);
    let layers: Vec<usize> =
        (0..campaign.layers.len()).filter(|l| own.iter().any(|c| c.layer == *l)).collect();
    let cell = |layer: usize, name: &str| own.iter().find(|c| c.layer == layer && c.name == name);
    html! {
        @if !own.is_empty() {
            div.wide tabindex="0" role="region" aria-label="Counters, scrolls sideways" {
                table.counters {
                    caption { "Counted beside the samples: means over boots, with intervals." }
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

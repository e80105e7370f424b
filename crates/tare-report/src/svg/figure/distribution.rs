//! Overlaid histograms of all samples per layer, each with its location and spread marked above. Report 002 read "shifted
//! to the right" and "less compact" from such figures.

use super::WIDTH;
use crate::svg::bins::{at_quantile, histogram};
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::print::Print;
use crate::svg::samples::LayerSamples;
use crate::svg::scale::Scale;
use crate::svg::{axis, marks};
use std::fmt::Write;
use tare_board::SampleSummary;
use tare_board::format::{quantity, sizes, tick};
use tare_proto::Unit;

const BINS: usize = 96;
/// Height of the histograms, and of a layer's line above them.
const HEIGHT: f64 = 130.0;
const LINE: f64 = 13.0;
const EDGES: (f64, f64) = (34.0, WIDTH - 34.0);

/// The figure and its height.
pub(crate) fn figure(layers: &[LayerSamples], unit: Unit) -> (String, f64) {
    let x = values(layers, EDGES);
    let top = 22.0 + LINE * layers.len() as f64;
    let bottom = top + HEIGHT;
    let y = Scale::linear(0.0, 1.0, (bottom, top + 4.0));
    let each: Vec<(Vec<f64>, usize)> =
        layers.iter().map(|layer| histogram(&layer.sorted, &x, BINS)).collect();
    let outside = each.iter().map(|(_, outside)| outside).sum();
    let print = Print::new(&note(&x, outside), 12.0, WIDTH);
    let height = bottom + 20.0 + print.height();
    let kind = if x.kind == crate::svg::scale::Kind::Log { "log" } else { "linear" };
    let mut canvas = Canvas::new("plot zooms", (WIDTH, height), &label(layers, unit))
        .data("x", &format!("{} {} {kind}", x.low, x.high))
        .data("r", &format!("{} {}", EDGES.0, EDGES.1))
        .data("sizes", &sizes(unit));
    canvas.text("strong", (12.0, 12.0), Anchor::Start, "Distribution of all samples");
    axis::below(&mut canvas, &x, (top, bottom), 7, |v, step| tick(unit, v, step));
    for (at, (layer, (bins, _))) in layers.iter().zip(&each).enumerate() {
        canvas.clip(EDGES);
        outline(&mut canvas, layer, bins, &x, &y);
        canvas.end();
        spread(&mut canvas, layer, &x, 22.0 + LINE * (at as f64 + 0.5));
    }
    print.at_foot(&mut canvas);
    (canvas.finish(), height)
}

/// The range of values that is drawn: all but the outermost hundredths, on a log scale when it spans a factor of 3.
pub(super) fn values(layers: &[LayerSamples], edges: (f64, f64)) -> Scale {
    let ends = |p: f64| layers.iter().map(move |layer| at_quantile(&layer.sorted, p));
    let low = ends(0.005).fold(f64::INFINITY, f64::min);
    let high = ends(0.985).fold(f64::NEG_INFINITY, f64::max);
    let least = layers.iter().map(|layer| layer.figures.median).fold(f64::INFINITY, f64::min);
    // A few samples near or below zero, left by a subtraction, neither choose the scale nor stretch it.
    let low = if least > 0.0 { low.max(least / 100.0) } else { low };
    if low > 0.0 && high / low > 3.0 {
        return Scale::log(low / (high / low).powf(0.03), high * (high / low).powf(0.03), edges);
    }
    let room = 0.04 * (high - low);
    let floor = if low < 0.0 { f64::NEG_INFINITY } else { 0.0 };
    Scale::linear((low - room).max(floor), high + room, edges)
}

fn outline(canvas: &mut Canvas, layer: &LayerSamples, bins: &[f64], x: &Scale, y: &Scale) {
    let peak = bins.iter().copied().fold(0.0, f64::max);
    let heights: Vec<f64> = bins.iter().map(|bin| bin / peak.max(1e-9)).collect();
    let samples = layer.sorted.len() as f64;
    // The page's script tells these when pointed at: pairs of a bin's place and its count.
    let counts = bins.iter().enumerate().filter(|(_, bin)| **bin > 0.0).fold(
        String::new(),
        |mut text, (at, bin)| {
            let space = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{space}{at}:{}", (bin * samples).round());
            text
        },
    );
    canvas.group(&marks::class(layer.series), &[]);
    let more = [
        ("data-n", counts.as_str()),
        ("data-bins", &BINS.to_string()),
        ("data-name", &crate::words::name(layer.name)),
    ];
    canvas.path("hist", &marks::steps(x, y, &heights), &more);
    canvas.end();
}

/// A bar from the 10th to the 90th percentile, and the series' shape at the median.
fn spread(canvas: &mut Canvas, layer: &LayerSamples, x: &Scale, y: f64) {
    let SampleSummary { median, low, high, .. } = layer.figures;
    let figures = format!("{median} {low} {high}");
    let series = layer.series.to_string();
    canvas.group(
        &format!("m {}", marks::class(layer.series)),
        &[("data-v", &figures), ("data-s", &series)],
    );
    canvas.line("ci", (x.at(low), y), (x.at(high), y));
    marks::dot(canvas, layer.series, (x.at(median), y));
    canvas.end();
}

fn note(x: &Scale, outside: usize) -> String {
    let scale = if x.kind == crate::svg::scale::Kind::Log { ", log scale" } else { "" };
    let mut text =
        format!("marks: median, 10th to 90th percentile; every histogram to its own peak{scale}");
    if outside > 0 {
        let _ = write!(text, "; {outside} samples beyond the plot");
    }
    text
}

fn label(layers: &[LayerSamples], unit: Unit) -> String {
    let mut text = String::from("Histograms. Median and 10th to 90th percentile:");
    for layer in layers {
        let [median, low, high] = [layer.figures.median, layer.figures.low, layer.figures.high]
            .map(|v| quantity(unit, v));
        let name = crate::words::name(layer.name);
        let _ = write!(text, " {name} {median}, {low} to {high};");
    }
    text
}

//! Spread without location: every layer's samples relative to its own median, so that the spreads of layers can be
//! compared even if their medians differ by a factor of 50.

use super::WIDTH;
use crate::svg::bins::{at_quantile, histogram};
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::samples::LayerSamples;
use crate::svg::scale::Scale;
use crate::svg::{axis, marks};

const BINS: usize = 81;
/// Height of one layer's histogram, and what is left of it for the name.
const STRIP: f64 = 34.0;
const EDGES: (f64, f64) = (138.0, WIDTH - 28.0);
/// Percent that are drawn at least and at most to either side.
const REACH: (f64, f64) = (1.0, 100.0);

/// The figure and its height.
pub(crate) fn figure(layers: &[LayerSamples]) -> (String, f64) {
    let each: Vec<(usize, &str, Vec<f64>)> =
        layers.iter().map(|layer| (layer.series, layer.name, relative(layer))).collect();
    let reach = each
        .iter()
        .flat_map(|(_, _, sorted)| [0.02, 0.98].map(|p| at_quantile(sorted, p).abs() * 1.15));
    let reach = reach.fold(REACH.0, f64::max).min(REACH.1);
    let x = Scale::linear(-reach, reach, EDGES);
    let top = 22.0;
    let bottom = 22.0 + STRIP * layers.len() as f64;
    let height = bottom + 34.0;
    let mut canvas = Canvas::new(
        "plot",
        (WIDTH, height),
        "Spread of each layer's samples around its own median",
    );
    canvas.text(
        "strong",
        (12.0, 12.0),
        Anchor::Start,
        "Jitter: samples around the layer's own median",
    );
    axis::below(&mut canvas, &x, (top, bottom), 7, |v, _| {
        format!("{}{}%", if v > 0.0 { "+" } else { "" }, crate::svg::scale::plain(v))
    });
    marks::rule(&mut canvas, "one", &x, 0.0, (top, bottom));
    for (at, (series, name, sorted)) in each.iter().enumerate() {
        let foot = top + STRIP * (at as f64 + 1.0);
        let y = Scale::linear(0.0, 1.0, (foot, foot - STRIP + 4.0));
        let (bins, _) = histogram(sorted, &x, BINS);
        let peak = bins.iter().copied().fold(0.0, f64::max).max(1e-9);
        let heights: Vec<f64> = bins.iter().map(|bin| bin / peak).collect();
        canvas.group(&marks::class(*series), &[]);
        canvas.path("hist", &marks::steps(&x, &y, &heights), &[]);
        marks::dot(&mut canvas, *series, (12.0, foot - 9.0));
        canvas.end();
        let name = crate::clean::fit(&crate::words::name(name), 14);
        canvas.text("tick", (20.0, foot - 5.5), Anchor::Start, &name);
    }
    (canvas.finish(), height)
}

/// Percent above the layer's median, sorted.
fn relative(layer: &LayerSamples) -> Vec<f64> {
    layer.sorted.iter().map(|value| 100.0 * layer.relative(*value)).collect()
}

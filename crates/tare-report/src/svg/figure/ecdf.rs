//! Distribution functions: for every layer the share of samples at or below a value.

use super::WIDTH;
use crate::svg::bins;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::samples::LayerSamples;
use crate::svg::scale::{Kind, Scale};
use crate::svg::{axis, marks};
use tare_board::format::tick;
use tare_proto::Unit;

/// Points of a curve.
const POINTS: usize = 60;
const EDGES: (f64, f64) = (50.0, WIDTH - 36.0);

/// The figure and its height.
pub(crate) fn figure(layers: &[LayerSamples], unit: Unit) -> (String, f64) {
    let x = super::distribution::values(layers, EDGES);
    let top = 22.0;
    let bottom = 22.0 + 143.0 + 13.0 * layers.len() as f64 - 13.0;
    let y = Scale::linear(0.0, 1.0, (bottom, top));
    let height = bottom + 34.0;
    let mut canvas = Canvas::new("plot", (WIDTH, height), "Distribution functions of all samples");
    canvas.text("strong", (12.0, 12.0), Anchor::Start, "Share of samples at or below (ECDF)");
    axis::beside(&mut canvas, &y, EDGES, 4, |v, _| format!("{:.0}%", 100.0 * v));
    axis::below(&mut canvas, &x, (top, bottom), 7, |v, step| tick(unit, v, step));
    for layer in layers {
        canvas.group(&marks::class(layer.series), &[]);
        canvas.path("curve", &staircase(&layer.sorted, &x, &y), &[]);
        canvas.end();
    }
    if x.kind == Kind::Log {
        canvas.text("note", (EDGES.0, height - 6.0), Anchor::Start, "log scale");
    }
    (canvas.finish(), height)
}

fn staircase(sorted: &[f64], x: &Scale, y: &Scale) -> String {
    let points = bins::ecdf(sorted, POINTS);
    let first = points.first().map(|(value, _)| (x.at(*value), y.at(0.0)));
    let inside = points.iter().filter(|(value, _)| x.holds(*value));
    marks::through(first.into_iter().chain(inside.map(|(v, share)| (x.at(*v), y.at(*share)))))
}

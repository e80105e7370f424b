//! Samples in the order taken, boot by boot, one strip per layer. They show drift over the campaign, warm-up within boots
//! and bimodality.

use super::WIDTH;
use crate::svg::bins::{at_quantile, buckets};
use crate::svg::canvas::{Anchor, Canvas, num};
use crate::svg::marks;
use crate::svg::print::Print;
use crate::svg::samples::LayerSamples;
use crate::svg::scale::Scale;
use std::fmt::Write;
use tare_board::BootSamples;
use tare_store::Role;

/// Height of a layer's strip.
const STRIP: f64 = 54.0;
const EDGES: (f64, f64) = (192.0, WIDTH - 12.0);
const NOTE: &str = "boots in order, numbered by block (′: the baseline's second); dots are medians, lines reach from \
    least to most";
/// Marks of one layer when nothing asks for fewer.
pub(crate) const MARKS: usize = 300;

/// The figure, with about `most` marks a layer, and its height.
pub(crate) fn figure(layers: &[LayerSamples], most: usize) -> (String, f64) {
    let top = 20.0;
    let bottom = top + STRIP * layers.len() as f64;
    let print = Print::new(NOTE, 12.0, WIDTH);
    let height = bottom + 6.0 + print.height();
    let label = "Samples in the order taken, boot by boot";
    let mut canvas = Canvas::new("plot", (WIDTH, height), label);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, "Over time, boot by boot");
    for (at, layer) in layers.iter().enumerate() {
        strip(&mut canvas, layer, top + STRIP * at as f64, most);
    }
    print.at_foot(&mut canvas);
    (canvas.finish(), height)
}

fn strip(canvas: &mut Canvas, layer: &LayerSamples, top: f64, most: usize) {
    let [low, high] = [0.01, 0.99].map(|p| layer.relative(at_quantile(&layer.sorted, p)));
    let room = (0.1 * (high - low)).max(0.005);
    let y = Scale::linear(low - room, high + room, (top + STRIP - 15.0, top + 5.0));
    let name = crate::clean::fit(&crate::words::name(layer.name), 14);
    canvas.group(&marks::class(layer.series), &[]);
    marks::dot(canvas, layer.series, (12.0, top + 23.0));
    canvas.end();
    canvas.text("tick", (20.0, top + 26.5), Anchor::Start, &name);
    for tick in [low, high] {
        let text = format!("{:+.1}%", 100.0 * tick);
        canvas.text("tick", (EDGES.0 - 6.0, y.at(tick) + 3.5), Anchor::End, &text);
    }
    canvas.line("grid", (EDGES.0, y.at(0.0)), (EDGES.1, y.at(0.0)));
    let wide = (EDGES.1 - EDGES.0) / layer.boots.len() as f64;
    let each = (most / layer.boots.len()).clamp(1, 60);
    let mut specks = Vec::new();
    let mut whiskers = String::new();
    let mut seams = String::new();
    for (at, boot) in layer.boots.iter().enumerate() {
        let left = EDGES.0 + wide * at as f64;
        let _ = write!(seams, "M{} {}v{}", num(left), num(top + 5.0), num(STRIP - 18.0));
        block(canvas, boot, (left, wide), top, at);
        let parts = buckets(boot.values, each);
        for (n, part) in parts.iter().enumerate() {
            let x = left + wide * (0.06 + 0.88 * (n as f64 + 0.5) / parts.len() as f64);
            specks.push((x, y.at(layer.relative(part.middle))));
            let ends = [part.low, part.high].map(|end| y.at(layer.relative(end)));
            whisker(&mut whiskers, x, ends);
        }
    }
    canvas.path("seam", &seams, &[]);
    canvas.group(&marks::class(layer.series), &[]);
    canvas.path("whisker", &whiskers, &[]);
    canvas.path("speck", &marks::specks(specks), &[]);
    canvas.end();
}

fn whisker(d: &mut String, x: f64, [low, high]: [f64; 2]) {
    if (low - high).abs() > 1.0 {
        let _ = write!(d, "M{} {}V{}", num(x), num(low), num(high));
    }
}

/// A boot's block below it, where there is room (a prime marks the baseline's boot for the floor).
fn block(canvas: &mut Canvas, boot: &BootSamples, (left, wide): (f64, f64), top: f64, at: usize) {
    let every = (44.0 / wide).ceil().max(1.0) as usize;
    if at.is_multiple_of(every) {
        let floor = if boot.role == Role::Floor { "′" } else { "" };
        let text = format!("{}{floor}", boot.block + 1);
        canvas.text("tick", (left + wide / 2.0, top + STRIP - 3.0), Anchor::Middle, &text);
    }
}

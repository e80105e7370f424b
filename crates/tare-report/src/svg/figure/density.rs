//! What layers take that are alive and idle: the host's memory against their number, with confidence bands.

use super::WIDTH;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::{Scale, plain};
use crate::svg::{axis, marks};
use tare_board::format::tick;
use tare_board::{Alive, Sandbox};
use tare_proto::Unit;

const EDGES: (f64, f64) = (84.0, WIDTH - 24.0);
const HEIGHT: f64 = 300.0;

/// The axis counts in these, so that its ticks are round.
const MIB: f64 = 1048576.0;

/// The figure: one line for each (series number, layer). Nothing where none was alive.
pub(crate) fn figure(layers: &[(usize, &Sandbox)]) -> String {
    let points = || layers.iter().flat_map(|(_, found)| &found.alive);
    let most = points().map(|point| point.count).max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let values = || {
        let both = |point: &Alive| [point.lost.value, point.lost.high.unwrap_or(point.lost.value)];
        points().flat_map(both).map(|bytes| bytes / MIB)
    };
    let (least, highest) = values().fold((0.0_f64, 0.1_f64), |(a, b), v| (a.min(v), b.max(v)));
    let x = Scale::linear(0.0, f64::from(most), EDGES);
    let y = Scale::linear(least, 1.05 * highest, (HEIGHT - 36.0, 22.0));
    let label = "Memory against the number of layers alive";
    let mut canvas = Canvas::new("plot", (WIDTH, HEIGHT), label);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, label);
    axis::beside(&mut canvas, &y, EDGES, 5, |v, step| tick(Unit::Bytes, v * MIB, step * MIB));
    axis::below(&mut canvas, &x, (22.0, HEIGHT - 36.0), 7, |v, _| plain(v));
    for (series, found) in layers {
        one(&mut canvas, *series, found, &x, &y);
    }
    let text = "layers alive and idle; what the host's available memory lost; bands are confidence intervals";
    canvas.text("note", (EDGES.0, HEIGHT - 6.0), Anchor::Start, text);
    canvas.finish()
}

fn one(canvas: &mut Canvas, series: usize, found: &Sandbox, x: &Scale, y: &Scale) {
    let place = |count: u32| x.at(f64::from(count));
    let height = |bytes: f64| y.at(bytes / MIB);
    let band: Vec<(f64, f64, f64)> = found
        .alive
        .iter()
        .filter_map(|at| Some((place(at.count), height(at.lost.low?), height(at.lost.high?))))
        .collect();
    canvas.group(&marks::class(series), &[]);
    canvas.path("area", &marks::between(&band), &[]);
    let points = || found.alive.iter().map(|at| (place(at.count), height(at.lost.value)));
    canvas.path("curve", &marks::through(points()), &[]);
    points().for_each(|point| marks::dot(canvas, series, point));
    canvas.end();
}

//! One benchmark over campaigns: cost with interval by campaign, and a line where something changed.

use super::WIDTH;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::{Scale, plain};
use crate::svg::{axis, marks};
use tare_board::Ratio;

const EDGES: (f64, f64) = (52.0, WIDTH - 14.0);
const HEIGHT: f64 = 190.0;

/// A layer's costs, campaign by campaign, and the first campaign after a change.
pub(crate) struct Trace {
    pub(crate) series: usize,
    pub(crate) costs: Vec<Option<Ratio>>,
    pub(crate) change: Option<usize>,
}

impl Trace {
    pub(crate) fn is_something(&self) -> bool {
        self.costs.iter().any(Option::is_some)
    }
}

pub(crate) fn figure(lines: &[Trace], campaigns: usize, label: &str) -> String {
    let ratios = || lines.iter().flat_map(|line| line.costs.iter().flatten());
    let low = ratios().map(|r| r.low.unwrap_or(r.value).max(r.value / 2.0));
    let high = ratios().map(|r| r.high.unwrap_or(r.value).min(r.value * 2.0));
    let low = low.fold(1.0, f64::min);
    let high = high.fold(1.0, f64::max);
    let room = (high / low).powf(0.06).max(1.01);
    let y = Scale::log(low / room, high * room, (HEIGHT - 26.0, 8.0));
    let step = (EDGES.1 - EDGES.0) / campaigns.max(1) as f64;
    let x = |at: usize| EDGES.0 + step * (at as f64 + 0.5);
    let mut canvas = Canvas::new("plot", (WIDTH, HEIGHT), label);
    axis::beside(&mut canvas, &y, EDGES, 5, |v, _| plain(v));
    canvas.line("one", (EDGES.0, y.at(1.0)), (EDGES.1, y.at(1.0)));
    let every = campaigns.div_ceil(16).max(1);
    for at in (0..campaigns).step_by(every) {
        let text = (at + 1).to_string();
        canvas.text("tick", (x(at), HEIGHT - 10.0), Anchor::Middle, &text);
    }
    for line in lines {
        draw(&mut canvas, line, &y, &x, step);
    }
    canvas.finish()
}

fn draw(canvas: &mut Canvas, line: &Trace, y: &Scale, x: &dyn Fn(usize) -> f64, step: f64) {
    canvas.group(&marks::class(line.series), &[]);
    let known: Vec<(usize, Ratio)> =
        line.costs.iter().enumerate().filter_map(|(at, cost)| Some((at, (*cost)?))).collect();
    let places = known.iter().map(|(at, ratio)| (x(*at), y.at(ratio.value)));
    canvas.path("curve", &marks::through(places), &[]);
    for (at, ratio) in &known {
        if let Some((low, high)) = ratio.low.zip(ratio.high) {
            canvas.line("ci", (x(*at), y.at(low)), (x(*at), y.at(high)));
        }
        marks::dot(canvas, line.series, (x(*at), y.at(ratio.value)));
    }
    if let Some(at) = line.change {
        let between = x(at) - step / 2.0;
        canvas.line("change", (between, 8.0), (between, HEIGHT - 26.0));
        canvas.path(
            "dot",
            "M-5-4H5L0 4Z",
            &[("transform", &format!("translate({} 6)", super::super::canvas::num(between)))],
        );
    }
    canvas.end();
}

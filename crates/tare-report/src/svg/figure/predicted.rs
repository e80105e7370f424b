//! Programs as they are predicted against as they were measured, with the line on which both are the same.

use super::WIDTH;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::{Scale, plain};
use crate::svg::{axis, marks};
use tare_board::Held;

const TOP: f64 = 22.0;
const BOTTOM: f64 = 340.0;
const EDGES: (f64, f64) = (54.0, WIDTH - 16.0);

/// The figure: a mark for each (series number, program on a layer), with the prediction's interval. Nothing where there is none.
pub(crate) fn figure(all: &[(usize, &Held)]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let ends = || all.iter().flat_map(|(_, held)| [held.measured, held.predicted]);
    let least = ends().fold(1.0, f64::min) / 1.2;
    let most = ends().fold(1.0, f64::max) * 1.2;
    let x = Scale::log(least, most, EDGES);
    let y = Scale::log(least, most, (BOTTOM, TOP));
    let label = "Ratios of programs: predicted against measured, on logarithmic scales";
    let mut canvas = Canvas::new("plot", (WIDTH, BOTTOM + 38.0), label);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, "Predicted against measured");
    axis::below(&mut canvas, &x, (TOP, BOTTOM), 6, |value, _| plain(value));
    axis::beside(&mut canvas, &y, EDGES, 6, |value, _| plain(value));
    canvas.line("one", (x.at(least), y.at(least)), (x.at(most), y.at(most)));
    for (series, held) in all {
        canvas.group(&marks::class(*series), &[]);
        let place = x.at(held.measured);
        canvas.line("ci", (place, y.at(held.low)), (place, y.at(held.high)));
        marks::dot(&mut canvas, *series, (place, y.at(held.predicted)));
        canvas.end();
    }
    let text =
        "measured, to the right; predicted from the other programs, upwards, with 90% intervals";
    canvas.text("note", (EDGES.0, BOTTOM + 30.0), Anchor::Start, text);
    canvas.finish()
}

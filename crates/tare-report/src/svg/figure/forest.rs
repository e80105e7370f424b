//! Forest plots on a log scale of costs: a dot with its interval for each layer, over the margin and the noise floor.

use crate::svg::canvas::Canvas;
use crate::svg::scale::Scale;
use crate::svg::{axis, marks};
use crate::words;
use tare_board::{Cell, Measure, Ratio, Row, Scoreboard};

/// Height of a layer's line.
pub(crate) const LINE: f64 = 14.0;

/// What is drawn of one row: a cost a layer.
pub(crate) struct Strip {
    /// The series' number and its cost, where it has one.
    pub(crate) marks: Vec<(usize, Option<Ratio>)>,
    /// Nothing up to this ratio (or its inverse) is called different.
    pub(crate) floor: Option<f64>,
}

impl Strip {
    pub(crate) fn of_row(row: &Row) -> Strip {
        let mark = |(at, cell): (usize, &Cell)| (at + 1, words::cost(row, cell));
        let floor = row.floor.and_then(|floor| floor.bound);
        Strip { marks: row.cells.iter().enumerate().map(mark).collect(), floor }
    }

    pub(crate) fn of_means(board: &Scoreboard, suite: &str, measure: Measure) -> Strip {
        let mean = |name: &str| {
            let means = &board.geomeans;
            let same = |m: &&tare_board::Geomean| {
                m.suite == suite && m.measure == measure && m.layer == name
            };
            means.iter().find(same).map(|mean| mean.cost)
        };
        let layers = board.others().enumerate();
        let marks = layers.map(|(at, layer)| (at + 1, mean(layer.name.raw()))).collect();
        Strip { marks, floor: board.floor.bound }
    }

    /// Without the lines of all layers but these (places among the others).
    pub(crate) fn only(mut self, shown: &[usize]) -> Strip {
        self.marks.retain(|(series, _)| shown.contains(&(series - 1)));
        self
    }

    pub(crate) fn height(&self) -> f64 {
        LINE * self.marks.len().max(1) as f64 + 4.0
    }
}

/// The scale that all strips of a scoreboard share: every cost, and intervals as far as a factor of 3 beyond them.
pub(crate) fn shared<'a>(
    strips: impl Iterator<Item = &'a Strip>,
    margin: f64,
    range: (f64, f64),
) -> Scale {
    let mut low = 1.0 / (1.0 + margin).min(2.0);
    let mut high = (1.0 + margin).min(2.0);
    let mut least = low;
    let mut most = high;
    for ratio in strips.flat_map(|strip| strip.marks.iter().filter_map(|(_, ratio)| *ratio)) {
        if !(ratio.value.is_normal() && ratio.value > 0.0) {
            continue;
        }
        (low, high) = (low.min(ratio.value), high.max(ratio.value));
        least = least.min(ratio.low.unwrap_or(ratio.value));
        most = most.max(ratio.high.unwrap_or(ratio.value));
    }
    let low = least.max(low / 3.0);
    let high = most.min(high * 3.0);
    let room = (high / low).powf(0.03);
    Scale::log(low / room, high * room, range)
}

/// Draws a strip with its upper edge at `top`.
pub(crate) fn draw(canvas: &mut Canvas, strip: &Strip, scale: &Scale, margin: f64, top: f64) {
    let bottom = top + strip.height();
    for tick in scale.ticks(6) {
        marks::rule(canvas, "grid", scale, tick, (top, bottom));
    }
    if let Some(floor) = strip.floor.filter(|floor| *floor > 1.0) {
        marks::band(canvas, "floor", scale, (1.0 / floor, floor), (top, bottom));
    }
    marks::band(canvas, "delta", scale, (1.0 / (1.0 + margin), 1.0 + margin), (top, bottom));
    marks::rule(canvas, "one", scale, 1.0, (top, bottom));
    for (at, (series, ratio)) in strip.marks.iter().enumerate() {
        let Some(ratio) = ratio else { continue };
        let y = top + 2.0 + LINE * (at as f64 + 0.5);
        marks::interval(canvas, *series, scale, y, ratio.value, ratio.low.zip(ratio.high));
    }
}

/// The ratios' axis below a strip or all of them.
pub(crate) fn axis(canvas: &mut Canvas, scale: &Scale, ends: (f64, f64), most: usize) {
    axis::below(canvas, scale, ends, most, |v, _| crate::svg::scale::plain(v));
}

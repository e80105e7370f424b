//! The figures: each turns data into one SVG element, for the page or, with a style sheet, for a file.

pub(crate) mod density;
pub(crate) mod distribution;
pub(crate) mod ecdf;
pub(crate) mod flame;
pub(crate) mod forest;
pub(crate) mod history;
pub(crate) mod hosts;
pub(crate) mod jitter;
pub(crate) mod load;
pub(crate) mod overview;
pub(crate) mod parts;
pub(crate) mod phases;
pub(crate) mod predicted;
pub(crate) mod sweep;
pub(crate) mod time;
pub(crate) mod usage;
pub(crate) mod waterfall;

use super::canvas::{Anchor, Canvas};
use super::marks::{class, dot};
use super::{samples, theme};
use crate::clean::{clean, fit};
use crate::words;
use tare_board::load::{curve, families};
use tare_board::{Counted, LoadCurve, Scoreboard};
use tare_store::Campaign;

/// Width of a figure in a column of the page.
pub(crate) const WIDTH: f64 = 560.0;

/// Width of a letter of a sheet's title.
const TITLE_LETTER: f64 = 10.5;

/// Every benchmark's ratios on every layer, as an SVG file.
pub fn overview_svg(board: &Scoreboard) -> String {
    overview::file(board)
}

/// How one benchmark's samples are distributed and how they lie in time, as an SVG file; `None` when there is no such
/// benchmark or it has no samples.
pub fn benchmark_svg(campaign: &Campaign, name: &str) -> Option<String> {
    let at = campaign.benchmarks.iter().position(|bench| bench.name == name)?;
    let bench = &campaign.benchmarks[at];
    let layers = samples::of_benchmark(campaign, &Counted::new(campaign, None), at);
    if layers.is_empty() {
        return None;
    }
    let figures = [
        distribution::figure(&layers, bench.unit),
        ecdf::figure(&layers, bench.unit),
        jitter::figure(&layers),
        time::figure(&layers, time::MARKS),
    ];
    let (key, key_height) = key(layers.iter().map(|l| (l.series, l.name)), 2.0 * WIDTH);
    let heights: Vec<f64> = figures.iter().map(|figure| figure.1).collect();
    let top = 46.0 + key_height;
    let upper = heights[0].max(heights[1]);
    let size = (2.0 * WIDTH + 40.0, top + upper + 10.0 + heights[2].max(heights[3]) + 10.0);
    let mut canvas = paper(size, &format!("{}: {}", bench.name, bench.about));
    canvas.nest((10.0, 34.0), &key);
    let places = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
    for ((figure, _), (column, row)) in figures.iter().zip(places) {
        canvas.nest((10.0 + column * (WIDTH + 20.0), top + row * (upper + 10.0)), figure);
    }
    Some(canvas.finish())
}

/// Throughput of a benchmark against the loads at which it was measured, as an SVG file; `None` unless `name`, without a
/// load, was measured at two or more.
pub fn load_svg(campaign: &Campaign, board: &Scoreboard, name: &str) -> Option<String> {
    let families = families(board);
    let family = families.iter().find(|family| family.name == name && family.rows.len() > 1)?;
    let bench = campaign.benchmarks.get(family.rows.first()?.1)?;
    let curves: Vec<LoadCurve> =
        (0..board.layers.len()).map(|layer| curve(board, family, layer)).collect();
    let numbers = samples::numbers(campaign);
    let drawn = curves.iter().filter(|curve| !curve.points.is_empty());
    let drawn: Vec<_> =
        drawn.filter_map(|curve| Some((*numbers.get(curve.layer)?, curve))).collect();
    let names = drawn.iter().map(|(series, curve)| (*series, board.layers[curve.layer].name.raw()));
    let (key, height) = key(names, WIDTH);
    let figure = load::figure(&drawn, family.unit, &words::name(words::load(bench)));
    let top = 46.0 + height;
    let mut canvas =
        paper((WIDTH + 20.0, top + load::HEIGHT + 10.0), &format!("{name}: {}", bench.about));
    canvas.nest((10.0, 34.0), &key);
    canvas.nest((10.0, top), &figure);
    Some(canvas.finish())
}

/// A white sheet with a style sheet of its own and a title.
pub(crate) fn paper(size: (f64, f64), title: &str) -> Canvas {
    let mut canvas = Canvas::new("paper", size, title);
    canvas.style(&theme::of_file());
    canvas.rect("paper", (0.0, 0.0), size, &[]);
    let columns = (size.0 / TITLE_LETTER) as usize;
    canvas.text("title", (10.0, 22.0), Anchor::Start, &fit(&clean(title), columns));
    canvas
}

/// The layers' marks and names in a row or more of at most `width`, and the height of that.
pub(crate) fn key<'a>(layers: impl Iterator<Item = (usize, &'a str)>, width: f64) -> (String, f64) {
    let mut places = Vec::new();
    let mut x = 6.0;
    let mut y = 9.0;
    for (series, name) in layers {
        let name = words::name(name);
        let wide = 24.0 + 7.0 * crate::clean::width(&name) as f64;
        if x + wide > width && x > 6.0 {
            (x, y) = (6.0, y + 17.0);
        }
        places.push((series, name, (x, y)));
        x += wide;
    }
    let height = y + 9.0;
    let mut canvas = Canvas::new("key", (width, height), "");
    for (series, name, (x, y)) in places {
        canvas.group(&class(series), &[]);
        dot(&mut canvas, series, (x, y));
        canvas.end();
        canvas.text("", (x + 9.0, y + 4.0), Anchor::Start, &name);
    }
    (canvas.finish(), height)
}

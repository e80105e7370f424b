//! Curves against a knob of a sweep: the ratio to the first setting with confidence bands, one curve for each setting of another
//! knob. Versions stand side by side, with a dashed line where one differs from the one before.

use super::WIDTH;
use crate::clean::width;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::{Scale, plain};
use crate::svg::{axis, marks};
use tare_board::Curve;

const EDGES: (f64, f64) = (58.0, WIDTH - 24.0);
const HEIGHT: f64 = 280.0;
/// Top and bottom of the plot.
const ENDS: (f64, f64) = (22.0, HEIGHT - 36.0);
/// A knob whose settings span more than this has a logarithmic axis.
const SPAN: f64 = 20.0;
/// Width of a letter of a setting's name.
const LETTER: f64 = 6.4;

pub(crate) struct Along<'a> {
    pub(crate) knob: &'a str,
    /// The settings' names where they are no numbers.
    pub(crate) names: Option<Vec<String>>,
    /// The settings (from 0) that differ from the one before.
    pub(crate) changes: Vec<usize>,
}

/// The figure: one curve for each (series number, curve).
pub(crate) fn figure(curves: &[(usize, &Curve)], title: &str, along: &Along) -> String {
    let (x, y) = scales(curves, along);
    let mut canvas = Canvas::new("plot", (WIDTH, HEIGHT), title);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, title);
    axis::beside(&mut canvas, &y, EDGES, 5, |v, _| plain(v));
    match &along.names {
        None => axis::below(&mut canvas, &x, ENDS, 7, |v, _| plain(v)),
        Some(names) => named(&mut canvas, &x, names),
    }
    canvas.line("one", (EDGES.0, y.at(1.0)), (EDGES.1, y.at(1.0)));
    for at in &along.changes {
        let between = x.at(*at as f64 + 0.5);
        canvas.line("change", (between, ENDS.0), (between, ENDS.1));
    }
    for (series, curve) in curves {
        one(&mut canvas, *series, curve, &x, &y);
    }
    let note =
        format!("{}; ratio to the first setting, bands are confidence intervals", along.knob);
    canvas.text("note", (EDGES.0, HEIGHT - 6.0), Anchor::Start, &note);
    canvas.finish()
}

fn scales(curves: &[(usize, &Curve)], along: &Along) -> (Scale, Scale) {
    let points = || curves.iter().flat_map(|(_, curve)| &curve.points);
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (v.min(a), v.max(b)))
    };
    let (least, most) = ends(&mut points().map(|point| point.x));
    // Intervals of two blocks can span decades; the curves stay readable.
    let low = points().map(|p| p.ratio.low.unwrap_or(p.ratio.value).max(p.ratio.value / 2.0));
    let high = points().map(|p| p.ratio.high.unwrap_or(p.ratio.value).min(p.ratio.value * 2.0));
    let (low, high) = ends(&mut low.chain(high).chain([1.0]));
    let room = (high / low).powf(0.06).max(1.01);
    let x = match &along.names {
        Some(names) => Scale::linear(0.5, names.len() as f64 + 0.5, EDGES),
        None if least > 0.0 && most / least > SPAN => Scale::log(least, most, EDGES),
        None => Scale::linear(least.min(0.0), most, EDGES),
    };
    (x, Scale::log(low / room, high * room, (ENDS.1, ENDS.0)))
}

/// An axis of names; of their numbers where they do not fit side by side.
fn named(canvas: &mut Canvas, x: &Scale, names: &[String]) {
    let room = (EDGES.1 - EDGES.0) / names.len().max(1) as f64;
    let fits = names.iter().all(|name| LETTER * width(name) as f64 <= room);
    let every = names.len().div_ceil(16).max(1);
    canvas.group("axis x", &[]);
    for (at, name) in names.iter().enumerate().step_by(every) {
        let place = (x.at(at as f64 + 1.0), ENDS.1 + 13.0);
        let text = if fits { name.clone() } else { (at + 1).to_string() };
        canvas.text("tick", place, Anchor::Middle, &text);
    }
    canvas.end();
}

fn one(canvas: &mut Canvas, series: usize, curve: &Curve, x: &Scale, y: &Scale) {
    let band: Vec<(f64, f64, f64)> = curve
        .points
        .iter()
        .filter_map(|p| Some((x.at(p.x), y.at(p.ratio.low?), y.at(p.ratio.high?))))
        .collect();
    canvas.group(&marks::class(series), &[]);
    canvas.path("area", &marks::between(&band), &[]);
    let places = || curve.points.iter().map(|p| (x.at(p.x), y.at(p.ratio.value)));
    canvas.path("curve", &marks::through(places()), &[]);
    for place in places() {
        marks::dot(canvas, series, place);
    }
    canvas.end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_board::{CurvePoint, Ratio};

    fn curve(points: &[(f64, f64)]) -> Curve {
        let point = |&(x, value): &(f64, f64)| {
            let low = Some(0.9 * value);
            let high = Some(1.1 * value);
            CurvePoint { x, ratio: Ratio { value, low, high, blocks: 3 } }
        };
        Curve { knob: 0, at: None, points: points.iter().map(point).collect() }
    }

    fn along<'a>(names: Option<Vec<String>>, changes: Vec<usize>) -> Along<'a> {
        Along { knob: "segments", names, changes }
    }

    #[test]
    fn a_curve_passes_through_its_points_inside_its_band() {
        let curve = curve(&[(0.0, 1.0), (32.0, 0.5), (256.0, 0.4)]);
        let svg = figure(&[(1, &curve)], "row against segments", &along(None, vec![]));
        assert_eq!(svg.matches("class=\"dot\"").count(), 3);
        assert_eq!(svg.matches("class=\"area\"").count(), 1);
        let start = format!("class=\"curve\" d=\"M{} ", crate::svg::canvas::num(EDGES.0));
        assert!(svg.contains(&start), "zero has a place on the axis: {svg}");
    }

    #[test]
    fn versions_stand_side_by_side_with_a_line_where_one_differs() {
        let curve = curve(&[(1.0, 1.0), (2.0, 1.0), (3.0, 1.4)]);
        let names = |length: usize| Some(vec!["6".repeat(length); 3]);
        let short = figure(&[(1, &curve)], "row", &along(names(8), vec![2]));
        assert!(short.contains(">66666666<") && short.matches("class=\"change\"").count() == 1);
        let long = figure(&[(1, &curve)], "row", &along(names(40), vec![]));
        assert!(long.contains(">3<") && !long.contains("6666") && !long.contains("\"change\""));
    }

    #[test]
    fn no_points_draw_an_empty_plot() {
        assert!(figure(&[(0, &curve(&[]))], "row", &along(None, vec![])).ends_with("</svg>"));
    }
}

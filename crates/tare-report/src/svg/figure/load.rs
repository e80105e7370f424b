//! Load curves: throughput against the number of users or copies, with confidence bands, as report 002's first figure.

use super::WIDTH;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::{Scale, plain};
use crate::svg::{axis, marks};
use tare_board::LoadCurve;
use tare_board::format::tick;
use tare_proto::Unit;

const EDGES: (f64, f64) = (84.0, WIDTH - 24.0);
/// Height of the figure.
pub(crate) const HEIGHT: f64 = 300.0;

/// The figure: one curve for each (series number, curve); a load counts `what`.
pub(crate) fn figure(curves: &[(usize, &LoadCurve)], unit: Unit, what: &str) -> String {
    let points = || curves.iter().flat_map(|(_, curve)| &curve.points);
    let loads = points().map(|p| p.load);
    let (least, most) = loads.fold((f64::INFINITY, 0.0), |(a, b), v| (v.min(a), v.max(b)));
    let values = points().flat_map(|p| [p.value, p.ci.map_or(p.value, |ci| ci.1)]);
    let highest = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
    let x = match most / least > 20.0 {
        true => Scale::log(least, most, EDGES),
        false => Scale::linear(0.0, most, EDGES),
    };
    let y = Scale::linear(0.0, 1.05 * highest, (HEIGHT - 36.0, 22.0));
    let title = match unit {
        Unit::Nanoseconds => "Time of a request against the rate",
        _ => "Throughput against load",
    };
    let mut canvas = Canvas::new("plot", (WIDTH, HEIGHT), title);
    canvas.text("strong", (12.0, 12.0), Anchor::Start, title);
    axis::beside(&mut canvas, &y, EDGES, 5, |v, step| tick(unit, v, step));
    axis::below(&mut canvas, &x, (22.0, HEIGHT - 36.0), 7, |v, _| plain(v));
    for (series, curve) in curves {
        one(&mut canvas, *series, curve, &x, &y);
    }
    let text = format!("{what}; bands are confidence intervals");
    canvas.text("note", (EDGES.0, HEIGHT - 6.0), Anchor::Start, &text);
    canvas.finish()
}

fn one(canvas: &mut Canvas, series: usize, curve: &LoadCurve, x: &Scale, y: &Scale) {
    let band: Vec<(f64, f64, f64)> = curve
        .points
        .iter()
        .filter_map(|p| p.ci.map(|(low, high)| (x.at(p.load), y.at(low), y.at(high))))
        .collect();
    canvas.group(&marks::class(series), &[]);
    canvas.path("area", &marks::between(&band), &[]);
    let places = || curve.points.iter().map(|p| (x.at(p.load), y.at(p.value)));
    canvas.path("curve", &marks::through(places()), &[]);
    for place in places() {
        marks::dot(canvas, series, place);
    }
    canvas.end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_board::LoadPoint;

    #[test]
    fn a_curve_passes_through_its_points_inside_its_band() {
        let point =
            |load, value: f64| LoadPoint { load, value, ci: Some((0.9 * value, 1.1 * value)) };
        let curve = LoadCurve {
            layer: 0,
            unit: Unit::PerSecond,
            points: vec![point(1.0, 50.0), point(2.0, 80.0), point(4.0, 100.0)],
        };
        let svg = figure(&[(1, &curve)], Unit::PerSecond, "users");
        let at = |load: f64| 84.0 + load / 4.0 * (WIDTH - 108.0);
        let line = format!("M{} ", crate::svg::canvas::num(at(1.0)));
        assert!(svg.contains(&format!("class=\"curve\" d=\"{line}")), "{svg}");
        assert_eq!(svg.matches("class=\"dot\"").count(), 3);
        assert_eq!(svg.matches("class=\"area\"").count(), 1);
    }

    #[test]
    fn no_points_draw_an_empty_plot() {
        let curve = LoadCurve { layer: 0, unit: Unit::PerSecond, points: vec![] };
        assert!(figure(&[(0, &curve)], Unit::PerSecond, "users").ends_with("</svg>"));
    }
}

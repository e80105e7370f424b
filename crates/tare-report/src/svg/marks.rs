//! Marks: a shape with its interval, bands, histogram steps, distribution functions, lines with bands.
//!
//! A series is identified by its colour (class `s0`, `s1`, ...) and, for colour-blind readers, by its shape or dashes.

use super::canvas::{Canvas, num};
use super::scale::Scale;
use std::fmt::Write;

/// Colours and shapes of series; further ones begin again with other pairs.
const COLOURS: usize = 8;
const SHAPES: [&str; 7] = [
    "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0-4 0Z",
    "M-3.5-3.5H3.5V3.5H-3.5Z",
    "M0-4.6L4.4 3.4H-4.4Z",
    "M0-5L5 0L0 5L-5 0Z",
    "M0 4.6L4.4-3.4H-4.4Z",
    "M-1.5-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    "M-5 0L-1.8-1.8L0-5L1.8-1.8L5 0L1.8 1.8L0 5L-1.8 1.8Z",
];

/// The class of series `n`; 0 is the baseline, which no other series shares.
pub(crate) fn class(n: usize) -> String {
    format!("s{}", if n == 0 { 0 } else { (n - 1) % (COLOURS - 1) + 1 })
}

/// The shape of series `n` around the origin.
pub(crate) fn shape(n: usize) -> &'static str {
    let turn = if n == 0 { 0 } else { (n - 1) / (COLOURS - 1) };
    SHAPES[(n + turn) % SHAPES.len()]
}

/// Draws the shape of series `n` at a place. The surrounding group gives the colour.
pub(crate) fn dot(canvas: &mut Canvas, n: usize, (x, y): (f64, f64)) {
    let place = format!("translate({} {})", num(x), num(y));
    canvas.path("dot", shape(n), &[("transform", &place)]);
}

/// A value with its interval on a horizontal scale: a line from end to end and the series' shape. The group carries
/// the figures as `data-v` ("value low high"), from which the page's script draws it anew on another scale.
pub(crate) fn interval(
    canvas: &mut Canvas,
    n: usize,
    scale: &Scale,
    y: f64,
    value: f64,
    ends: Option<(f64, f64)>,
) {
    let figures = match ends {
        Some((low, high)) => format!("{value:.5} {low:.5} {high:.5}"),
        None => format!("{value:.5}"),
    };
    canvas.group(&format!("m {}", class(n)), &[("data-v", &figures), ("data-s", &n.to_string())]);
    if let Some((low, high)) = ends {
        canvas.line("ci", (scale.at(low), y), (scale.at(high), y));
    }
    dot(canvas, n, (scale.at(value), y));
    canvas.end();
}

/// A band between two values of a horizontal scale.
pub(crate) fn band(
    canvas: &mut Canvas,
    class: &str,
    scale: &Scale,
    (low, high): (f64, f64),
    (top, bottom): (f64, f64),
) {
    let figures = format!("{low:.5} {high:.5}");
    let corners = ((scale.at(low), top), (scale.at(high), bottom));
    canvas.rect(class, corners.0, corners.1, &[("data-b", &figures)]);
}

/// A line at one value of a horizontal scale.
pub(crate) fn rule(canvas: &mut Canvas, class: &str, scale: &Scale, value: f64, ends: (f64, f64)) {
    let x = scale.at(value);
    canvas.line(class, (x, ends.0), (x, ends.1));
}

/// The outline of a histogram: `heights` between equally wide steps over the whole of `x`.
pub(crate) fn steps(x: &Scale, y: &Scale, heights: &[f64]) -> String {
    let place = |step: usize| x.at(x.value(step as f64 / heights.len() as f64));
    let mut d = format!("M{} {}", num(place(0)), num(y.at(0.0)));
    let mut last = f64::NAN;
    for (at, height) in heights.iter().enumerate() {
        let level = y.at(*height);
        if at == 0 || (level - last).abs() >= 0.05 {
            let _ = write!(d, "H{}V{}", num(place(at)), num(level));
            last = level;
        }
    }
    let _ = write!(d, "H{}V{}", num(place(heights.len())), num(y.at(0.0)));
    d
}

pub(crate) fn through(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (x, y) in points {
        let _ = write!(d, "{}{} {}", if d.is_empty() { "M" } else { "L" }, num(x), num(y));
    }
    d
}

/// An area between two lines over the same places: (x, low, high).
pub(crate) fn between(points: &[(f64, f64, f64)]) -> String {
    let there = points.iter().map(|p| (p.0, p.1));
    let back = points.iter().rev().map(|p| (p.0, p.2));
    match points.is_empty() {
        true => String::new(),
        false => through(there.chain(back)) + "Z",
    }
}

/// Places where something is, as round specks of the line's width.
pub(crate) fn specks(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    points.into_iter().fold(String::new(), |mut d, (x, y)| {
        let _ = write!(d, "M{} {}h0", num(x), num(y));
        d
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_series_differ_in_colour_or_shape() {
        let looks: Vec<_> = (0..50).map(|n| (class(n), shape(n))).collect();
        for (at, look) in looks.iter().enumerate() {
            assert!(!looks[..at].contains(look), "series {at} looks like another");
        }
    }

    #[test]
    fn a_histogram_is_one_closed_outline() {
        let x = Scale::linear(0.0, 4.0, (0.0, 40.0));
        let y = Scale::linear(0.0, 1.0, (10.0, 0.0));
        assert_eq!(steps(&x, &y, &[0.0, 1.0, 1.0, 0.5]), "M0 10H0V10H10V0H30V5H40V10");
    }
}

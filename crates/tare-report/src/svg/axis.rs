//! Axes: ticks with their labels, and the grid lines behind the marks.

use super::canvas::{Anchor, Canvas};
use super::scale::Scale;

/// How much of a label's height lies above its baseline's middle.
const MIDDLE: f64 = 3.5;

/// A horizontal axis: grid lines from `top` to `bottom`, labels below.
pub(crate) fn below(
    canvas: &mut Canvas,
    scale: &Scale,
    (top, bottom): (f64, f64),
    most: usize,
    label: impl Fn(f64) -> String,
) {
    canvas.group("axis x", &[]);
    for tick in scale.ticks(most) {
        let x = scale.at(tick);
        canvas.line("grid", (x, top), (x, bottom));
        canvas.text("tick", (x, bottom + 13.0), Anchor::Middle, &label(tick));
    }
    canvas.end();
}

/// A vertical axis: grid lines from `left` to `right`, labels to the left.
pub(crate) fn beside(
    canvas: &mut Canvas,
    scale: &Scale,
    (left, right): (f64, f64),
    most: usize,
    label: impl Fn(f64) -> String,
) {
    canvas.group("axis y", &[]);
    for tick in scale.ticks(most) {
        let y = scale.at(tick);
        canvas.line("grid", (left, y), (right, y));
        canvas.text("tick", (left - 5.0, y + MIDDLE), Anchor::End, &label(tick));
    }
    canvas.end();
}

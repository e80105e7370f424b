//! Axes: ticks with their labels, and the grid lines behind the marks.

use super::canvas::{Anchor, Canvas};
use super::scale::Scale;
use crate::clean::width;

/// How much of a label's height lies above its baseline's middle.
const MIDDLE: f64 = 3.5;

/// Width of a letter of a label where it is widest, on a phone, and the space between two labels. The page's script has
/// the same.
const LETTER: f64 = 8.6;
const GAP: f64 = 4.0;

/// A horizontal axis: grid lines from `top` to `bottom`, labels below; `label` is given a tick and the distance to the
/// next.
pub(crate) fn below(
    canvas: &mut Canvas,
    scale: &Scale,
    (top, bottom): (f64, f64),
    most: usize,
    label: impl Fn(f64, f64) -> String,
) {
    canvas.group("axis x", &[]);
    let ticks = scale.ticks(most);
    let step = step(&ticks);
    let mut free = 0.0;
    for tick in ticks {
        let x = scale.at(tick);
        let text = label(tick, step);
        canvas.line("grid", (x, top), (x, bottom));
        // Near an edge a label moves inwards; where there is no room for it, only its line stands.
        let half = LETTER * width(&text) as f64 / 2.0;
        let middle = x.min(canvas.size.0 - half).max(half);
        if middle - half >= free {
            canvas.text("tick", (middle, bottom + 13.0), Anchor::Middle, &text);
            free = middle + half + GAP;
        }
    }
    canvas.end();
}

/// A vertical axis: grid lines from `left` to `right`, labels to the left.
pub(crate) fn beside(
    canvas: &mut Canvas,
    scale: &Scale,
    (left, right): (f64, f64),
    most: usize,
    label: impl Fn(f64, f64) -> String,
) {
    canvas.group("axis y", &[]);
    let ticks = scale.ticks(most);
    let step = step(&ticks);
    for tick in ticks {
        let y = scale.at(tick);
        canvas.line("grid", (left, y), (right, y));
        canvas.text("tick", (left - 5.0, y + MIDDLE), Anchor::End, &label(tick, step));
    }
    canvas.end();
}

/// The smallest distance between two ticks, which decides how many digits tell them apart.
fn step(ticks: &[f64]) -> f64 {
    let gaps = ticks.windows(2).map(|pair| pair[1] - pair[0]);
    let least = gaps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { ticks.first().map_or(1.0, |tick| tick.abs().max(1e-300)) }
}

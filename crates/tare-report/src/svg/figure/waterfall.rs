//! From a native run to one on a layer: what each kind of work adds.

use super::WIDTH;
use crate::clean::fit;
use crate::svg::canvas::{Anchor, Canvas};
use crate::svg::scale::Scale;
use crate::svg::{axis, marks};
use crate::words;
use tare_board::format::{quantity, tick};
use tare_board::{Held, Term};

const EDGES: (f64, f64) = (218.0, WIDTH - 80.0);
const LINE: f64 = 20.0;

/// Terms with a bar of their own; the others share one.
const SHOWN: usize = 6;

/// The steps of `held` in series `n`: the native run, what is added, the run on the layer.
pub(crate) fn figure(held: &Held, n: usize) -> String {
    let steps = steps(held);
    let ends: Vec<f64> = steps.iter().flat_map(|step| [step.from, step.to]).collect();
    let most = ends.iter().copied().fold(0.0, f64::max);
    let x = Scale::linear(0.0, most, EDGES);
    let bottom = 8.0 + LINE * steps.len() as f64;
    let layer = words::name(&held.layer);
    let label = format!("What makes {} on {layer}", words::name(&held.program));
    let mut canvas = Canvas::new("plot", (WIDTH, bottom + 20.0), &label);
    axis::below(&mut canvas, &x, (4.0, bottom), 5, |v, step| tick(held.unit, v, step));
    for (at, step) in steps.iter().enumerate() {
        let top = 6.0 + LINE * at as f64;
        let from = step.from.min(step.to);
        let to = step.from.max(step.to);
        canvas.group(&marks::class(if step.is_native { 0 } else { n }), &[]);
        canvas.rect("bar", (x.at(from), top), (x.at(to), top + LINE - 6.0), &[]);
        canvas.end();
        canvas.text("tick", (EDGES.0 - 6.0, top + 11.0), Anchor::End, &fit(&step.name, 30));
        let text = quantity(held.unit, step.to - step.from);
        canvas.text("tick", (EDGES.1 + 6.0, top + 11.0), Anchor::Start, &text);
    }
    canvas.finish()
}

/// A bar from one time to another.
struct Step {
    name: String,
    from: f64,
    to: f64,
    is_native: bool,
}

fn steps(held: &Held) -> Vec<Step> {
    let native = Step { name: "native".into(), from: 0.0, to: held.native_ns, is_native: true };
    let mut steps = vec![native];
    let mut at = held.native_ns;
    let mut add = |name: &str, by: f64| {
        steps.push(Step { name: name.into(), from: at, to: at + by, is_native: false });
        at += by;
    };
    let added = |term: &Term| term.layer_ns - term.baseline_ns;
    let (shown, rest) = held.terms.split_at(held.terms.len().min(SHOWN));
    shown.iter().for_each(|term| add(&term.words, added(term)));
    if !rest.is_empty() {
        add("the others", rest.iter().map(added).sum());
    }
    let name = words::name(&held.layer);
    steps.push(Step { name, from: 0.0, to: at, is_native: false });
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_board::Naive;
    use tare_proto::Unit;

    #[test]
    fn steps_lead_from_the_native_run_to_the_layers() {
        let term = |name: &str, native: f64, layer: f64| Term {
            name: name.into(),
            words: name.into(),
            count: Some(1.0),
            baseline_ns: native,
            layer_ns: layer,
            share: 0.5,
        };
        let held = Held {
            program: "program/x".into(),
            layer: "runsc".into(),
            measured: 2.0,
            predicted: 1.8,
            low: 1.5,
            high: 2.2,
            cpu: None,
            naive: Naive { ratio: None },
            floor: None,
            native_ns: 100.0,
            unit: Unit::Nanoseconds,
            terms: (0..8).map(|at| term(&format!("t{at}"), 1.0, 11.0)).collect(),
        };
        let found = steps(&held);
        let ends: Vec<(f64, f64)> = found.iter().map(|step| (step.from, step.to)).collect();
        assert_eq!(ends[..3], [(0.0, 100.0), (100.0, 110.0), (110.0, 120.0)]);
        assert_eq!(ends[7..], [(160.0, 180.0), (0.0, 180.0)]);
        assert!(figure(&held, 1).contains("the others"));
    }
}

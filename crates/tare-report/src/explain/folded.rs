//! Stacks as lines that tools for flame graphs read.

use crate::clean::clean;
use std::collections::BTreeSet;
use std::fmt::Write;
use tare_board::{Explanation, Stack};
use tare_proto::Untrusted;
use tare_proto::outside::CALLS_INTO;

/// What a line counts: shares of the time on CPUs, or of instructions, in hundredths of a percent, since those tools want whole numbers.
const WHOLE: f64 = 1e4;

/// A line for each stack, of the baselines too: `BENCHMARK;LAYER;PART;FUNCTION;… N`.
#[must_use]
pub fn stacks_text(all: &[Explanation]) -> String {
    let mut text = String::new();
    let mut told = BTreeSet::new();
    for e in all {
        let mut side = |layer: &Untrusted, share: fn(&Stack) -> f64| {
            let root =
                [clean(&e.benchmark), clean(layer)].map(|name| name.replace(CALLS_INTO, "_"));
            for stack in e.stacks().iter().filter(|stack| share(stack) > 0.0) {
                let folded = [&root[..], &[clean(&stack.folded())]].concat().join(CALLS_INTO);
                let _ = writeln!(text, "{folded} {:.0}", WHOLE * share(stack));
            }
        };
        if told.insert(e.benchmark.raw()) {
            side(&e.baseline, |stack| stack.baseline);
        }
        side(&e.layer, |stack| stack.layer);
    }
    text
}

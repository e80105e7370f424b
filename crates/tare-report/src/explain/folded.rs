//! Stacks as lines that tools for flame graphs read.

use crate::clean::clean;
use std::collections::BTreeSet;
use std::fmt::Write;
use tare_board::{Alone, Explanation, Stack};
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
        if told.insert(e.benchmark.raw()) {
            text += &lines([&e.benchmark, &e.baseline], e.stacks(), |stack| stack.baseline);
        }
        text += &lines([&e.benchmark, &e.layer], e.stacks(), |stack| stack.layer);
    }
    text
}

/// The same of the only layer of a campaign.
#[must_use]
pub fn alone_stacks_text(all: &[Alone]) -> String {
    let of = |one: &Alone| {
        let stacks = one.executed.as_ref().map_or(&[][..], |executed| &executed.stacks);
        lines([&one.benchmark, &one.layer], stacks, |stack| stack.baseline)
    };
    all.iter().map(of).collect()
}

fn lines(root: [&Untrusted; 2], stacks: &[Stack], share: fn(&Stack) -> f64) -> String {
    let root = root.map(|name| clean(name).replace(CALLS_INTO, "_"));
    let mut text = String::new();
    for stack in stacks.iter().filter(|stack| share(stack) > 0.0) {
        let folded = [&root[..], &[clean(&stack.folded())]].concat().join(CALLS_INTO);
        let _ = writeln!(text, "{folded} {:.0}", WHOLE * share(stack));
    }
    text
}

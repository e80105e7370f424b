//! Which code called which, as the clock of the CPUs found the layer's threads.

use super::seen::One;
use super::whose;
use serde::Serialize;
use std::collections::BTreeMap;
use tare_proto::Untrusted;
use tare_proto::outside::{CALLS_INTO, IN_KERNEL, Part, Seen};

/// A stack of functions, and how often the clock found it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stack {
    /// Whose threads.
    pub whose: &'static str,
    /// The functions, the outermost one first: after its file where it is known (`runsc: kernel.(*Task).run`), a file alone where it is not,
    /// and [`KERNEL`] before those of the host's kernel.
    pub frames: Vec<Untrusted>,
    /// The share of the time on CPUs of all the baseline's threads.
    pub baseline: f64,
    /// The same of the layer.
    pub layer: f64,
}

/// Before a function of the host's kernel.
pub const KERNEL: &str = "host's kernel: ";

/// Most frames of a stack and most stacks of an imported campaign that are told.
const DEEPEST: usize = 128;
const MOST: usize = 2_000;

/// All stacks that the clock found on either side, by their names.
pub(super) fn stacks(baseline: &One, layer: &One) -> Vec<Stack> {
    let mut all: BTreeMap<(Part, String), (f64, f64)> = BTreeMap::new();
    let of_part = |one: &One, part| {
        let stacks = one.of_part(Seen::Stacks, part).into_iter();
        stacks.filter(|(_, share)| share.is_finite() && *share > 0.0).collect::<Vec<_>>()
    };
    for part in Part::ALL {
        for (frames, share) in of_part(baseline, part) {
            all.entry((part, frames)).or_default().0 += share;
        }
        for (frames, share) in of_part(layer, part) {
            all.entry((part, frames)).or_default().1 += share;
        }
    }
    let told = |((part, frames), (baseline, layer)): ((Part, String), (f64, f64))| Stack {
        whose: whose(part),
        frames: frames.split(CALLS_INTO).take(DEEPEST).map(frame).collect(),
        baseline,
        layer,
    };
    all.into_iter().take(MOST).map(told).collect()
}

fn frame(name: &str) -> Untrusted {
    match name.strip_prefix(IN_KERNEL) {
        Some(function) => format!("{KERNEL}{function}").into(),
        None => name.to_owned().into(),
    }
}

impl Stack {
    /// The stack as tools that draw flame graphs read it: functions between semicolons, those of the kernel with `_[k]` behind them.
    #[must_use]
    pub fn folded(&self) -> String {
        let word = |frame: &Untrusted| match frame.raw().strip_prefix(KERNEL) {
            Some(function) => format!("{function}_[k]"),
            None => frame.raw().to_owned(),
        };
        let frames = self.frames.iter().map(word);
        std::iter::once(self.whose.to_owned()).chain(frames).collect::<Vec<_>>().join(CALLS_INTO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_folded_as_other_tools_read_it() {
        let frames = ["runsc: kernel.(*Task).run", "kernel:do_syscall_64"].map(frame).to_vec();
        let stack = Stack { whose: "the program", frames, baseline: 0.0, layer: 1.0 };
        assert_eq!(stack.folded(), "the program;runsc: kernel.(*Task).run;do_syscall_64_[k]");
        assert_eq!(stack.frames[1].raw(), "host's kernel: do_syscall_64");
    }
}

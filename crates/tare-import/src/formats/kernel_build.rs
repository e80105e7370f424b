//! A kernel's build log that ends with time(1)'s output.

use super::time;
use crate::Format;

pub const FORMAT: Format = Format {
    name: "kernel-build",
    about: "a kernel's build log timed by time(1)",
    sniff: |head| head.lines().filter(|line| step(line)).count() >= 2,
    parse: |text, sink| time::read(text, &("kernel-build", "kernel-build-parts"), sink, known),
};

/// The marks of kbuild's steps that every build has.
const STEPS: [&str; 9] = ["CC", "LD", "AR", "AS", "HOSTCC", "HOSTLD", "GEN", "UPD", "OBJCOPY"];

/// `  CC      kernel/fork.o`.
fn step(line: &str) -> bool {
    line.starts_with("  ") && STEPS.contains(&line.split_ascii_whitespace().next().unwrap_or(""))
}

/// Steps of any kind and make's own lines.
fn known(line: &str) -> bool {
    line.starts_with("  ") || line.starts_with("make") || line.starts_with("Kernel: ")
}

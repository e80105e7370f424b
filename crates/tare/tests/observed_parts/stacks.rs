//! Stacks, as text for other tools and as flame graphs on the page.

use crate::common::Bench;

/// Who called whom: in the host's kernel, and in programs with frame pointers, as Go's.
pub fn are_told(bench: &Bench, page: &str) {
    let told = bench.ok("explain c kernel/getppid --table stacks").out;
    let folded = |layer: &str| -> Vec<(&str, f64)> {
        let start = format!("kernel/getppid;{layer};");
        let own = told.lines().filter_map(|line| line.strip_prefix(&start)?.rsplit_once(' '));
        own.map(|(stack, share)| (stack, share.parse().unwrap())).collect()
    };
    let share = |layer: &str, is: fn(&str) -> bool| -> f64 {
        folded(layer).iter().filter(|(stack, _)| is(stack)).map(|(_, share)| share).sum()
    };
    for layer in ["native", "uml", "gvisor"] {
        let all = share(layer, |_| true);
        assert!((5_000.0..10_100.0).contains(&all), "{layer}: {all} of 10,000 in {told}");
    }
    let in_ptrace = |stack: &str| {
        stack.starts_with("the layer's kernel;linux") && stack.contains("sys_ptrace_[k]")
    };
    assert!(share("uml", in_ptrace) > 1_000.0, "{told}");
    // It is stripped, and carries the symbols of its kernel itself.
    let named = |stack: &str| {
        stack.starts_with("the layer's kernel;linux.uml: ") && !stack.contains("linux.uml: unknown")
    };
    assert!(share("uml", named) > 100.0, "{told}");
    let nested = |stack: &str| {
        stack.starts_with("the layer's kernel;") && stack.matches("runsc: ").count() > 2
    };
    assert!(share("gvisor", nested) > 500.0, "{told}");
    let graphs = page.matches("class=\"plot flame\"").count();
    assert!(graphs >= 3, "a flame graph of the baseline and of each layer: {graphs}");
}

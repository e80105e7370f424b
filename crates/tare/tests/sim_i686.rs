//! The 32-bit simulated machine: the probe that is built for it runs on a kernel without PAE and on one with it, and what the
//! second costs is where it must be.

mod common;

use common::{Bench, count, done, mean, series};

/// What both kernels get: figures of report 004's kind, without defences that came later.
const APPEND: &str = "append=mitigations=off transparent_hugepage=never";

/// Five boots of kernels that unpack themselves: three minutes.
#[test]
fn pae_costs_in_page_tables_and_nowhere_else() {
    let bench = Bench::new();
    let mut command = bench.command(
        "run --machine sim --baseline i686 --bench lmbench/null_call --bench lmbench/fork_exit --bench kernel/segv \
         --bench aim7/syscalls --blocks 1 --seed 5 --count --require --out c",
    );
    for name in ["i686", "i686-pae"] {
        command.args(["--layer", &format!("name={name},kind={name},{APPEND}")]);
    }
    let ended = done(command.output().expect("tare starts"));
    assert_eq!(ended.code, 0, "{}\n{}", ended.out, ended.err);
    let campaign = bench.campaign("c");
    let of = |layer, name| mean(series(&campaign, layer, name));
    let ratio = |name| of("i686-pae", name) / of("i686", name);
    assert!((ratio("lmbench/null_call") - 1.0).abs() < 0.01, "{}", ratio("lmbench/null_call"));
    assert!(ratio("lmbench/fork_exit") > 1.05, "{}", ratio("lmbench/fork_exit"));
    let counted = |name| count(series(&campaign, "i686-pae", "lmbench/null_call"), name);
    // The kernel is found in the last gigabyte, and the probe where it was linked to.
    assert!(
        counted("kernel/instructions") > 10.0 * counted("probe/instructions"),
        "the call's kernel"
    );
    assert!(counted("probe/instructions") > 0.0, "the probe's own part");
    let shown = bench.ok("show c").out;
    assert!(shown.contains("x86-64 only"), "what the target lacks has its reason: {shown}");
}

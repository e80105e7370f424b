//! What a run takes beside its time.
//!
//! The test is alone in this file so that no other campaign runs beside it: a layer that is measured weighs more than whatever else is on
//! its CPU, and would keep tare from looking at the memory.

mod common;

use common::{Bench, samples};

/// Memory that a command has taken is held by every layer, wherever that keeps it: gVisor's lies in a file that hardly any process has mapped.
/// Each of its naps wakes the host, and those of gVisor's ptrace platform at every system call as well.
#[test]
fn the_memory_of_a_run_is_that_of_the_command_and_of_the_layer() {
    let bench = Bench::new();
    bench.script(
        "take.sh",
        "exec python3 -c 'import time; x = b\"x\" * (100 << 20); time.sleep(0.5); \
         [time.sleep(0.001) for _ in range(50)]'",
    );
    let done = bench
        .ok("run --layers native,runc,runsc --blocks 1 --repeat 1 --costs --out c -- ./take.sh");
    let campaign = bench.campaign("c");
    for layer in ["native", "runc", "runsc"] {
        let bytes = samples(&campaign, "program/take-sh.memory", layer).concat();
        let taken = (100 << 20) as f64;
        assert!(!bytes.is_empty(), "{layer}\n{}", done.out);
        assert!(bytes.iter().all(|held| (taken..3.0 * taken).contains(held)), "{layer}: {bytes:?}");
    }
    let woken = |layer| samples(&campaign, "program/take-sh.wakeups", layer).concat()[0];
    assert!((51.0..150.0).contains(&woken("native")), "{}", woken("native"));
    assert!((51.0..200.0).contains(&woken("runc")), "{}", woken("runc"));
    assert!(woken("runsc") > 10.0 * woken("native"), "{}", woken("runsc"));
    assert!(done.err.contains("no row of disk, which needs --scratch disk"), "{}", done.err);
    assert!(!samples(&campaign, "program/take-sh.cpu", "runsc").concat().is_empty());
    let refused = bench.tare("run --layers native --blocks 1 --warmup 0 --costs -- true");
    assert!(refused.err.contains("--costs=cpu needs none"), "{}", refused.err);
}

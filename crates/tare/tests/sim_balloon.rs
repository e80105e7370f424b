//! Balloons of simulated machines: memory moves out of guests and in while rows are measured, and what that costs is told.

mod common;

use common::{Bench, count, flat, mean, series};
use tare_proto::BALLOON_COUNTER;

/// Xen's first domain as the control and a second one whose balloon moves: three boots, some two minutes.
#[test]
fn a_balloon_that_moves_costs_instructions_and_one_that_does_not_moves_nothing() {
    let bench = Bench::new();
    let done = bench.ok(
        "run --machine sim --layer name=idle,kind=xen-pv,balloon=0/5ms \
         --layer name=moving,kind=xen-domu,balloon=2M/5ms --baseline idle --bench sysbench/memory_read \
         --load 1 --blocks 1 --seed 5 --require --out c",
    );
    let campaign = bench.campaign("c");
    let row = |layer: &str| series(&campaign, layer, "sysbench/memory_read");
    assert_eq!(count(row("idle"), BALLOON_COUNTER), 0.0);
    assert!(count(row("moving"), BALLOON_COUNTER) > 0.0);
    assert!(mean(row("moving")) < 0.95 * mean(row("idle")), "what moves pages reads less memory");
    assert!(flat(&done.out).contains("pages in 10⁹ instructions, "), "{}", done.out);
}

//! Balloons: memory moves out of guests and in while rows are measured, and what that costs is told.

mod common;
mod layers_common;

use common::{Bench, count, flat, mean, series};
use layers_common::{LONG, Place, layer, null_call};
use std::time::{Duration, Instant};
use tare_layers::Answer;
use tare_proto::BALLOON_COUNTER;

const SOON: Duration = Duration::from_secs(10);

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

#[test]
fn the_host_moves_the_memory_of_guests() {
    let place = Place::new();
    for (name, counts) in [("qemu,balloon=64M/10ms", true), ("uml,balloon=64M/10ms", false)] {
        let mut session = place.start(&*layer(name), None).unwrap();
        session.greet(LONG).unwrap();
        let late = Instant::now() + LONG;
        loop {
            let series = match session.measure(&null_call(3, 100), LONG).unwrap() {
                Answer::Series(series, _) => series,
                other => panic!("{name}: {other:?}\n{}", session.console_tail()),
            };
            let moved = series.counters.iter().find(|counter| counter.name == BALLOON_COUNTER);
            assert_eq!(moved.is_some(), counts, "{name}");
            let worked = session.peer_cpu_time().is_some_and(|used| !used.is_zero());
            if moved.is_none_or(|moved| moved.value > 0.0) && worked {
                break;
            }
            assert!(Instant::now() < late, "{name}: nothing moved");
        }
        assert!(session.end(SOON).left.is_empty());
        place.assert_clean(name);
    }
}

#[test]
fn a_layer_without_a_balloon_and_one_that_is_too_large_are_refused() {
    let bench = Bench::new();
    let refused = |layer: &str| bench.tare(&format!("run --layer {layer} --out c")).err;
    assert!(refused("native,balloon=2M/5ms").contains("no setting 'balloon'"));
    assert!(refused("qemu,balloon=257M/5ms").contains("more than half of the guest's 512 MiB"));
    assert!(refused("uml,balloon=8/5ms").contains("SIZE/PERIOD"));
}

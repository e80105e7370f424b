//! Balloons: the host moves the memory of guests, and a layer that has none is refused.

mod common;
mod layers_common;

use common::Bench;
use layers_common::{LONG, Place, layer, null_call};
use std::time::{Duration, Instant};
use tare_layers::Answer;
use tare_proto::BALLOON_COUNTER;

const SOON: Duration = Duration::from_secs(10);

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

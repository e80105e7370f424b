//! A repetition of a campaign is judged bit by bit, and the first difference of each series is named.

mod common;

use common::{bench, boot, empty, hello, layer, series};
use tare_board::{Repetition, repetition};
use tare_proto::{Counter, Hello, Unit};
use tare_store::{Campaign, Role};

/// Two benchmarks on two layers in one block, the first layer twice.
fn campaign() -> Campaign {
    let layers = vec![layer("native", "native"), layer("xen", "xen-pv")];
    let benches = ["a", "b"].map(|name| bench(name, "vmi", Unit::Instructions));
    let mut campaign = empty(1, layers, benches.into());
    for (at, role) in [(0, Role::Weigh), (1, Role::Weigh), (0, Role::Floor)] {
        let hello = Hello { main_ns: 1000 + at as u64, ..hello() };
        let boot = boot(&mut campaign, 0, at, role, hello);
        for benchmark in [0, 1] {
            series(&mut campaign, boot, benchmark, vec![1.0, 2.0, 0.1 + at as f64]);
        }
    }
    campaign.series[3].counters = vec![Counter { name: "kernel/instructions".into(), value: 7.0 }];
    campaign
}

/// Where, what, before and after of every difference.
fn told(found: &Repetition) -> Vec<String> {
    let one = |d: &tare_board::Unequal| {
        let row = d.benchmark.as_deref().unwrap_or("boot");
        format!("{} {:?} {row} {}: {} {}", d.layer.raw(), d.role, d.what, d.recorded, d.repeated)
    };
    found.differences.iter().map(one).collect()
}

#[test]
fn the_same_campaign_in_another_order_of_layers_is_exact() {
    let before = campaign();
    let mut after = campaign();
    after.layers.swap(0, 1);
    after.boots.iter_mut().for_each(|boot| boot.layer = 1 - boot.layer);
    // What the host's clock says is no part of it.
    after.series.iter_mut().for_each(|row| row.host_ns += 1);
    let found = repetition(&before, &after);
    assert!(found.is_exact(), "{found:?}");
    assert_eq!((found.series, found.same_series, found.boots, found.same_boots), (6, 6, 3, 3));
}

#[test]
fn the_last_bit_of_a_sample_a_counter_and_a_beginning_are_named() {
    let before = campaign();
    let mut after = campaign();
    let sample = &mut after.series[1].samples[2];
    *sample = f64::from_bits(sample.to_bits() + 1);
    after.series[3].counters[0].value = 8.0;
    after.boots[2].hello.as_mut().expect("a greeting").main_ns += 1;
    let found = repetition(&before, &after);
    let expected = [
        "native Weigh b samples[2]: 0.1 0.10000000000000002",
        "native Floor boot main_ns: 1000 1001",
        "xen Weigh b counter kernel/instructions: 7.0 8.0",
    ];
    assert_eq!(told(&found), expected);
    assert_eq!((found.same_series, found.same_boots), (4, 2));
}

#[test]
fn what_one_of_both_lacks_is_a_difference_unless_its_block_was_cut_off() {
    let mut before = campaign();
    let lacking = before.series.pop().expect("a series");
    let told_of = |before: &Campaign| told(&repetition(before, &campaign()));
    assert_eq!(told_of(&before), ["native Floor b series: none Measured"]);
    before.open_blocks = vec![0];
    assert_eq!(told_of(&before), [""; 0]);
    before.series.push(lacking);
    let mut after = campaign();
    after.series.pop();
    after.boots[1].attempt = 2;
    after.series[3].probe_ns += 1;
    let expected = [
        "native Floor b series: Measured none",
        "xen Weigh boot attempt: 1 2",
        "xen Weigh b probe_ns: 500000000 500000001",
    ];
    assert_eq!(told(&repetition(&before, &after)), expected);
}

//! Comparisons of campaigns made by hand, and the gate's directions.

mod common;

use tare_board::{CompareOptions, Condition, Judged, Options, compare};
use tare_proto::Unit;
use tare_store::{Campaign, Role};

/// Eight blocks of a time, a rate and a size; `change` multiplies what `uml` shows.
fn campaign(salt: usize, change: f64) -> Campaign {
    let layers = vec![common::layer("native", "native"), common::layer("uml", "uml")];
    let benches = vec![
        common::bench("a/time", "a", Unit::Nanoseconds),
        common::bench("a/rate", "a", Unit::PerSecond),
        common::bench("a/size", "a", Unit::Bytes),
    ];
    let mut campaign = common::empty(8, layers, benches);
    for block in 0..8_usize {
        for (layer, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let at = common::boot(&mut campaign, block as u32, layer, role, common::hello());
            for bench in 0..3 {
                let noise = 1.0 + 0.005 * common::wobble(at + 1000 * salt, bench, 0);
                let value = 1000.0 * noise * if layer == 1 { change } else { 1.0 };
                common::series(&mut campaign, at, bench, vec![value; 3]);
            }
        }
    }
    campaign
}

#[test]
fn times_rates_and_sizes_fail_in_their_own_words() {
    let conditions = ["slower > 3%", "faster > 3%", "heavier > 3%", "lighter > 3%"];
    let failing = |change: f64| -> Vec<Vec<String>> {
        let (before, after) = (campaign(1, 1.0), campaign(2, change));
        let fail_if = conditions.map(|text| text.parse().expect("a condition")).to_vec();
        let options = Options::from_plan(&before.plan);
        let wanted = CompareOptions { options, by: None, fail_if, fail_undecided: false };
        let said = compare(("before", &before), ("after", &after), &wanted).expect("comparable");
        let gate = said.gate.expect("asked");
        let names = |judged: &Judged| {
            judged.failing.iter().map(|row| row.benchmark.raw().to_owned()).collect()
        };
        gate.conditions.iter().map(names).collect()
    };
    let (time, rate, size) = (["a/time"], ["a/rate"], ["a/size"]);
    let none: [&str; 0] = [];
    let up: [&[&str]; 4] = [&time, &rate, &size, &none];
    let down: [&[&str]; 4] = [&rate, &time, &none, &size];
    assert_eq!(failing(1.1), up);
    assert_eq!(failing(1.0 / 1.1), down);
    assert_eq!(failing(1.0), [none; 4]);
}

#[test]
fn a_condition_reads_as_it_was_written() {
    for text in [
        "slower > 3%",
        "different > 0%",
        "lighter > 12.5%",
        "slower > 3% of a/time",
        "slower > 3% on runc",
        "slower > 3% of a/time@4 on runc",
    ] {
        assert_eq!(text.parse::<Condition>().expect(text).to_string(), text);
    }
    assert_eq!(" faster>2 % ".parse::<Condition>().expect("spaces").to_string(), "faster > 2%");
    for wrong in [
        "",
        "slower",
        "slower > ",
        "slower > x%",
        "slower > inf%",
        "lighter > 100%",
        "slower > 3% of",
        "slower > 3% on a of b",
    ] {
        assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
    }
}

/// Two figures of docs/statistics.md, "Power".
#[test]
fn the_blocks_that_the_docs_promise() {
    let blocks = |half_width| tare_stats::blocks_needed(0.02 * 1.5_f64.sqrt(), half_width, 0.95);
    let docs = include_str!("../../../docs/statistics.md");
    let (two, one) = (blocks(0.02).expect("some"), blocks(0.01).expect("some"));
    assert!(docs.contains(&format!("± 2% takes {two} blocks, ± 1% takes {one}")), "{two}, {one}");
}

//! Small campaigns, each about one thing that is told of it.

use super::*;
use tare_proto::outside::{OPERATIONS, Part, SYSTEM, Seen, WHOLE};
use tare_proto::{Counter, Unit};
use tare_store::{Campaign, IMPORTED, Outcome, Role};

/// A baseline and one layer on one benchmark, `value(block, layer)`.
pub fn pair_of(kinds: [&str; 2], blocks: u32, value: impl Fn(u32, usize) -> f64) -> Campaign {
    let layers = kinds.map(|kind| layer(kind, kind)).to_vec();
    let mut campaign = empty(blocks, layers, vec![bench("a/b", "a", Unit::Nanoseconds)]);
    for block in 0..blocks {
        for (at, role) in [(0, Role::Weigh), (0, Role::Floor), (1, Role::Weigh)] {
            let boot = boot(&mut campaign, block, at, role, hello());
            series(&mut campaign, boot, 0, vec![value(block, at); 4]);
        }
    }
    campaign
}

/// What is left of an operation, and what was subtracted, on the baseline and on the layer; a second row that needs no
/// subtraction is twice as slow on the layer.
pub fn with_subtracted(base: (f64, f64), other: (f64, f64)) -> Campaign {
    let layers = vec![layer("native", "native"), layer("runsc", "runsc")];
    let benches = ["lmbench/ctx", "lmbench/null"].map(|b| bench(b, "lmbench", Unit::Nanoseconds));
    let mut campaign = empty(8, layers, benches.to_vec());
    for block in 0..8 {
        for (at, role, (left, subtracted)) in
            [(0, Role::Weigh, base), (0, Role::Floor, base), (1, Role::Weigh, other)]
        {
            let boot = boot(&mut campaign, block, at, role, hello());
            let noise = 1.0 + 0.001 * wobble(boot, 0, 0);
            series(&mut campaign, boot, 0, vec![left * noise; 3]);
            campaign.series.last_mut().expect("a series").subtracted = subtracted;
            series(&mut campaign, boot, 1, vec![(1.0 + at as f64) * 100.0 * noise; 3]);
        }
    }
    campaign
}

/// A campaign whose host watched its two layers: in the second one half of the time is a function's that the baseline has not.
pub fn watched() -> Campaign {
    let mut campaign =
        pair_of(["native", "runc"], 3, |block, at| (100.0 + f64::from(block)) * (1.0 + at as f64));
    let time = Seen::Time.counter(Part::Program, SYSTEM);
    for row in &mut campaign.series {
        let at = campaign.boots[row.boot].layer;
        let stacks = [("app", 1.0 - 0.5 * at as f64), ("app;kernel:<slow>", 0.5 * at as f64)];
        let stacks = stacks
            .map(|(stack, share)| Counter::new(&Seen::Stacks.counter(Part::Program, stack), share));
        let counts = [
            (OPERATIONS, 1000.0),
            (WHOLE, 100.0 * (1.0 + at as f64)),
            (&*time, 100.0 * (1.0 + at as f64)),
        ];
        row.counters.extend(counts.map(|(name, value)| Counter::new(name, value)));
        row.counters.extend(stacks.into_iter().filter(|stack| stack.value > 0.0));
    }
    campaign
}

/// Runs of a benchmark on two imported layers.
pub const ONE: [&[f64]; 2] = [&[100.0, 104.0, 98.0, 101.0, 103.0], &[150.0, 171.0, 158.0]];
/// Those of another.
pub const TWO: [&[f64]; 2] = [&[10.0, 10.4, 9.9, 10.2, 10.1], &[31.0, 29.0, 30.5]];

/// Two imported layers, two benchmarks: a block holds the n-th runs.
pub fn imported(rows: [[&[f64]; 2]; 2]) -> Campaign {
    let layers = vec![layer("native", IMPORTED), layer("b", IMPORTED)];
    let benches =
        ["t/one", "t/two"].map(|name| bench(name, "t", Unit::Nanoseconds)).into_iter().collect();
    let mut campaign = empty(5, layers, benches);
    for block in 0..5 {
        for layer in [0, 1] {
            let runs: Vec<(usize, f64)> = (0..2)
                .filter_map(|row| Some((row, *rows[row][layer].get(block as usize)?)))
                .collect();
            if runs.is_empty() {
                continue;
            }
            let at = boot(&mut campaign, block, layer, Role::Weigh, hello());
            for (row, value) in runs {
                series(&mut campaign, at, row, vec![value]);
            }
        }
    }
    campaign
}

/// Report 003's native POWER8 with one copy: baseline, result, and the index as printed.
pub const PUBLISHED: [(f64, f64, f64); 12] = [
    (116_700.0, 29_813_165.1, 2554.7),
    (55.0, 4052.8, 736.9),
    (43.0, 1236.7, 287.6),
    (3960.0, 624_721.1, 1577.6),
    (1655.0, 161_424.4, 975.4),
    (5800.0, 1_967_152.4, 3391.6),
    (12_440.0, 1_471_144.3, 1182.6),
    (4000.0, 181_574.9, 453.9),
    (126.0, 9996.8, 793.4),
    (42.4, 4032.4, 951.0),
    (6.0, 1456.7, 2427.9),
    (15_000.0, 1_498_750.4, 999.2),
];

/// The published results on `native`, half of them on `guest`, which lacks the last.
pub fn published() -> Campaign {
    let rows = (0..12).map(|at| bench(&format!("unixbench/b{at}"), "unixbench", Unit::PerSecond));
    let layers = vec![layer("native", "native"), layer("guest", "uml")];
    let mut campaign = empty(1, layers, rows.collect());
    let boots = [0, 1].map(|layer| boot(&mut campaign, 0, layer, Role::Weigh, hello()));
    for (at, (baseline, result, _)) in PUBLISHED.iter().enumerate() {
        for (layer, share) in [1.0, 0.5].into_iter().enumerate() {
            if (layer, at) == (1, 11) {
                absent(&mut campaign, boots[layer], at, Outcome::Unavailable, "no such call");
                continue;
            }
            series(&mut campaign, boots[layer], at, vec![result * share; 3]);
            let counters = &mut campaign.series.last_mut().unwrap().counters;
            counters.push(Counter::new("index_baseline", *baseline));
        }
    }
    campaign
}

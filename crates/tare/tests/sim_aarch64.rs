//! The simulated ARM machine: its probe runs there, what it measures is what its own performance monitor counts, and it repeats.

mod common;

use common::{Bench, count, flat, mean, samples, series};

/// Three boots, twice: under a minute.
#[test]
fn an_arm_machine_measures_what_its_own_counters_count() {
    let bench = Bench::new();
    bench.ok(
        "run --machine sim --layers aarch64 --layer name=again,kind=aarch64 --baseline aarch64 --bench lmbench/null_call \
         --bench lmbench/fork_exit --blocks 1 --seed 5 --explain --require --out c",
    );
    let campaign = bench.campaign("c");
    let rows = ["lmbench/null_call", "lmbench/fork_exit"];
    for row in rows {
        let [once, again] = ["aarch64", "again"].map(|layer| samples(&campaign, row, layer));
        assert_eq!(once[0], again[0], "{row} repeats");
    }
    let of = |row: &str| {
        let series = series(&campaign, "aarch64", row);
        let counted = |mode: &str| count(series, &format!("perf/{mode}/instructions"));
        (counted("user"), counted("kernel"), mean(series))
    };
    // The counters are read in batches of their own, after the samples.
    let (user, kernel, value) = of(rows[0]);
    assert!(((user + kernel) / value - 1.0).abs() < 0.05, "{user} and {kernel} of {value}");
    assert!(user > 0.0 && kernel > 10.0 * user, "{user} and {kernel}");
    // What the kernel does for nobody is in no counter of a process.
    let (user, kernel, value) = of(rows[1]);
    assert!((0.7..1.0).contains(&((user + kernel) / value)), "{user} and {kernel} of {value}");
    // The same once more, from its record.
    let repeated = bench.ok("verify c").out;
    assert!(repeated.contains("6 of 6 series are the same"), "{repeated}");
    assert!(flat(&repeated).contains("initramfs (aarch64, again)"), "{repeated}");
    assert!(!repeated.contains("Not in the record"), "{repeated}");
}

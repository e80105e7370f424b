//! Layers inside the simulated machine: a system call costs several times more in each, the counts say where, and what
//! fails in there is told.

mod common;

use common::Bench;
use std::os::unix::fs::PermissionsExt;
use tare_store::{Campaign, SeriesRow};

const BENCH: &str = "lmbench/null_call";

/// Two boots of each layer (one to try it, one that counts) and a third of the baseline: some two minutes.
#[test]
fn a_system_call_costs_more_inside_and_the_counts_say_where() {
    let bench = Bench::new();
    bench.ok(&format!(
        "run --machine sim --layers native,uml,runsc --bench {BENCH} --blocks 1 --seed 1 --count --require --out c"
    ));
    let campaign = bench.campaign("c");
    let of = |layer| series(&campaign, layer);
    let user = |layer| count(of(layer), "user/instructions");
    let kernel = |layer| count(of(layer), "kernel/instructions");
    let bare = mean(of("native"));
    for layer in ["uml", "runsc"] {
        let inside = mean(of(layer));
        assert!(inside > 10.0 * bare, "{layer}: {inside}, bare {bare}");
        // What it adds is its own kernel, a program, and what the machine's kernel does for that.
        assert!(user(layer) > 100.0, "{layer}: {}", user(layer));
        assert!(kernel(layer) > 5.0 * kernel("native"), "{layer}: {}", kernel(layer));
        // More than its own call: the layer's calls to the machine's kernel.
        assert!(count(of(layer), "user/syscalls") > 1.0, "{layer}");
        let places = ["probe", "user", "kernel", "hypervisor"];
        let sum: f64 = places.iter().map(|p| count(of(layer), &format!("{p}/instructions"))).sum();
        assert!((sum / inside - 1.0).abs() < 0.01, "{layer}: {sum} of {inside}");
    }
    assert_eq!(user("native"), 0.0, "nothing but the probe runs there");
}

#[test]
fn what_fails_inside_is_told_with_a_remedy() {
    let bench = Bench::new();
    let done = bench.tare("doctor --machine sim runsc,platform=none");
    assert_eq!(done.code, 4, "{}", done.out);
    assert!(done.out.contains("/usr/bin/runsc"), "{}", done.out);
    assert!(done.out.contains("exit status: 128"), "{}", done.out);
    assert!(done.out.contains("remedy: use a platform that this runsc has"), "{}", done.out);
}

#[test]
fn a_package_that_cannot_be_had_is_named() {
    let bench = Bench::new();
    let offline = bench.write("apt-get", "#!/bin/sh\necho 'E: Temporary failure' >&2\nexit 100\n");
    std::fs::set_permissions(&offline, PermissionsExt::from_mode(0o755)).unwrap();
    let folder = offline.parent().unwrap().display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    for (layer, package) in [("uml", "libc6"), ("runsc", "runsc")] {
        let line = format!("doctor --machine sim {layer},kernel={}", env!("CARGO_BIN_EXE_tare"));
        let mut command = bench.command(&line);
        command.env("PATH", &path).env("TARE_CACHE", bench.path("empty"));
        let done = common::done(command.output().expect("tare starts"));
        assert_eq!(done.code, 4, "{}", done.out);
        let told = format!("the package {package} cannot be had: apt-get: E: Temporary failure");
        assert!(done.out.replace("\n", " ").contains(&told), "{}", done.out);
        assert!(done.out.contains("as root: apt-get update"), "{}", done.out);
    }
}

/// The layer's one series; of the baseline the first.
fn series<'a>(campaign: &'a Campaign, layer: &str) -> &'a SeriesRow {
    let of = |row: &&SeriesRow| campaign.layers[campaign.boots[row.boot].layer].name == layer;
    campaign.series.iter().find(of).unwrap_or_else(|| panic!("no series of {layer}"))
}

fn mean(series: &SeriesRow) -> f64 {
    series.samples.iter().sum::<f64>() / series.samples.len() as f64
}

fn count(series: &SeriesRow, name: &str) -> f64 {
    series.counters.iter().find(|counter| counter.name == name).map_or(0.0, |c| c.value)
}

//! The campaigns of docs/complaints.md, in short form: they are read as they stand, and their layers and rows are those that the page tells of.

mod common;

use common::{Bench, done, gvisor, path_with, samples};
use std::path::Path;
use tare_store::Campaign;

/// One block of a complaint's campaign, with more flags.
fn measured(bench: &Bench, name: &str, flags: &str) -> Campaign {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/complaints");
    let config =
        std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("the campaign");
    // One block shows no claim.
    let short: Vec<&str> = config.lines().filter(|line| !line.starts_with("fail-if")).collect();
    let config = bench.write("short.toml", &short.join("\n"));
    let line =
        format!("run --require --config {} --blocks 1 {flags} --out {name}", config.display());
    let path = path_with(gvisor().parent().expect("its folder"));
    let ran = done(bench.command(&line).env("PATH", path).output().expect("tare starts"));
    assert_eq!(ran.code, 0, "{line}\n{}\n{}", ran.out, ran.err);
    bench.campaign(name)
}

#[test]
fn nspawn_is_the_same_program_with_its_filters_and_without() {
    let bench = Bench::new();
    let campaign = measured(&bench, "nspawn-seccomp", "");
    for layer in ["without", "nspawn"] {
        assert!(!samples(&campaign, "start/warm", layer).concat().is_empty(), "{layer}");
    }
    let all = campaign.layers.iter().flat_map(|layer| &layer.artifacts);
    let programs: Vec<_> = all.filter(|file| file.role == "runtime").collect();
    assert_eq!(programs.len(), 2, "{programs:?}");
    assert_eq!(programs[0].path, programs[1].path, "not the program env");
}

#[test]
fn a_limit_of_a_million_costs_a_program_that_closes_all_and_not_the_container() {
    let bench = Bench::new();
    let flags = "--layers native,runc";
    let campaign = measured(&bench, "close-descriptors", flags);
    for layer in ["native", "runc"] {
        let of = |row: &str| samples(&campaign, row, layer).concat();
        let (few, many) = (of("program/close-1024"), of("program/close-1048576"));
        let slowest = few.iter().fold(0.0, |most: f64, ns| most.max(*ns));
        assert!(!many.is_empty() && many.iter().all(|ns| *ns > slowest), "{few:?} {many:?}");
    }
}

#[test]
fn memory_that_is_only_read_is_resident_in_gvisor_alone() {
    let bench = Bench::new();
    let campaign = measured(&bench, "gvisor-untouched-memory", "");
    let resident = |layer: &str| samples(&campaign, "program/untouched.resident", layer).concat();
    let read = f64::from(256 << 20);
    for layer in ["native", "runc"] {
        let there = resident(layer);
        assert!(!there.is_empty() && there.iter().all(|bytes| *bytes < read / 2.0), "{there:?}");
    }
    let there = resident("runsc");
    assert!(!there.is_empty() && there.iter().all(|bytes| *bytes > read), "{there:?}");
}

#[test]
fn crun_and_runc_are_started_entered_and_removed() {
    let bench = Bench::new();
    let campaign = measured(&bench, "crun-start", "");
    for row in ["start/warm", "sandbox/exec", "sandbox/task"] {
        for layer in ["runc", "crun"] {
            assert!(!samples(&campaign, row, layer).concat().is_empty(), "{row} on {layer}");
        }
    }
}

#[test]
fn what_native_reads_comes_from_a_disk_and_is_counted() {
    let bench = Bench::new();
    let campaign = measured(&bench, "disk-cache", "--layers native --bench disk/randread_4k");
    let shares = campaign.series.iter().flat_map(|series| &series.counters);
    let shares: Vec<f64> =
        shares.filter(|it| it.name == "disk_bytes_per_byte").map(|it| it.value).collect();
    assert!(!shares.is_empty() && shares.iter().all(|share| *share > 0.5), "{shares:?}");
}

//! `tare resume` over scripted layers: what earlier runs found out holds, and what they left open stays open.

mod common;

use common::{Bench, cache};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tare_store::{Campaign, Outcome};

const BASE: &str = "--layer name=base,kind=mock --baseline base --bench lmbench/null_call";

/// Boots of the layer beside the baseline, as their blocks and attempts.
fn boots(campaign: &Campaign) -> Vec<(u32, u32)> {
    let of_layer = campaign.boots.iter().filter(|boot| boot.layer == 1);
    of_layer.map(|boot| (boot.block, boot.attempt)).collect()
}

fn probe() -> PathBuf {
    let files = fs::read_dir(cache()).unwrap().flatten().map(|entry| entry.path());
    let probe = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("tare-probe") && path.metadata().unwrap().permissions().mode() & 0o111 != 0
    };
    files.filter(probe).max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap()
}

#[test]
fn a_layer_that_was_given_up_is_neither_booted_again_nor_filled_into_old_blocks() {
    let bench = Bench::new();
    bench.ok("list"); // unpacks the probe
    // Greets once, which is its trial, and never again.
    let mark = bench.path("tried");
    let probe = probe();
    let text = format!("mkdir {} && exec {} serve; exit 1", mark.display(), probe.display());
    let script = bench.write("once.sh", &text);
    let layer = format!("name=once,kind=mock,command=sh {}", script.display());
    let run = bench.tare_with(&format!("run {BASE} --blocks 1 --out c --layer"), &[&layer]);
    assert_eq!(run.code, 4, "{}", run.err);
    let twice = |block: u32| [(block, 1), (block, 2)];
    assert_eq!(boots(&bench.campaign("c")), twice(0));
    // The second block in which it does not boot is the last.
    bench.fails("resume c --blocks 2", 4, "Nothing could be compared");
    let given_up = [twice(0), twice(1)].concat();
    assert_eq!(boots(&bench.campaign("c")), given_up);
    bench.fails("resume c --blocks 4", 4, "Nothing could be compared");
    let campaign = bench.campaign("c");
    assert_eq!(boots(&campaign), given_up);
    assert_eq!(campaign.boots.len(), given_up.len() + 4 * 2, "the baseline goes on");
    assert!(campaign.warnings.iter().any(|warning| warning.text.raw().contains("left out")));
}

#[test]
fn what_ended_a_layer_twice_is_not_asked_of_it_by_a_later_run() {
    let bench = Bench::new();
    bench.ok(&format!(
        "run {BASE} --layer name=bad,kind=mock,fault=die --layer name=good,kind=mock --blocks 1 --out c"
    ));
    assert_eq!(boots(&bench.campaign("c")), [(0, 1), (0, 2)]);
    let resumed = bench.ok("resume c --blocks 3");
    let campaign = bench.campaign("c");
    assert_eq!(boots(&campaign), [(0, 1), (0, 2), (1, 1), (2, 1)]);
    let of_bad = campaign.series.iter().filter(|s| campaign.boots[s.boot].layer == 1);
    assert_eq!(of_bad.filter(|s| s.outcome == Outcome::Failed).count(), 3);
    // No line for the block that an earlier run has finished.
    assert!(!resumed.err.contains("block 1/"), "{}", resumed.err);
    assert!(resumed.err.contains("block 2/3"), "{}", resumed.err);
    bench.ok("resume c --blocks 2");
    assert_eq!(bench.campaign("c"), campaign, "no more was asked for");
}

//! However a campaign ends, what was measured is kept, nothing is left behind, and it can go on.

mod common;

use common::{Bench, done, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use tare_store::{Campaign, FILE, load};

/// Native boots: real keepers, real probes, real folders.
const NATIVE: &str = "run --layers native --bench lmbench/* --seed 3 --blocks 8 --out c";

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).expect("our own child");
}

/// Waits until the campaign in `dir` holds `count` series.
fn wait_for_series(dir: &Path, count: usize) {
    wait_until("series in the campaign", || {
        dir.join(FILE).exists() && load(dir).is_ok_and(|campaign| campaign.series.len() >= count)
    });
}

/// Command lines of the processes whose environment or arguments come from this test's folder.
fn processes_of(bench: &Bench) -> Vec<String> {
    let mark = bench.path("").display().to_string();
    let marked = |pid: &str| {
        let read = |what: &str| fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
        let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        (line.contains(mark.trim_end_matches('/'))
            || environment.contains(mark.trim_end_matches('/')))
        .then_some(line)
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.parse::<u32>().is_ok()).filter_map(|pid| marked(&pid)).collect()
}

/// Starts `line` with all its temporary files in a folder of this test.
fn start_contained(bench: &Bench, line: &str) -> Child {
    let tmp = bench.path("tmp");
    fs::create_dir_all(&tmp).unwrap();
    bench.command(line).env("TMPDIR", &tmp).spawn().expect("tare starts")
}

fn wait_until_nothing_is_left(bench: &Bench, tare: u32) {
    wait_until("every process of the campaign ends", || processes_of(bench).is_empty());
    wait_until("the boots' folders are removed", || {
        fs::read_dir(bench.path("tmp")).unwrap().flatten().count() == 0
    });
    let shared = fs::read_dir("/dev/shm").unwrap().flatten();
    let ours: Vec<_> = shared
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(&format!("tare-{tare}-")))
        .collect();
    assert!(ours.is_empty(), "left in /dev/shm: {ours:?}");
}

/// Every benchmark is measured exactly once in every block and role.
fn assert_complete(campaign: &Campaign, blocks: u32) {
    let mut times = HashMap::new();
    for series in &campaign.series {
        let boot = &campaign.boots[series.boot];
        *times.entry((boot.block, boot.layer, boot.role, series.benchmark)).or_insert(0) += 1;
    }
    assert!(times.values().all(|&count| count == 1), "something was measured twice");
    let boots = campaign.layers.len() + 1;
    assert_eq!(times.len(), blocks as usize * boots * campaign.benchmarks.len());
}

#[test]
fn killed_at_any_instant_it_loses_nothing_and_resumes() {
    let bench = Bench::new();
    let mut child = start_contained(&bench, NATIVE);
    wait_for_series(&bench.path("c"), 25);
    signal(&child, Signal::SIGKILL);
    child.wait().unwrap();
    wait_until_nothing_is_left(&bench, child.id());
    let before = bench.campaign("c");
    assert_eq!(before.state, "running", "as the kill left it");
    bench.ok("show c");

    // Twice: a campaign may be killed while it is being resumed.
    let mut again = start_contained(&bench, "resume c");
    wait_for_series(&bench.path("c"), before.series.len() + 10);
    signal(&again, Signal::SIGKILL);
    again.wait().unwrap();
    wait_until_nothing_is_left(&bench, again.id());

    bench.ok("resume c");
    let after = bench.campaign("c");
    assert_eq!(after.state, "finished");
    assert_complete(&after, 8);
    assert_eq!(after.series[..before.series.len()], before.series[..], "nothing recorded was lost");
    bench.ok("resume c");
    assert_eq!(
        bench.campaign("c").series.len(),
        after.series.len(),
        "a finished one stays as it is"
    );
    bench.ok("resume c --blocks 9");
    assert_complete(&bench.campaign("c"), 9);
}

#[test]
fn interrupted_it_prints_what_it_has_and_says_how_to_go_on() {
    let bench = Bench::new();
    let child = start_contained(&bench, NATIVE);
    let pid = child.id();
    wait_for_series(&bench.path("c"), 80);
    signal(&child, Signal::SIGINT);
    let ended = done(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{}", ended.err);
    assert!(ended.err.contains("tare resume c"), "{}", ended.err);
    assert!(ended.out.contains("null_call"), "no scoreboard:\n{}", ended.out);
    wait_until_nothing_is_left(&bench, pid);
    assert_eq!(bench.campaign("c").state, "interrupted");
    bench.ok("resume c");
    assert_complete(&bench.campaign("c"), 8);
}

#[test]
fn a_directory_is_never_run_twice_at_once_or_over() {
    let bench = Bench::new();
    let mut child = start_contained(&bench, NATIVE);
    wait_for_series(&bench.path("c"), 1);
    let busy = bench.tare("resume c");
    assert_eq!(busy.code, 1);
    assert!(busy.err.contains("in use by another tare"), "{}", busy.err);
    signal(&child, Signal::SIGKILL);
    child.wait().unwrap();
    wait_until_nothing_is_left(&bench, child.id());
    let over = bench.tare(NATIVE);
    assert_eq!(over.code, 1);
    assert!(over.err.contains("already holds a campaign"), "{}", over.err);
}

#[test]
fn a_damaged_campaign_is_named() {
    let bench = Bench::new();
    fs::create_dir(bench.path("c")).unwrap();
    bench.write("c/campaign.db", "SQLite format 3, but not really: this is text and nothing else");
    for verb in ["show", "resume"] {
        let refused = bench.tare(&format!("{verb} c"));
        assert_eq!(refused.code, 1);
        assert!(refused.err.contains("campaign.db"), "{}", refused.err);
    }
}

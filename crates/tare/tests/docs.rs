//! The shell blocks of the documentation that are marked as tested are executed, each in a folder of its own.

mod common;

use common::{Bench, done};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MARK: &str = "<!-- tested -->\n```sh\n";

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.clone(), root.join("docs")];
    let entries = folders.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

#[test]
fn what_is_marked_as_tested_works() {
    let program = Path::new(env!("CARGO_BIN_EXE_tare")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split(MARK).skip(1) {
            let script = block.split("```").next().unwrap();
            let bench = Bench::new();
            let mut shell = Command::new("bash");
            shell.args(["-eu", "-o", "pipefail", "-c", script]).current_dir(bench.path(""));
            shell.env("PATH", &path).env("TARE_CACHE", common::cache()).stdin(Stdio::null());
            let done = done(shell.output().unwrap());
            assert_eq!(done.code, 0, "{}\n{script}\n{}\n{}", page.display(), done.out, done.err);
            ran += 1;
        }
    }
    assert!(ran > 0, "no block is marked");
}

/// `cargo xtask figures` draws what is committed.
#[test]
fn figures_are_those_of_their_recorded_campaigns() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figures");
    let bench = Bench::new();
    let mut drawn = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let campaign = entry.unwrap().path();
        if campaign.join("campaign.db").is_file() {
            let line = format!("report {} --format svg", campaign.display());
            let committed = fs::read_to_string(campaign.with_extension("svg")).unwrap();
            let why = "the figure is not that of its campaign: cargo xtask figures";
            assert!(bench.ok(&line).out == committed, "{}: {why}", campaign.display());
            drawn += 1;
        }
    }
    assert!(drawn > 0, "there is no figure");
}

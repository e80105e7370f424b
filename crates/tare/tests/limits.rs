//! A host that gives tare little: few processes, a variable that says nothing.

mod common;

use common::{Bench, done, flat, set_mode};
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::process::Command;

const RUN: &str = "run --layers native --bench lmbench/null_call --series 1ms --blocks 1 --out";

/// A user whom no process belongs to, as far as anybody knows.
const USER: u32 = 61_537;

#[test]
fn an_empty_variable_for_temporary_files_means_the_usual_folder() {
    let bench = Bench::new();
    let done =
        done(bench.command(&format!("{RUN} c")).env("TMPDIR", "").output().expect("tare starts"));
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
}

#[test]
fn where_processes_are_limited_nothing_panics() {
    let bench = Bench::new();
    let tare = bench.path("tare"); // where it was built nobody else may look
    let home = bench.path("home");
    fs::copy(env!("CARGO_BIN_EXE_tare"), &tare).expect("a copy");
    fs::create_dir(&home).expect("a folder");
    chown(&home, Some(USER), Some(USER)).expect("its owner");
    for folder in [bench.path(""), home.clone()] {
        set_mode(folder, 0o755);
    }
    for most in [1, 2, 3, 4, 5, 6, 8, 100] {
        let mut command = Command::new("prlimit");
        command.arg(format!("--nproc={most}:{most}")).arg(&tare).args(RUN.split(' '));
        command.arg(format!("c{most}"));
        command.uid(USER).gid(USER).env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin");
        let done = done(command.current_dir(&home).output().expect("prlimit"));
        let said = flat(&done.err);
        let broken = ["panicked", "keeper ended"].iter().any(|text| said.contains(text));
        assert!(!broken && [0, 1, 2, 4].contains(&done.code), "{most}: {said}");
        assert!(most < 100 || done.code == 0, "{said}");
    }
}

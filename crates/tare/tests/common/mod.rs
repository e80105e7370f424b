//! What the tests of the command share: a folder of their own and `tare` in it.

#![allow(dead_code)] // each test file uses its part

pub mod elf;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tare_store::{Campaign, Role, SeriesRow, load};
use tempfile::TempDir;

/// A folder in which `tare` runs, removed at the end.
pub struct Bench {
    folder: TempDir,
}

pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Bench {
    pub fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What is in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the temporary folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
        names.sort();
        names
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).expect("a file in the temporary folder");
        self.path(name)
    }

    /// A shell script that can be run.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, &format!("#!/bin/sh\n{text}"));
        set_mode(&path, 0o755);
        path
    }

    /// `tare` with `line`'s words as arguments, not yet started.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tare"));
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        // CI compiles beside its tests: what a layer waited for then is no fault of the pipeline.
        command.env("TARE_MOST_WAITED", "100");
        command.env("TARE_CACHE", cache()).env("NO_COLOR", "1").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn start(&self, line: &str) -> Child {
        self.command(line).spawn().expect("tare starts")
    }

    pub fn tare(&self, line: &str) -> Done {
        done(self.command(line).output().expect("tare starts"))
    }

    /// Runs `tare` with `words`, which may hold spaces, behind those of `line`.
    pub fn tare_with(&self, line: &str, words: &[&str]) -> Done {
        done(self.command(line).args(words).output().expect("tare starts"))
    }

    /// Runs `tare` and reads what it prints.
    pub fn json(&self, line: &str) -> Value {
        self.ok(line).json()
    }

    /// Runs `tare` and expects it to succeed.
    pub fn ok(&self, line: &str) -> Done {
        let done = self.tare(line);
        assert_eq!(done.code, 0, "tare {line}\n{}\n{}", done.out, done.err);
        done
    }

    /// Runs `tare` and expects it to end with `code` and a message that holds `why`.
    #[track_caller]
    pub fn fails(&self, line: &str, code: i32, why: &str) {
        let done = self.tare(line);
        assert_eq!(done.code, code, "tare {line}\n{}\n{}", done.out, done.err);
        assert!(done.err.contains(why), "tare {line}: no '{why}' in\n{}", done.err);
    }

    pub fn campaign(&self, name: &str) -> Campaign {
        load(&self.path(name)).expect("a campaign")
    }
}

impl Done {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).expect("JSON on standard output")
    }
}

/// `PATH` with the stand-ins in `folder` before all other programs.
pub fn path_with(folder: &Path) -> String {
    format!("{}:{}", folder.display(), std::env::var("PATH").expect("a PATH"))
}

/// The row called `name` of a scoreboard in JSON.
#[track_caller]
pub fn row<'a>(board: &'a Value, name: &str) -> &'a Value {
    let rows = board["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["benchmark"] == name).unwrap_or_else(|| panic!("no row {name}"))
}

pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
}

pub fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).expect("our own child");
}

/// Fails where `text` steers a terminal, turns the direction of text or hides something; `allowed` are the control characters
/// that it may hold.
pub fn assert_harmless(what: &str, text: &str, allowed: &[char]) {
    let steers = |c: &char| {
        (c.is_control() && !allowed.contains(c))
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let found: Vec<char> = text.chars().filter(steers).collect();
    let beginning: String = text.chars().take(600).collect();
    assert!(found.is_empty(), "{what}: {found:?} in\n{beginning:?}");
}

pub fn done(output: Output) -> Done {
    let text = |bytes| String::from_utf8(bytes).expect("tare prints UTF-8");
    Done {
        code: output.status.code().unwrap_or(-1),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// The samples of a row on a layer, boot by boot.
pub fn samples(campaign: &Campaign, row: &str, layer: &str) -> Vec<Vec<f64>> {
    let of = |series: &&SeriesRow| {
        let boot = &campaign.boots[series.boot];
        campaign.benchmarks[series.benchmark].name == row
            && campaign.layers[boot.layer].name == layer
    };
    campaign.series.iter().filter(of).map(|series| series.samples.clone()).collect()
}

/// One cache for all tests: the probe is unpacked and a guest kernel extracted once.
pub fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// A current gVisor, which `cargo xtask test` builds first.
pub fn gvisor() -> PathBuf {
    let runtime = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("gvisor").join("runsc");
    assert!(runtime.exists(), "there is no {}: cargo xtask test builds it", runtime.display());
    runtime
}

/// A CRIU that knows this kernel: the folder of `criu`.
pub fn criu() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("criu");
    assert!(folder.join("criu").exists(), "there is no {folder:?}: cargo xtask test makes it");
    folder
}

/// Waits until `ready` says so.
pub fn wait_until(what: &str, mut ready: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !ready() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A committed output of another tool.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tare-import/tests/data")).join(name)
}

/// A folder with copies of `files`.
pub fn with(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new();
    for (name, source) in files {
        std::fs::copy(data(source), bench.path(name)).expect(source);
    }
    bench
}

pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Asserts that `text` fits a terminal of 80 columns. A command that is to be copied is not broken.
pub fn assert_fits(text: &str) {
    for line in text.lines().filter(|line| !line.starts_with("repeat: ")) {
        assert!(line.chars().count() <= 80, "too wide: {line}\n{text}");
    }
}

/// The series of the benchmark `name` (one load of it) in the first boot of `layer`, not in the baseline's second.
pub fn series<'a>(campaign: &'a Campaign, layer: &str, name: &str) -> &'a SeriesRow {
    let of = |row: &&SeriesRow| {
        let boot = &campaign.boots[row.boot];
        campaign.layers[boot.layer].name == layer
            && boot.role == Role::Weigh
            && campaign.benchmarks[row.benchmark].name == name
    };
    campaign.series.iter().find(of).unwrap_or_else(|| panic!("no series of {name} in {layer}"))
}

/// The mean of its samples.
pub fn mean(series: &SeriesRow) -> f64 {
    series.samples.iter().sum::<f64>() / series.samples.len() as f64
}

/// What it counted under `name`; nothing where that is not there.
pub fn count(series: &SeriesRow, name: &str) -> f64 {
    series.counters.iter().find(|counter| counter.name == name).map_or(0.0, |found| found.value)
}

pub fn instructions(series: &SeriesRow) -> f64 {
    let places = ["probe", "user", "kernel", "dom0", "hypervisor"];
    places.map(|place| count(series, &format!("{place}/instructions"))).iter().sum()
}

/// Programs of this host that make a root.
const PROGRAMS: &[&str] = &["/bin/sh", "/bin/cat", "/usr/bin/wc", "/usr/bin/nproc"];

/// Makes `root.tar`: an archive with a shell and little else, made of this host's files.
pub fn small_root(bench: &Bench) {
    root_of(bench, PROGRAMS);
}

pub fn root_of(bench: &Bench, programs: &[&str]) {
    let mut files: Vec<String> = programs.iter().map(|path| path.to_string()).collect();
    for program in programs {
        let listed = Command::new("ldd").arg(program).output().expect("ldd");
        let text = String::from_utf8(listed.stdout).expect("text");
        let words = text.split_whitespace().filter(|word| word.starts_with('/'));
        files.extend(words.map(str::to_owned));
    }
    files.sort();
    files.dedup();
    let names = files.iter().map(|file| file.trim_start_matches('/'));
    let mut tar = Command::new("tar");
    tar.args(["-C", "/", "-ch", "-f"]).arg(bench.path("root.tar")).args(names);
    assert!(tar.status().expect("tar").success());
}

//! The figures that the README quotes, measured anew: what the harness adds, what tare itself uses,
//! how long campaigns take, how fast layers greet.

use crate::shell::{self, cargo, root, text};
use crate::{packages, release, weigh};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

/// Result files that are imported at once.
const IMPORTED: usize = 10_000;

/// Measures and prints every figure. Takes about ten minutes, of which five are one campaign.
pub fn bench() -> Result<()> {
    packages::install()?;
    let tare = Tare { folder: release::build_with_folder("bench")? };

    cargo(&["bench", "--quiet", "--package", "tare-import", "--bench", "speed"], &[])?;
    tare.imports()?;
    let doctor = tare.run(&["doctor", "--color", "never"])?;
    println!("{}", text(&doctor.stdout));
    println!("{}", text(&tare.probe(&["overhead"])?.stdout));
    tare.timed(&["run", "--layers", "native,runc", "--blocks", "3", "--out", "small"])?;
    let twice = ["--layer", "native", "--layer", "name=again,kind=native"];
    let same = [&["run"], &twice[..], &["--blocks", "12", "--out", "same"]].concat();
    tare.timed(&same)?;
    let shown = text(&tare.run(&["show", "same", "--short"])?.stdout);
    println!("native against itself, differences found:\n{}", verdicts(&shown));
    let layers = weigh::layers();
    let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
    tare.timed(&[&["run"], &layers[..], &["--require", "--out", "five"]].concat())
}

/// The lines of a scoreboard that count its verdicts.
fn verdicts(board: &str) -> String {
    let counts = |line: &&str| line.contains("equivalent") || line.contains("A/A check");
    board.lines().filter(counts).map(|line| format!("  {}\n", line.trim())).collect()
}

/// A release build of tare with a folder and a cache of its own.
struct Tare {
    folder: PathBuf,
}

impl Tare {
    fn run(&self, args: &[&str]) -> Result<Output> {
        self.start(&release::tare(), args)
    }

    fn probe(&self, args: &[&str]) -> Result<Output> {
        let entries = fs::read_dir(self.folder.join("cache"))?.flatten().map(|entry| entry.path());
        let is_probe = |path: &PathBuf| path.to_string_lossy().contains("/tare-probe-");
        let probe = entries.into_iter().find(is_probe).context("tare has unpacked no probe")?;
        self.start(&probe, args)
    }

    fn start(&self, program: &Path, args: &[&str]) -> Result<Output> {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.folder).env("TARE_CACHE", self.folder.join("cache"));
        shell::output(&mut command)
    }

    /// Imports 10⁴ result files, from the command line to the scoreboard.
    fn imports(&self) -> Result<()> {
        let sample = root().join("crates/tare-import/tests/data/unixbench-hv.txt");
        let names: Vec<String> = (0..IMPORTED).map(|n| format!("{n}.log")).collect();
        for name in &names {
            fs::copy(&sample, self.folder.join(name))?;
        }
        let (a, b) = names.split_at(IMPORTED / 2);
        let of = |layer, files: &[String]| {
            let mut words = vec!["--layer".to_owned(), layer];
            words.extend(files.iter().cloned());
            words
        };
        let line = ["import", "--auto", "--short", "--out", "imported"].map(str::to_owned);
        let words = [line.to_vec(), of("a".into(), a), of("b".into(), b)].concat();
        let begin = Instant::now();
        self.run(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
        let seconds = begin.elapsed().as_secs_f64();
        println!("tare import of {IMPORTED} UnixBench files: {seconds:.1} s\n");
        names.iter().try_for_each(|name| Ok(fs::remove_file(self.folder.join(name))?))
    }

    /// Runs a campaign and prints how long it took and what tare used itself.
    fn timed(&self, args: &[&str]) -> Result<()> {
        let begin = Instant::now();
        let output = self.run(args)?;
        let seconds = begin.elapsed().as_secs_f64();
        let errors = text(&output.stderr);
        let own = errors.lines().find(|line| line.contains("of a CPU")).unwrap_or_default();
        println!("tare {}: {seconds:.1} s\n  {own}\n", args.join(" "));
        Ok(())
    }
}

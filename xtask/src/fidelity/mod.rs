//! Compares the suites with their originals: runs both in turns on this machine and prints the ratios. If this user may,
//! both run as real-time tasks (`chrt -r 5`), so that other work on the machine does not interrupt them.
//!
//! The probe's value is the median of its samples, or the best where the original's result is its best.
//!
//! `cargo xtask fidelity [--rounds N] [WORD...]`: pairs whose benchmark holds one of the words.

mod pairs;
mod shared;

use crate::packages;
use crate::shell::{self, cargo, root, text};
use anyhow::{Context, Result, bail};
use pairs::{Original, PAIRS, Pair};
use shared::Shared;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes a program a real-time task that others wait for. Series are shorter than the second of which the kernel
/// leaves a twentieth to the others.
const URGENT: &[&str] = &["chrt", "-r", "5"];

/// Turns of every pair.
const ROUNDS: usize = 9;

/// Runs every pair that is asked for and prints its line.
pub fn fidelity(args: &[String]) -> Result<()> {
    let (rounds, words) = match args {
        [flag, rounds, words @ ..] if flag == "--rounds" => {
            (rounds.parse().context("--rounds takes a number")?, words)
        }
        words => (ROUNDS, words),
    };
    packages::install_originals()?;
    let probe = probe()?;
    let urgent = Command::new(URGENT[0]).args(&URGENT[1..]).arg("true").output();
    let urgent: &[&str] = if urgent.is_ok_and(|it| it.status.success()) { URGENT } else { &[] };
    println!("with {}", if urgent.is_empty() { "no priority".into() } else { urgent.join(" ") });
    println!(
        "{:26} {:>11} {:>11} {:>7}  min..max of {rounds} rounds",
        "", "tare", "original", "ratio"
    );
    let wanted =
        |pair: &&Pair| words.is_empty() || words.iter().any(|w| pair.bench.contains(w.as_str()));
    let benches = PAIRS.iter().filter(wanted).map(|pair| pair.bench);
    let _shared = Shared::new(benches, urgent)?;
    for pair in PAIRS.iter().filter(wanted) {
        println!("{}", line(pair, &probe, rounds, urgent)?);
    }
    Ok(())
}

/// `program` behind `urgent`'s words.
fn command(urgent: &[&str], program: impl AsRef<OsStr>) -> Command {
    let mut words = urgent.iter().map(OsStr::new).chain([program.as_ref()]);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command
}

/// The probe as layers run it: static and optimised.
fn probe() -> Result<PathBuf> {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let flags = ["-Ctarget-feature=+crt-static", "-Crelocation-model=static"].join("\u{1f}");
    let folder = root().join("target/fidelity");
    let place = folder.to_string_lossy().into_owned();
    let build = ["build", "--package", "tare-probe", "--profile", "probe", "--target", &target];
    cargo(
        &[&build[..], &["--target-dir", &place]].concat(),
        &[("CARGO_ENCODED_RUSTFLAGS", &flags)],
    )?;
    Ok(folder.join(target).join("probe/tare-probe"))
}

/// Runs both in turns, the first of a round in turns too; the medians and the median ratio.
fn line(pair: &Pair, probe: &Path, rounds: usize, urgent: &[&str]) -> Result<String> {
    let ours = || ours(probe, pair.bench, urgent);
    let (_, elements) = ours()?; // warms up, and says how large arrays are
    let original = pair.original;
    let program = prepare(&original, elements)?;
    let mut own = Vec::new();
    let mut others = Vec::new();
    let mut ratios = Vec::new();
    for round in 0..rounds.max(1) {
        let theirs = || theirs(&original, program.as_deref(), urgent);
        let (one, other) = match round % 2 {
            0 => (ours()?.0, theirs()?),
            _ => {
                let other = theirs()?;
                (ours()?.0, other)
            }
        };
        own.push(one);
        others.push(other);
        ratios.push(one / other);
    }
    let (low, high) = ratios.iter().fold((f64::MAX, 0f64), |(l, h), r| (l.min(*r), h.max(*r)));
    Ok(format!(
        "{:26} {:>11.4e} {:>11.4e} {:>7.3}  {low:.3}..{high:.3}  {}",
        pair.bench,
        median(&mut own),
        median(&mut others),
        median(&mut ratios),
        pair.original.words()
    ))
}

/// The probe's value for `bench`, and the operations of a sample.
fn ours(probe: &Path, bench: &str, urgent: &[&str]) -> Result<(f64, usize)> {
    let mut command = command(urgent, probe);
    let text = output(command.args(["run", bench]).env("TARE_DISK", shared::disk()))?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let best = bench.starts_with("stream/");
    let high = words.iter().find_map(|word| word.strip_suffix(']'));
    let value = if best { high } else { words.get(1).copied() }.and_then(|word| word.parse().ok());
    let operations =
        words.iter().position(|word| *word == "x").and_then(|at| words.get(at + 1)?.parse().ok());
    value.zip(operations).with_context(|| format!("the probe says of {bench}: {text}"))
}

/// Compiles what has to be compiled first.
fn prepare(original: &Original, elements: usize) -> Result<Option<PathBuf>> {
    let Original::Stream { kernel, .. } = original else { return Ok(None) };
    let folder = root().join("target/fidelity");
    let source = folder.join("stream.c");
    let program = folder.join(format!("stream-{kernel}"));
    std::fs::write(&source, pairs::STREAM)?;
    let mut compiler = Command::new("gcc");
    compiler.args(["-O3", &format!("-DN={elements}"), &format!("-DKERNEL={kernel}"), "-o"]);
    compiler.arg(&program).arg(&source);
    output(&mut compiler)?;
    Ok(Some(program))
}

/// The original's value, in the probe's unit.
fn theirs(original: &Original, program: Option<&Path>, urgent: &[&str]) -> Result<f64> {
    match (original, program) {
        (Original::Stream { .. }, Some(program)) => {
            output(&mut command(urgent, program))?.trim().parse().context("a rate of the C loop")
        }
        (Original::Command { words, read, scale }, _) => {
            let mut words = words.split(' ');
            let program = words.next().unwrap_or_default();
            let text = output(command(urgent, program).args(words))?;
            let value = read(&text).with_context(|| format!("no result in {text}"))?;
            Ok(value * scale)
        }
        _ => bail!("not compiled"),
    }
}

fn output(command: &mut Command) -> Result<String> {
    let output = shell::output(command.current_dir(root()))?;
    // perf writes some of its results to the other stream.
    Ok(text(&output.stdout) + &text(&output.stderr))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

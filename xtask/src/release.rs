//! The release build of tare, with which chores measure.

use crate::go::GVISOR;
use crate::shell::{self, cargo, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Columns of everything that tare prints for a page.
const WIDTH: usize = 80;

/// Exit code of tare where a `fail-if` is met.
const MET: i32 = 3;

pub fn build() -> Result<()> {
    cargo(&["build", "--release", "--package", "tare"], &[])
}

/// Builds it, and makes an empty folder `target/NAME` for what a chore measures.
pub fn build_with_folder(name: &str) -> Result<PathBuf> {
    build()?;
    let folder = root().join("target").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

pub fn tare() -> PathBuf {
    root().join("target/release/tare")
}

/// What it prints at the root of the repository, at 80 columns.
pub fn said(args: &[&str]) -> Result<String> {
    Ok(shell::text(&shell::output(&mut command(args)?)?.stdout))
}

/// What its gate says of a campaign, a paragraph for each line of it. Whether a condition is met is an answer, not a failure.
pub fn judged(args: &[&str]) -> Result<String> {
    let output = command(args)?.output().context("cannot start tare")?;
    let said = shell::text(&output.stderr);
    if !matches!(output.status.code(), Some(0 | MET)) {
        bail!("{args:?}: {said}");
    }
    let lines = said.lines().filter(|line| line.starts_with("--fail-if: "));
    Ok(lines.map(|line| format!("\n\n{}", wrapped(line))).collect())
}

/// `line` in lines of 80 columns.
fn wrapped(line: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in line.split(' ') {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= WIDTH => {
                last.push(' ');
                last.push_str(word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

/// tare with `args`. A layer's `runsc` is the gVisor that chores build.
fn command(args: &[&str]) -> Result<Command> {
    let runsc = GVISOR.program();
    let own = runsc.parent().unwrap_or(root()).to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path)))?;
    let mut command = Command::new(tare());
    command.args(args).env("COLUMNS", WIDTH.to_string()).env("PATH", path).current_dir(root());
    Ok(command)
}

/// Flags of `tare run` that a chore was given, or else its `usual` ones.
pub fn flags(given: &[String], usual: &[&str]) -> Vec<String> {
    match given {
        [] => usual.iter().map(|word| (*word).to_owned()).collect(),
        given => given.to_vec(),
    }
}

//! The release build of tare, with which chores measure.

use crate::gvisor;
use crate::shell::{self, cargo, root};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

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

/// What it prints at the root of the repository, at 80 columns. A layer's `runsc` is the gVisor that chores build.
pub fn said(args: &[&str]) -> Result<String> {
    let runsc = gvisor::runsc();
    let own = runsc.parent().unwrap_or(root()).to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path)))?;
    let mut command = Command::new(tare());
    command.args(args).env("COLUMNS", "80").env("PATH", path).current_dir(root());
    Ok(shell::text(&shell::output(&mut command)?.stdout))
}

/// Flags of `tare run` that a chore was given, or else its `usual` ones.
pub fn flags(given: &[String], usual: &[&str]) -> Vec<String> {
    match given {
        [] => usual.iter().map(|word| (*word).to_owned()).collect(),
        given => given.to_vec(),
    }
}

//! The release build of tare, with which chores measure.

use crate::shell::{cargo, root};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

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

/// Flags of `tare run` that a chore was given, or else its `usual` ones.
pub fn flags(given: &[String], usual: &[&str]) -> Vec<String> {
    match given {
        [] => usual.iter().map(|word| (*word).to_owned()).collect(),
        given => given.to_vec(),
    }
}

//! Pythons of the repository's own: with the readers that docs/schema.md names, for tests, and with what a public complaint is about.

use crate::apt;
use crate::shell::{self, root, run, target};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is installed. The DuckDB shell is a package of its own.
const READERS: [&str; 3] = ["duckdb>=1,<3", "duckdb-cli>=1,<3", "pandas>=2,<4"];
const LIGHTGBM: [&str; 1] = ["lightgbm>=4,<5"];

/// Makes `target/python` unless it works already.
pub fn install() -> Result<()> {
    let folder = target().join("python");
    if folder.join("bin/duckdb").is_file() && works(&folder, "duckdb, pandas") {
        return Ok(());
    }
    make(&folder, &READERS).context("the tests of docs/schema.md need duckdb and pandas")
}

/// Makes `target/lightgbm` unless it works already: docs/complaints names it.
pub fn lightgbm() -> Result<()> {
    let folder = root().join("target/lightgbm");
    if works(&folder, "lightgbm") {
        return Ok(());
    }
    make(&folder, &LIGHTGBM).context("docs/complaints/gvisor-openmp.toml needs lightgbm")
}

fn make(folder: &Path, packages: &[&str]) -> Result<()> {
    let name = folder.display().to_string();
    let make = || run("python3", &["-m", "venv", "--clear", &name], &[]);
    // Debian keeps the module in a package of its own.
    make().or_else(|_| apt::install(&["python3", "python3-venv"]).and_then(|()| make()))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(&python(folder).display().to_string(), &[&install[..], packages].concat(), &[])
}

fn python(folder: &Path) -> PathBuf {
    folder.join("bin/python3")
}

fn works(folder: &Path, modules: &str) -> bool {
    shell::works(Command::new(python(folder)).args(["-c", &format!("import {modules}")]))
}

//! A Python of the repository's own for tests, with the readers that docs/schema.md names.

use crate::apt;
use crate::shell::{root, run};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What is installed. The DuckDB shell is a package of its own.
const READERS: [&str; 3] = ["duckdb>=1,<3", "duckdb-cli>=1,<3", "pandas>=2,<4"];

/// Makes `target/python` unless it works already.
pub fn install() -> Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let folder = root().join(target).join("python");
    let python = folder.join("bin/python3");
    if works(&python) && folder.join("bin/duckdb").is_file() {
        return Ok(());
    }
    let name = folder.display().to_string();
    let make = || run("python3", &["-m", "venv", "--clear", &name], &[]);
    // Debian keeps the module in a package of its own.
    make().or_else(|_| apt::install(&["python3", "python3-venv"]).and_then(|()| make()))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(&python.display().to_string(), &[&install[..], &READERS].concat(), &[])
        .context("the tests of docs/schema.md need duckdb and pandas")
}

fn works(python: &PathBuf) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import duckdb, pandas"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

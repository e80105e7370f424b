//! The programs of tests that cargo builds: each crate's unit tests, and each file in a folder `tests`.

use crate::shell::{cargo_program, root, text};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// One of them.
pub struct TestProgram {
    /// The crate's folder, and behind a slash the file of an integration test: `tare/sim`.
    pub name: String,
    file: PathBuf,
    /// The crate's folder, in which it runs.
    folder: PathBuf,
}

/// Packages whose tests take long and start no layer.
const COMPUTING: [&str; 4] = ["tare-calibrate", "tare-dist", "tare-report", "tare-serve"];

impl TestProgram {
    /// Builds all of the workspace; sorted by name.
    ///
    /// # Errors
    /// One does not compile; its errors are shown.
    pub fn built() -> Result<Vec<TestProgram>> {
        let mut cargo = Command::new(cargo_program());
        cargo.args(["test", "--workspace", "--quiet", "--no-run"]);
        cargo.arg("--message-format=json-render-diagnostics").current_dir(root());
        let built = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
        ensure!(built.status.success(), "'{cargo:?}' failed ({})", built.status);
        let messages = text(&built.stdout);
        let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
        let mut programs: Vec<TestProgram> =
            messages.filter_map(|message| TestProgram::of(&message)).collect();
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        ensure!(!programs.is_empty(), "cargo has built no program of tests");
        Ok(programs)
    }

    /// That of a message of cargo, if it is about one.
    fn of(message: &Value) -> Option<TestProgram> {
        if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
            return None;
        }
        let file = PathBuf::from(message["executable"].as_str()?);
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
        let package = folder.file_name()?.to_string_lossy().into_owned();
        let name = match message["target"]["kind"][0] == "test" {
            true => format!("{package}/{}", message["target"]["name"].as_str()?),
            false => package,
        };
        Some(TestProgram { name, file, folder })
    }

    /// Whether it only computes, or its layers are simulated machines: these count instructions, so whatever else runs changes nothing.
    pub fn is_undisturbed(&self) -> bool {
        let package = self.name.split('/').next().unwrap_or_default();
        self.name.starts_with("tare/sim") || COMPUTING.contains(&package)
    }

    /// Runs it and shows what it prints.
    pub fn run(&self) -> Result<()> {
        eprintln!("+ {}", self.name);
        held(self.command().status()?)
    }

    /// Runs it and shows at its end what it has printed, so that this does not mix with what others print meanwhile.
    pub fn run_beside(&self) -> Result<()> {
        let done = self.command().output()?;
        println!("+ {}\n{}{}", self.name, text(&done.stdout), text(&done.stderr));
        held(done.status)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.stdin(Stdio::null());
        command
    }
}

fn held(status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{status}");
    }
    Ok(())
}

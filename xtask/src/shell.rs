//! Runs the programs that chores are made of.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Where cargo puts what it builds.
pub fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(target)
}

/// Whether `command` runs to its end and succeeds; nobody sees what it says.
pub fn works(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Runs `program` at the root of the repository, its output shown; an error unless it succeeds.
pub fn run<S: AsRef<OsStr>>(program: &str, args: &[S], env: &[(&str, &str)]) -> Result<()> {
    let words: Vec<_> = args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect();
    let line = format!("{program} {}", words.join(" "));
    eprintln!("+ {line}");
    let mut command = Command::new(program);
    command.args(args).current_dir(root()).envs(env.iter().copied());
    let status = command.status().with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        bail!("'{line}' failed ({status})");
    }
    Ok(())
}

/// Runs `command` and returns what it printed.
///
/// # Errors
/// It cannot be started or fails; the text holds its messages.
pub fn output(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", text(&output.stderr));
    }
    Ok(output)
}

/// What a program has printed, as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn cargo<S: AsRef<OsStr>>(args: &[S], env: &[(&str, &str)]) -> Result<()> {
    run(&cargo_program(), args, env)
}

/// Runs it so that whatever runs meanwhile comes first.
pub fn cargo_beside(args: &[&str], env: &[(&str, &str)]) -> Result<()> {
    run("nice", &[&["-n", "19", &cargo_program()], args].concat(), env)
}

/// Cargo of the toolchain that this was built with.
pub fn cargo_program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}

/// Whether `name` is a program in `PATH` or in a folder for administrators.
pub fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/sbin"].map(Into::into);
    std::env::split_paths(&path).chain(usual).any(|folder| folder.join(name).is_file())
}

//! Which commit is built: what `TARE_COMMIT` says, or what git says of this repository.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The commit in words, for `tare --version`. Only a build that names its commit by `TARE_COMMIT` (`cargo xtask dist`) is
/// known to hold nothing else: this script does not run again for every edit.
pub fn commit(root: &Path) -> String {
    println!("cargo::rerun-if-env-changed=TARE_COMMIT");
    match env::var("TARE_COMMIT") {
        Ok(commit) if !commit.is_empty() => format!("commit {commit}"),
        _ => from_git(root).unwrap_or_else(|| "commit unknown".into()),
    }
}

fn from_git(root: &Path) -> Option<String> {
    let git = |words: &[&str]| {
        let done = Command::new("git").arg("-C").arg(root).args(words).output().ok()?;
        let text = String::from_utf8(done.stdout).ok()?;
        done.status.success().then(|| text.trim().to_owned())
    };
    let same = |folder: &str| fs::canonicalize(folder).ok() == fs::canonicalize(root).ok();
    // An unpacked archive may lie in somebody else's repository.
    if !same(&git(&["rev-parse", "--show-toplevel"])?) {
        return None;
    }
    // Written by every commit, checkout and rebase.
    let log = root.join(git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    Some(format!("commit {commit}, or edited after it"))
}

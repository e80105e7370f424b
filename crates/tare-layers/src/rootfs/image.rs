//! The image of a root, for guests: EROFS without compression, the same bytes whenever it is made.

use super::error::RootError;
use crate::Unavailable;
use crate::files::work::Work;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_keeper::programs;

/// Longest time for making it.
const MAKING: Duration = Duration::from_secs(600);

/// The time and the identity that every image has.
const TIME: &str = "-T1700000000";
const IDENTITY: &str = "-U6d6f6f72-0000-4000-8000-746172652d31";

/// What makes images.
pub(super) fn program() -> Result<PathBuf, Unavailable> {
    programs::find("mkfs.erofs")
}

/// Makes the image of `tree` at `path` with `program`; it appears whole or not at all.
pub(super) fn make(
    program: &Path,
    tree: &Path,
    path: &Path,
    interrupted: fn() -> bool,
) -> Result<(), RootError> {
    let beside = path.parent().unwrap_or(path);
    let folder = Work::new_in(beside)?;
    let work = folder.path().join("image");
    let mut command = programs::plain(program);
    // A current gVisor cannot read data that is kept in inodes.
    // It names every file on its standard output, which is more than anybody may say here.
    command.args([TIME, IDENTITY, "-Enoinline_data", "--quiet"]).arg(&work).arg(tree);
    // SAFETY: prctl is a system call, as is allowed between fork and exec.
    unsafe { command.pre_exec(|| Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)) };
    programs::output_unless(&mut command, MAKING, interrupted)?;
    Ok(fs::rename(&work, path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_of_many_files_has_an_image() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        let path = folder.path().join("image");
        fs::create_dir(&tree).unwrap();
        // The program shows some seventy bytes of each name.
        for file in 0..20_000 {
            fs::write(tree.join(format!("{file:0>200}")), "").unwrap();
        }
        make(&program().unwrap(), &tree, &path, || false).unwrap();
        assert!(path.metadata().unwrap().len() > 1 << 20, "the names are in it");
    }
}

//! CRIU for the tests of restored containers: that of a later Debian, since the one of Debian 12 does not know the vDSO of recent kernels.

use crate::shell::{run, target, works};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const DEBIAN: &str = "trixie";
const LOADER: &str = "usr/lib64/ld-linux-x86-64.so.2";
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// Makes `target/criu/criu` unless it works already. Its libraries lie beside it.
pub fn install() -> Result<()> {
    let folder = target().join("criu");
    let program = folder.join("criu");
    if works(Command::new(&program).arg("--version")) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {folder:?}"))?;
    }
    let files = folder.join("files").display().to_string();
    fs::create_dir_all(&files)?;
    run("mmdebstrap", &["--quiet", "--variant=extract", "--include=criu", DEBIAN, &files], &[])?;
    let start = format!(
        "#!/bin/sh\nexec '{files}/{LOADER}' --library-path '{files}/{LIBRARIES}' '{files}/usr/sbin/criu' \"$@\"\n"
    );
    fs::write(&program, start)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

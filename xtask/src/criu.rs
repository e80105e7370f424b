//! CRIU for the tests of restored containers: that of a later Debian, since the one of Debian 12 does not know the vDSO of recent kernels.

use crate::shell::{root, run};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const DEBIAN: &str = "trixie";
const LOADER: &str = "usr/lib64/ld-linux-x86-64.so.2";
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// Makes `target/criu/criu` unless it works already. Its libraries lie beside it.
pub fn install() -> Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let folder = root().join(target).join("criu");
    let program = folder.join("criu");
    if works(&program) {
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

fn works(program: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

//! The archive: everything in one folder, to be unpacked anywhere.

use crate::Release;
use crate::contents::{Contents, put};
use crate::run::program;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes `tare-VERSION-ARCHITECTURE-linux.tar.gz` into `out`; its path.
pub fn write(release: &Release, contents: &Contents, out: &Path) -> Result<PathBuf> {
    let name = format!("tare-{}-{}-linux", release.version, std::env::consts::ARCH);
    let tree = tempfile::tempdir()?;
    let folder = tree.path().join(&name);
    put(&folder.join("tare"), &contents.binary, 0o755)?;
    for (page, bytes) in &contents.manual {
        put(&folder.join("man/man1").join(page), bytes, 0o644)?;
    }
    for (shell, bytes) in &contents.completions {
        put(&folder.join("completions").join(shell), bytes, 0o644)?;
    }
    for (paper, bytes) in &contents.papers {
        put(&folder.join(paper), bytes, 0o644)?;
    }
    put(&folder.join("LICENSES-OF-OTHERS.txt"), contents.licences.as_bytes(), 0o644)?;
    put(&folder.join("sbom.cdx.json"), contents.sbom.as_bytes(), 0o644)?;
    let plain = tree.path().join("tar");
    let mut tar = Command::new("tar");
    tar.args([
        "--sort=name",
        "--owner=root:0",
        "--group=root:0",
        "--mode=go=rX,u+rw",
        "--format=gnu",
    ]);
    tar.arg(format!("--mtime=@{}", release.epoch)).arg("-C").arg(tree.path());
    program(tar.arg("-cf").arg(&plain).arg(&name))?;
    let packed = program(Command::new("gzip").args(["-9", "-n", "-c"]).arg(&plain))?.stdout;
    let path = out.join(format!("{name}.tar.gz"));
    put(&path, &packed, 0o644)?;
    Ok(path)
}

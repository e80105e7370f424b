//! The package for Debian and its descendants, made by `dpkg-deb`.

use crate::Release;
use crate::contents::{Contents, put};
use crate::run::program;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages of layers that can be weighed, each with its dependencies.
const LAYERS: &str = "runc, crun, runsc, user-mode-linux, qemu-system-x86, iproute2";

/// Writes `tare_VERSION_ARCHITECTURE.deb` into `out`; its path.
pub fn write(release: &Release, contents: &Contents, out: &Path) -> Result<PathBuf> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let tree = tempfile::tempdir()?;
    let root = tree.path().join("root");
    lay_out(&root, contents)?;
    let installed = size(&root)?.div_ceil(1024);
    let depends = if release.is_static { "" } else { "Depends: libc6\n" };
    let version = &release.version;
    let homepage = env!("CARGO_PKG_HOMEPAGE");
    let control = format!(
        "Package: tare\nVersion: {version}\nArchitecture: {architecture}\nSection: utils\nPriority: optional\n\
         Installed-Size: {installed}\n{depends}Suggests: {LAYERS}\n\
         Maintainer: The maintainers of tare <maintainers@tare.invalid>\nHomepage: {homepage}\n\
         Description: weighs the layer between a workload and the machine\n \
         Boots containers, sandboxes and virtual machines itself, measures the same\n \
         benchmarks in all of them, and says what each costs, how sure that is, and why.\n \
         .\n \
         Debian 12's runsc is gVisor of 2022, several times slower than today's; a\n \
         current one: https://gvisor.dev/docs/user_guide/install/\n"
    );
    put(&root.join("DEBIAN/control"), control.as_bytes(), 0o644)?;
    let path = out.join(format!("tare_{version}_{architecture}.deb"));
    let mut build = Command::new("dpkg-deb");
    build
        .args(["--root-owner-group", "--uniform-compression", "-Zxz", "--build"])
        .arg(&root)
        .arg(&path);
    program(build.env("SOURCE_DATE_EPOCH", release.epoch.to_string()))?;
    Ok(path)
}

fn lay_out(root: &Path, contents: &Contents) -> Result<()> {
    put(&root.join("usr/bin/tare"), &contents.binary, 0o755)?;
    for (page, bytes) in &contents.manual {
        put(&root.join("usr/share/man/man1").join(format!("{page}.gz")), &packed(bytes)?, 0o644)?;
    }
    for (shell, bytes) in &contents.completions {
        let place = match shell.as_str() {
            "bash" => "usr/share/bash-completion/completions/tare",
            "zsh" => "usr/share/zsh/vendor-completions/_tare",
            _ => "usr/share/fish/vendor_completions.d/tare.fish",
        };
        put(&root.join(place), bytes, 0o644)?;
    }
    let papers = root.join("usr/share/doc/tare");
    let mut copyright =
        String::from("tare is under the MIT licence or the Apache licence 2.0, at your choice.\n");
    for (name, bytes) in &contents.papers {
        match name.strip_prefix("LICENSE-") {
            Some(_) => copyright += &format!("\n{}\n", String::from_utf8_lossy(bytes)),
            None if name == "CHANGELOG.md" => {
                put(&papers.join("changelog.gz"), &packed(bytes)?, 0o644)?
            }
            None => put(&papers.join(name), bytes, 0o644)?,
        }
    }
    copyright += &format!("\n{}", contents.licences);
    put(&papers.join("copyright"), copyright.as_bytes(), 0o644)?;
    put(&papers.join("sbom.cdx.json"), contents.sbom.as_bytes(), 0o644)
}

fn packed(bytes: &[u8]) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    put(&file, bytes, 0o644)?;
    Ok(program(Command::new("gzip").args(["-9", "-n", "-c"]).arg(&file))?.stdout)
}

/// The bytes of all files below `folder`.
fn size(folder: &Path) -> Result<u64> {
    let mut all = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        all += if path.is_dir() { size(&path)? } else { entry.metadata()?.len() };
    }
    Ok(all)
}

//! The target of the probe for 32-bit machines, and whether Rust can build for it here.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Linked statically without a C library of that architecture on this machine: Rust brings musl with it.
pub const TARGET: &str = "i686-unknown-linux-musl";

/// Whether Rust's library for [`TARGET`] is installed. The build begins anew when that changes.
pub fn has_library() -> bool {
    let Some(folder) = folder() else { return false };
    // rustup's list of what it has installed, beside the folders of the targets.
    if let Some(list) = folder.ancestors().nth(2).map(|above| above.join("components"))
        && list.is_file()
    {
        println!("cargo::rerun-if-changed={}", list.display());
    }
    folder.is_dir()
}

/// Where that library would be.
fn folder() -> Option<PathBuf> {
    let mut ask = Command::new(env::var_os("RUSTC")?);
    let said = ask.args(["--print", "target-libdir", "--target", TARGET]).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    said.status.success().then(|| PathBuf::from(text.trim()))
}

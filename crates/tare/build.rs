//! Builds the probe, static and optimised, with a cargo of its own, so that `tare` carries it inside.
//!
//! `TARE_PROBE=FILE` uses a ready-built one instead.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for watched in ["crates/tare-probe", "crates/tare-proto", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    println!("cargo::rerun-if-env-changed=TARE_PROBE");
    let probe = match env::var_os("TARE_PROBE") {
        Some(ready) => PathBuf::from(ready),
        None => build(&root),
    };
    println!("cargo::rustc-env=TARE_PROBE_FILE={}", probe.display());
}

fn build(root: &Path) -> PathBuf {
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("probe");
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets CARGO"));
    cargo.args(["build", "--package", "tare-probe", "--profile", "probe", "--target", &target]);
    cargo.arg("--manifest-path").arg(root.join("Cargo.toml")).arg("--target-dir").arg(&folder);
    // The outer build's settings (clippy's wrapper, coverage flags) are not the probe's.
    for (key, _) in env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_") && name != "CARGO_HOME"
            || name.starts_with("RUSTC")
            || name.starts_with("RUSTDOC")
        {
            cargo.env_remove(&key);
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", "-Ctarget-feature=+crt-static");
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "the probe does not build; its errors are above");
    folder.join(target).join("probe/tare-probe")
}

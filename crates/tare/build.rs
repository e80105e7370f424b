//! Builds, with a cargo of their own, what `tare` carries inside: the probe and the virtual machine monitor, static and
//! optimised, and the plugin that counts what a simulated machine executes.
//!
//! `TARE_PROBE=FILE`, `TARE_VMM=FILE` and `TARE_PLUGIN=FILE` use ready-built ones instead.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of the probe. At an address where nothing else is (UML's kernel and gVisor's sentry are user programs too), so that
/// the plugin tells the probe's instructions from theirs. GNU ld is asked for because the option is its own.
const PROBE_FLAGS: &[&str] = &[
    "-Ctarget-feature=+crt-static",
    "-Crelocation-model=static",
    "-Clink-arg=-fuse-ld=bfd",
    "-Clink-arg=-Wl,-Ttext-segment=0x50000000",
];

/// Of the monitor, which runs where no C library is.
const VMM_FLAGS: &[&str] = &["-Ctarget-feature=+crt-static"];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let watched = ["tare-probe", "tare-proto", "tare-vmm", "tare-plugin"];
    for watched in watched.map(|name| format!("crates/{name}")) {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    for watched in ["Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    carry(&root, "TARE_PROBE", "tare-probe", "tare-probe", PROBE_FLAGS);
    carry(&root, "TARE_VMM", "tare-vmm", "tare-vmm", VMM_FLAGS);
    carry(&root, "TARE_PLUGIN", "tare-plugin", "libtare_plugin.so", &[]);
}

/// Tells the compiler where `file` of `package` is: what `variable` names, or freshly built.
fn carry(root: &Path, variable: &str, package: &str, file: &str, flags: &[&str]) {
    println!("cargo::rerun-if-env-changed={variable}");
    let ready = env::var_os(variable).map(PathBuf::from);
    let path = ready.unwrap_or_else(|| build(root, package, flags).join(file));
    println!("cargo::rustc-env={variable}_FILE={}", path.display());
}

/// Builds `package`; the folder where its files are.
fn build(root: &Path, package: &str, flags: &[&str]) -> PathBuf {
    let target = env::var("TARGET").expect("cargo sets TARGET");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join(package);
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets CARGO"));
    cargo.args(["build", "--package", package, "--profile", "probe", "--target", &target]);
    cargo.arg("--manifest-path").arg(root.join("Cargo.toml")).arg("--target-dir").arg(&folder);
    // The outer build's settings (clippy's wrapper, coverage flags) are not these packages'.
    for (key, _) in env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_") && name != "CARGO_HOME"
            || name.starts_with("RUSTC")
            || name.starts_with("RUSTDOC")
        {
            cargo.env_remove(&key);
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "{package} does not build; its errors are above");
    folder.join(target).join("probe")
}

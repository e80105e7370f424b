//! Builds, with a cargo of their own, what `tare` carries inside: the probe and the virtual machine monitor, static and
//! optimised, and the plugin that counts what a simulated machine executes.
//!
//! `TARE_PROBE=FILE`, `TARE_PROBE32=FILE`, `TARE_PROBE_ARM=FILE`, `TARE_PROBE_POWER=FILE`, `TARE_VMM=FILE` and
//! `TARE_PLUGIN=FILE` use ready-built ones instead. The monitor and the plugin are only for x86-64, and probes for machines of
//! other architectures are built where Rust has their library. Without them tare contains empty files instead, and its layers
//! say so; with `TARE_WHOLE=1`, as for a release, the build fails instead. That keeps one build command for every architecture, without features of cargo.

#[path = "build/commit.rs"]
mod commit;
#[path = "build/foreign.rs"]
mod foreign;
#[path = "build/needs.rs"]
mod needs;

use foreign::{ARM_64, FOREIGN, Foreign, POWER_64, X86_32};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs, thread};

const PROBE_FLAGS: &[&str] = &["-Ctarget-feature=+crt-static", "-Crelocation-model=static"];

/// Of the probe where the plugin is. At an address where nothing else is (UML's kernel and gVisor's sentry are user
/// programs too), so that the plugin tells the probe's instructions from theirs. GNU ld is asked for because the option
/// is its own.
const PLACED_FLAGS: &[&str] =
    &["-Clink-arg=-fuse-ld=bfd", "-Clink-arg=-Wl,-Ttext-segment=0x50000000"];

/// Of the probe for x86-64, whose `fork_exec` starts a program without the C library (its `entry.rs`).
const ENTRY_FLAGS: &[&str] = &["-Clink-arg=-Wl,--entry=tare_entry"];

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
    println!("cargo::rustc-env=TARE_COMMIT_TEXT={}", commit::commit(&root));
    let counted = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|name| name == "x86_64");
    let placed = if counted { PLACED_FLAGS } else { &[] };
    let (target, probe) =
        (env::var("TARGET").expect("cargo sets TARGET"), [PROBE_FLAGS, placed].concat());
    let own = |package: &str, flags: &[&str]| build(&root, package, "probe", &target, flags);
    let native = || {
        complain(&needs::missing(&driver(), counted));
        let entry = if counted { ENTRY_FLAGS } else { &[] };
        own("tare-probe", &[&probe, entry].concat()).join("tare-probe")
    };
    println!("cargo::rerun-if-env-changed=TARE_WHOLE");
    let whole = env::var_os("TARE_WHOLE").is_some_and(|value| value == "1");
    let released = env::var("PROFILE").is_ok_and(|name| name == "release");
    let elsewhere = if released { "probe" } else { "probe-elsewhere" };
    let for_other = |other: &Foreign, flags: &[&str]| match counted && other.can_be_built() {
        true => build(&root, "tare-probe", elsewhere, other.target, flags).join("tare-probe"),
        false if counted && whole => {
            let (target, remedy) = (other.target, other.remedy());
            eprintln!(
                "the probe for {target} cannot be built here: {remedy}; TARE_WHOLE=0 does without"
            );
            exit(1)
        }
        false => nothing(),
    };
    let of_x86 = |package: &str, flags: &[&str], file: &str| match counted {
        true => own(package, flags).join(file),
        false => nothing(),
    };
    // Each compiles one crate after the other for most of its time: beside each other they use all CPUs.
    thread::scope(|scope| {
        scope.spawn(|| carry("TARE_PROBE", native));
        scope.spawn(|| carry("TARE_PROBE32", || for_other(&X86_32, &probe)));
        scope.spawn(|| carry("TARE_PROBE_ARM", || for_other(&ARM_64, PROBE_FLAGS)));
        scope.spawn(|| carry("TARE_PROBE_POWER", || for_other(&POWER_64, PROBE_FLAGS)));
        scope.spawn(|| carry("TARE_VMM", || of_x86("tare-vmm", VMM_FLAGS, "tare-vmm")));
        scope.spawn(|| carry("TARE_PLUGIN", || of_x86("tare-plugin", &[], "libtare_plugin.so")));
    });
}

/// The program that links: cargo's setting, or what Rust uses unasked.
fn driver() -> std::ffi::OsString {
    env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into())
}

/// Ends the build when something is missing, before a linker says it in its own words.
fn complain(missing: &[&str]) {
    for remedy in missing {
        eprintln!("the probe is linked statically, and this machine lacks {remedy}");
    }
    if !missing.is_empty() {
        exit(1);
    }
}

fn nothing() -> PathBuf {
    let path = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("nothing");
    fs::write(&path, "").expect("write to OUT_DIR");
    path
}

/// Tells the compiler where a file is: what `variable` names, or what `build` makes. Clippy reads and runs nothing: for it, whose builds
/// have folders of their own, all would be compiled once more.
fn carry(variable: &str, build: impl FnOnce() -> PathBuf) {
    println!("cargo::rerun-if-env-changed={variable}");
    let ready = env::var_os(variable).map(PathBuf::from);
    let wrapper = env::var("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    let build = || if wrapper.contains("clippy-driver") { nothing() } else { build() };
    let path = ready.unwrap_or_else(build);
    println!("cargo::rustc-env={variable}_FILE={}", path.display());
}

/// Builds `package` in `profile` for `target`; the folder where its files are.
fn build(root: &Path, package: &str, profile: &str, target: &str, flags: &[&str]) -> PathBuf {
    if !root.join("crates").join(package).is_dir() {
        eprintln!(
            "the sources of {package} lie beside this crate only in tare's repository: build there, or name files that are built \
             (TARE_PROBE, TARE_PROBE32, TARE_PROBE_ARM, TARE_PROBE_POWER, TARE_VMM, TARE_PLUGIN)"
        );
        exit(1);
    }
    // One of its own for each target: cargos that share one wait for each other.
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let folder = folder.join(format!("{package}-{target}"));
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets CARGO"));
    cargo.args(["build", "--package", package, "--profile", profile, "--target", target]);
    cargo.arg("--manifest-path").arg(root.join("Cargo.toml")).arg("--target-dir").arg(&folder);
    // The outer build's settings (clippy's wrapper, coverage flags) are not these packages', but for its share of the CPUs.
    for (key, _) in env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_") && !["CARGO_HOME", "CARGO_MAKEFLAGS"].contains(&&*name)
            || name.starts_with("RUSTC")
            || name.starts_with("RUSTDOC")
        {
            cargo.env_remove(&key);
        }
    }
    let is_own = env::var("TARGET").is_ok_and(|own| own == target);
    let own = env::var_os("RUSTC_LINKER").filter(|_| is_own);
    let other = FOREIGN.iter().find(|other| other.target == target);
    if let Some(linker) = own.or_else(|| Some(other?.linker?.into())) {
        let name = target.to_uppercase().replace('-', "_");
        cargo.env(format!("CARGO_TARGET_{name}_LINKER"), linker);
    }
    // What is built is the same wherever the sources lie: their path is in no message of it.
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo"))).unwrap_or_default();
    let remapped = format!("--remap-path-prefix={}=/cargo", home.display());
    let flags = [flags, &[remapped.as_str()]].concat();
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "{package} does not build; its errors are above");
    folder.join(target).join(profile)
}

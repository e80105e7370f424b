//! `cargo xtask dist`: builds tare as a static program and makes its release in `target/dist`.
//!
//! `--binary FILE` packs a program that is already built, `--out DIR` names another folder.

use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tare_dist::{Release, pack, said};

#[derive(Default)]
struct Args {
    binary: Option<PathBuf>,
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    match dist() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tare-dist: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dist() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let args = args()?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let (is_static, binary) = match args.binary {
        Some(binary) => (false, binary),
        None => (true, build(&root, &target.join("dist-build"))?),
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let release = Release { epoch: epoch(&root)?, root, binary, version, is_static };
    for file in pack(&release, &args.out.unwrap_or(target.join("dist")))? {
        println!("{}", file.display());
    }
    Ok(())
}

fn args() -> Result<Args> {
    let mut args = Args::default();
    let mut words = env::args_os().skip(1);
    while let Some(word) = words.next() {
        let place = match word.to_str() {
            Some("--binary") => &mut args.binary,
            Some("--out") => &mut args.out,
            _ => bail!("{} is not known; there are --binary FILE and --out DIR", word.display()),
        };
        let value = words.next().with_context(|| format!("{} needs a value", word.display()))?;
        *place = Some(value.into());
    }
    Ok(args)
}

/// The date of every file: `SOURCE_DATE_EPOCH`, or the commit's.
fn epoch(root: &Path) -> Result<u64> {
    let text = match env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => git(root, &["log", "-1", "--format=%ct"])
            .context("outside of a git repository, SOURCE_DATE_EPOCH has to say the date")?,
    };
    text.parse().with_context(|| format!("SOURCE_DATE_EPOCH is '{text}'"))
}

/// The commit, and whether anything differs from it.
fn commit(root: &Path) -> Option<String> {
    let commit = git(root, &["rev-parse", "HEAD"]).ok()?;
    let changed = !git(root, &["status", "--porcelain"]).ok()?.is_empty();
    Some(if changed { format!("{commit} with changes") } else { commit })
}

fn git(root: &Path, words: &[&str]) -> Result<String> {
    said(Command::new("git").arg("-C").arg(root).args(words))
}

/// Builds tare statically in `target`; the program. No path of this machine gets into it.
fn build(root: &Path, target: &Path) -> Result<PathBuf> {
    let triple = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let mut remapped = vec![(root.to_owned(), "/tare"), (target.to_owned(), "/target")];
    remapped.extend(cargo_home.map(|home| (home, "/cargo")));
    let maps = |option: &str| {
        let map = |(from, to): &(PathBuf, &str)| format!("{option}={}={to}", from.display());
        remapped.iter().map(map).collect::<Vec<String>>()
    };
    let flags = [vec!["-Ctarget-feature=+crt-static".into()], maps("--remap-path-prefix")].concat();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.current_dir(root).args(["build", "--locked", "--release", "--package", "tare"]);
    cargo.args(["--target", &triple, "--target-dir"]).arg(target);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    // A release carries the probes for other architectures, too.
    cargo.env("TARE_WHOLE", env::var_os("TARE_WHOLE").unwrap_or_else(|| "1".into()));
    cargo.env("CFLAGS", maps("-ffile-prefix-map").join(" "));
    cargo.env("TARE_COMMIT", commit(root).unwrap_or_else(|| "unknown".into()));
    let status = cargo.status().context("cannot start cargo")?;
    if !status.success() {
        bail!("tare does not build; the errors are above");
    }
    Ok(target.join(triple).join("release/tare"))
}

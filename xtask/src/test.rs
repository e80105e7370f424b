//! The README's second command, and CI's: everything that must hold.

use crate::shell::cargo;
use crate::{elsewhere, gvisor, packages, tidy};
use anyhow::Result;
use std::time::Instant;

/// A part of the tests: what it is called, and how it runs.
type Part<'a> = (&'a str, Box<dyn Fn() -> Result<()> + 'a>);

/// Installs what tests need and runs all checks and tests; `args` are for `cargo test`. A missing layer fails, it is not
/// skipped. How long each part took is printed at the end.
pub fn test(args: &[String]) -> Result<()> {
    let mut times = Vec::new();
    let mut done = Ok(());
    for (name, run) in parts(args) {
        let begin = Instant::now();
        done = run();
        times.push((name, begin.elapsed()));
        if done.is_err() {
            break;
        }
    }
    for (name, time) in times {
        eprintln!("{:>6.0} s  {name}", time.as_secs_f64());
    }
    done
}

fn parts(args: &[String]) -> Vec<Part<'_>> {
    const LINTS: [&str; 5] = ["--all-targets", "--quiet", "--", "-D", "warnings"];
    // What is behind a feature, with the tests that need it.
    const FEATURE: [&str; 4] = ["--package", "tare", "--features", "parquet"];
    let docs = || {
        cargo(&["doc", "--workspace", "--no-deps", "--quiet"], &[("RUSTDOCFLAGS", "-D warnings")])
    };
    vec![
        ("packages", Box::new(packages::install_for_tests)),
        ("gVisor", Box::new(gvisor::build)),
        ("tidy", Box::new(tidy::tidy)),
        ("rustfmt", Box::new(|| cargo(&["fmt", "--all", "--check"], &[]))),
        ("clippy", Box::new(|| cargo(&[&["clippy", "--workspace"], &LINTS[..]].concat(), &[]))),
        ("rustdoc", Box::new(docs)),
        ("aarch64", Box::new(elsewhere::elsewhere)),
        (
            "tests",
            Box::new(|| {
                let own = args.iter().map(String::as_str);
                let words: Vec<&str> =
                    ["test", "--workspace", "--no-fail-fast"].into_iter().chain(own).collect();
                cargo(&words, &[])
            }),
        ),
        ("clippy, Parquet", Box::new(|| cargo(&[&["clippy"], &FEATURE[..], &LINTS].concat(), &[]))),
        (
            "tests, Parquet",
            Box::new(|| cargo(&[&["test"], &FEATURE[..], &["--test", "export"]].concat(), &[])),
        ),
    ]
}

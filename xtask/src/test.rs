//! The README's second command, and CI's: everything that must hold.

use crate::shell::{cargo, cargo_beside};
use crate::{elsewhere, go::GVISOR, packages, tidy};
use anyhow::Result;
use std::thread;
use std::time::{Duration, Instant};

/// A part of the tests: what it is called, and how it runs.
type Part<'a> = (&'a str, Box<dyn Fn() -> Result<()> + Send + 'a>);

/// Installs what tests need and runs all checks and tests; `args` are for `cargo test`. A missing layer fails, it is not
/// skipped. How long each part took is printed at the end.
pub fn test(args: &[String]) -> Result<()> {
    let mut times = Vec::new();
    let mut done = all(first(), &mut times);
    if done.is_ok() {
        // Tests mostly wait for guests, on one CPU: the compiler has the other.
        done = thread::scope(|scope| {
            let beside = scope.spawn(|| {
                let mut times = Vec::new();
                (all(lints(), &mut times), times)
            });
            let tested = all(tests(args), &mut times);
            let (linted, more) = beside.join().unwrap_or_else(|e| std::panic::resume_unwind(e));
            times.extend(more);
            tested.and(linted)
        });
    }
    for (name, time) in times {
        eprintln!("{:>6.0} s  {name}", time.as_secs_f64());
    }
    done
}

/// Runs `parts` until one fails.
fn all<'a>(parts: Vec<Part<'a>>, times: &mut Vec<(&'a str, Duration)>) -> Result<()> {
    for (name, part) in parts {
        let begin = Instant::now();
        let done = part();
        times.push((name, begin.elapsed()));
        done?;
    }
    Ok(())
}

fn first() -> Vec<Part<'static>> {
    vec![
        ("packages", Box::new(packages::install_for_tests)),
        ("gVisor", Box::new(|| GVISOR.build())),
        ("tidy", Box::new(tidy::tidy)),
        ("rustfmt", Box::new(|| cargo(&["fmt", "--all", "--check"], &[]))),
        (
            "tests compiled",
            Box::new(|| cargo(&["test", "--workspace", "--quiet", "--no-run"], &[])),
        ),
    ]
}

fn tests(args: &[String]) -> Vec<Part<'_>> {
    let workspace = || {
        let own = args.iter().map(String::as_str);
        let words: Vec<&str> =
            ["test", "--workspace", "--no-fail-fast"].into_iter().chain(own).collect();
        cargo(&words, &[])
    };
    vec![("tests", Box::new(workspace))]
}

/// Checks of the text of programs.
fn lints() -> Vec<Part<'static>> {
    const STRICT: [&str; 5] = ["--all-targets", "--quiet", "--", "-D", "warnings"];
    let docs = || {
        let words = ["doc", "--workspace", "--no-deps", "--quiet"];
        cargo_beside(&words, &[("RUSTDOCFLAGS", "-D warnings")])
    };
    vec![
        (
            "clippy",
            Box::new(|| cargo_beside(&[&["clippy", "--workspace"], &STRICT[..]].concat(), &[])),
        ),
        ("rustdoc", Box::new(docs)),
        ("aarch64", Box::new(elsewhere::elsewhere)),
    ]
}

//! The README's second command, and CI's: everything that must hold.

use crate::shell::{cargo, cargo_beside};
use crate::test_programs::TestProgram;
use crate::{elsewhere, go::GVISOR, packages, tidy};
use anyhow::{Result, ensure};
use std::thread;
use std::time::{Duration, Instant};

/// What is shorter than this has no line of its own among the times.
const SHORT: Duration = Duration::from_secs(5);

/// A check: what it is called, and how it is done.
type Check = (&'static str, fn() -> Result<()>);

/// What everything else needs, or what is soonest known.
const FIRST: &[Check] = &[
    ("packages", packages::install_for_tests),
    ("gVisor", || GVISOR.build()),
    ("tidy", tidy::tidy),
    ("rustfmt", || cargo(&["fmt", "--all", "--check"], &[])),
];

/// Checks of the text of programs, and of the examples in it.
const LINTS: &[Check] = &[
    ("clippy", || {
        const STRICT: [&str; 5] = ["--all-targets", "--quiet", "--", "-D", "warnings"];
        cargo_beside(&[&["clippy", "--workspace"], &STRICT[..]].concat(), &[])
    }),
    ("rustdoc", || {
        let words = ["doc", "--workspace", "--no-deps", "--quiet"];
        cargo_beside(&words, &[("RUSTDOCFLAGS", "-D warnings")])
    }),
    ("doc tests", || cargo_beside(&["test", "--workspace", "--doc", "--quiet"], &[])),
    ("aarch64", elsewhere::elsewhere),
];

/// A part that has been done: how long it took, and whether it holds.
struct Done {
    name: String,
    took: Duration,
    result: Result<()>,
}

/// Does `part`, and notes how long that takes.
fn timed(name: &str, part: impl FnOnce() -> Result<()>) -> Done {
    let begin = Instant::now();
    let result = part();
    Done { name: name.to_owned(), took: begin.elapsed(), result }
}

/// Installs what tests need and runs all checks and tests; with `words`, only the programs of tests whose names hold one of
/// them. A missing layer fails, it is not skipped. How long each part took is printed at the end.
pub fn test(words: &[String]) -> Result<()> {
    let mut parts = Vec::new();
    for (name, check) in FIRST {
        parts.push(timed(name, check));
        if parts.last().is_some_and(|part| part.result.is_err()) {
            return told(parts);
        }
    }
    let mut programs = Vec::new();
    parts.push(timed("tests compiled", || {
        programs = TestProgram::built()?;
        programs.retain(|program| {
            words.is_empty() || words.iter().any(|word| program.name.contains(word.as_str()))
        });
        ensure!(!programs.is_empty(), "no program of tests is called so");
        Ok(())
    }));
    if programs.is_empty() {
        return told(parts);
    }
    let (undisturbed, others): (Vec<_>, Vec<_>) =
        programs.iter().partition(|program| program.is_undisturbed());
    // Most tests wait for a guest on one CPU. On the other are what counts instructions, however slowly, what computes, and the compiler.
    thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let undisturbed =
                undisturbed.iter().map(|program| timed(&program.name, || program.run_beside()));
            let lints = LINTS.iter().filter(|_| words.is_empty());
            undisturbed.chain(lints.map(|(name, check)| timed(name, check))).collect::<Vec<_>>()
        });
        parts.extend(others.iter().map(|program| timed(&program.name, || program.run())));
        parts.extend(beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    });
    told(parts)
}

/// Prints how long each took, and how many hold.
///
/// # Errors
/// One of them does not hold; the text names all that do not.
fn told(parts: Vec<Done>) -> Result<()> {
    let line = |took: Duration, name: &str| eprintln!("{:>6.0} s  {name}", took.as_secs_f64());
    for part in parts.iter().filter(|part| part.took >= SHORT) {
        line(part.took, &part.name);
    }
    let short = parts.iter().map(|part| part.took).filter(|took| *took < SHORT);
    line(short.sum(), "all others");
    let failed = parts.iter().filter_map(|part| {
        part.result.as_ref().err().map(|error| format!("{}: {error:#}", part.name))
    });
    let failed: Vec<String> = failed.collect();
    println!("{} passed, {} failed", parts.len() - failed.len(), failed.len());
    ensure!(failed.is_empty(), "what failed:\n{}", failed.join("\n"));
    Ok(())
}

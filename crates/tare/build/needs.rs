//! What the build of the probe needs beyond Rust and a C linker, and which package provides it.

use std::ffi::OsStr;
use std::process::Command;

/// What the linker's driver is asked for, and what to install when it finds none.
const STATIC_C: (&str, &str) = (
    "-print-file-name=libc.a",
    "a static C library (libc.a): Debian and Ubuntu have it in libc6-dev, Fedora in glibc-static",
);
const GNU_LD: (&str, &str) =
    ("-print-prog-name=ld.bfd", "GNU ld (ld.bfd): it is in the package binutils");

/// What a static program that `driver` links lacks; with `placed`, one whose address is chosen, too.
///
/// A driver that cannot be asked lacks nothing that is known: the linker itself will say what it misses.
pub fn missing(driver: &OsStr, placed: bool) -> Vec<&'static str> {
    let needed = [STATIC_C].into_iter().chain(placed.then_some(GNU_LD));
    needed.filter(|(question, _)| lacks(driver, question)).map(|(_, remedy)| remedy).collect()
}

/// Whether `driver` answers with a bare name, as gcc and clang do when they find no such file, and no program has it.
fn lacks(driver: &OsStr, question: &str) -> bool {
    let Ok(answer) = Command::new(driver).arg(question).output() else { return false };
    let text = String::from_utf8_lossy(&answer.stdout);
    let name = text.trim();
    answer.status.success()
        && !name.is_empty()
        && !name.contains('/')
        && Command::new(name).arg("--version").output().is_err()
}

//! The programs that benchmarks exec: the probe is its own tiny programs and shell, so that every
//! layer runs identical bits.

pub mod script;
mod tools;

use crate::process::{self, MOST_ARGS};
use std::ffi::{CStr, CString};

/// The program: writes one line to standard output. On x86-64 without the C library's start ([`crate::entry`] knows its name).
pub const HELLO: &CStr = c"tare-hello";

/// The same with it.
pub const HELLO_LIBC: &CStr = c"tare-hello-libc";

/// The shell: `tare-sh -c APPLET`.
pub const SHELL: &CStr = c"tare-sh";

/// `tare-again N`: becomes itself N times, counting down.
pub const AGAIN: &CStr = c"tare-again";

/// `tare-multi N FILE`: N scripts at once.
pub const MULTI: &CStr = c"tare-multi";

/// Words of a command line, of which those that were not given are `None`.
pub type Args<'a> = [Option<&'a CStr>; MOST_ARGS];

/// Runs the applet that `args[0]` names; `None` when this is the probe itself.
pub fn run(args: Args) -> Option<i32> {
    let [Some(name), first, second, ..] = args else { return None };
    if !name.to_bytes().starts_with(b"tare-") {
        return None;
    }
    match name {
        _ if name == HELLO || name == HELLO_LIBC => Some(hello()),
        _ if name == SHELL => Some(shell(first, second)),
        _ if name == AGAIN => Some(again(first)),
        _ if name == MULTI => Some(script::multi(first, second)),
        _ if name == script::SCRIPT => Some(script::script(first)),
        _ => tools::run(name, &args),
    }
}

/// The smallest program that does something. Benchmarks start it with its output closed, so it
/// succeeds whether or not the line arrives.
pub fn hello() -> i32 {
    let text = b"hello\n";
    // SAFETY: the pointer and the length are of the same array.
    unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
    0
}

/// What dash does with `-c APPLET`, once it has started up: runs it in a child, made with vfork, and waits for it.
fn shell(option: Option<&CStr>, command: Option<&CStr>) -> i32 {
    let (Some(option), Some(command)) = (option, command) else { return 2 };
    if option != c"-c" {
        return 2;
    }
    let ended = process::spawned(|| process::exec_applet(&[command])).and_then(process::wait);
    ended.map_or(126, |(_, status)| libc::WEXITSTATUS(status))
}

fn again(left: Option<&CStr>) -> i32 {
    let Some(left) = number(left) else { return 2 };
    if left <= 1 {
        return 0; // the exec that began this program was the last one
    }
    let next = CString::new((left - 1).to_string()).expect("digits");
    process::exec_applet(&[AGAIN, &next])
}

/// A word that is a number.
fn number(word: Option<&CStr>) -> Option<u64> {
    word?.to_str().ok()?.parse().ok()
}

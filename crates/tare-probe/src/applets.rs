//! The programs that benchmarks exec: the probe is its own tiny program and shell, so that every
//! layer runs identical bits.

use crate::process;
use std::ffi::CStr;

/// The program: writes one line to standard output.
pub const HELLO: &CStr = c"tare-hello";

/// The shell: `tare-sh -c APPLET`.
pub const SHELL: &CStr = c"tare-sh";

/// Runs the applet that `args[0]` names; `None` when this is the probe itself.
pub fn run(args: [Option<&CStr>; 3]) -> Option<i32> {
    match args {
        [Some(name), ..] if name == HELLO => Some(hello()),
        [Some(name), option, command] if name == SHELL => Some(shell(option, command)),
        _ => None,
    }
}

/// The smallest program that does something. Benchmarks start it with its output closed, so it
/// succeeds whether or not the line arrives.
fn hello() -> i32 {
    let text = b"hello\n";
    // SAFETY: the pointer and the length are of the same array.
    unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
    0
}

/// What dash does with `-c APPLET`: runs it in a child and waits for it.
fn shell(option: Option<&CStr>, command: Option<&CStr>) -> i32 {
    let (Some(option), Some(command)) = (option, command) else { return 2 };
    if option != c"-c" {
        return 2;
    }
    let ended = process::fork(|| process::exec_applet(&[command])).and_then(process::wait);
    ended.map_or(126, |(_, status)| libc::WEXITSTATUS(status))
}

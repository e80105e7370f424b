//! Everything that tare prints goes through here: colour only where it is wanted, a closed pipe is
//! the reader's right, and a result that is lost otherwise is a failure.

use crate::cli::Color;
use anyhow::{Error, Result};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use tare_report::Paint;

static COLOR: AtomicU8 = AtomicU8::new(0);

/// Sets what `--color` says.
pub fn set_color(color: Color) {
    COLOR.store(color as u8, Ordering::Relaxed);
}

/// Whether standard output is to be coloured.
pub fn paint() -> Paint {
    let wanted = match COLOR.load(Ordering::Relaxed) {
        always if always == Color::Always as u8 => true,
        never if never == Color::Never as u8 => false,
        _ => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        }
    };
    if wanted { Paint::Ansi } else { Paint::Plain }
}

/// Columns to write in: the terminal's within 60 to 120; 80 in a pipe.
pub fn width() -> usize {
    if !io::stdout().is_terminal() {
        return 80;
    }
    let columns = terminal_size::terminal_size().map_or(80, |(width, _)| width.0);
    usize::from(columns).clamp(60, 120)
}

/// Prints `text` on standard output.
///
/// # Errors
/// Standard output takes no more: a disk is full.
pub fn print(text: &str) -> Result<()> {
    stream(|out| Ok(out.write_all(text.as_bytes())?))
}

/// Lets `write` write to standard output.
///
/// # Errors
/// What `write` fails with, and what [`print()`] does.
pub fn stream(write: impl FnOnce(&mut io::Stdout) -> Result<()>) -> Result<()> {
    let mut out = io::stdout();
    match write(&mut out).and_then(|()| Ok(out.flush()?)) {
        Err(error) if !is_closed_pipe(&error) => {
            Err(error.context("cannot write to standard output"))
        }
        _ => Ok(()),
    }
}

/// Whether the reader has gone.
pub fn is_closed_pipe(error: &Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// Says something beside the result, on standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// An error with its causes, each once.
pub fn error(error: &anyhow::Error) {
    note(&format!("tare: {error:#}"));
}

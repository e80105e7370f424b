//! Everything that tare prints goes through here: colour only where it is wanted, a closed pipe is
//! the reader's right.

use crate::cli::Color;
use std::io::{self, IsTerminal, Write};
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
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Says something beside the result, on standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// An error with its causes, each once.
pub fn error(error: &anyhow::Error) {
    note(&format!("tare: {error:#}"));
}

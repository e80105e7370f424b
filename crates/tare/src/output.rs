//! Everything that tare prints goes through here: colour only where it is wanted, nothing else that steers a terminal, a closed
//! pipe is the reader's right, and a result that is lost otherwise is a failure.

use crate::cli::Color;
use anyhow::{Error, Result};
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use tare_proto::{harmless_lines, steers};
use tare_report::Paint;

static COLOR: AtomicU8 = AtomicU8::new(0);

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

/// Whether somebody reads standard output as it comes.
pub fn is_seen() -> bool {
    io::stdout().is_terminal()
}

/// Columns to write in: the terminal's within 60 to 120; 80 in a pipe.
pub fn width() -> usize {
    if !is_seen() {
        return 80;
    }
    let columns = terminal_size::terminal_size().map_or(80, |(width, _)| width.0);
    usize::from(columns).clamp(60, 120)
}

/// Prints `text` on standard output. What it holds of other people's words is harmless already; should any of them not be, it
/// is here.
///
/// # Errors
/// Standard output takes no more: a disk is full.
pub fn print(text: &str) -> Result<()> {
    stream(|out| Ok(out.write_all(steady(text, paint()).as_bytes())?))
}

/// The colours that tare writes.
const COLORS: &[&str] = &["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m", "\x1b[36m"];

/// `text` in which nothing but its lines and tare's own colours steers a terminal.
fn steady(text: &str, paint: Paint) -> Cow<'_, str> {
    let harmful = |c: char| steers(c) && !matches!(c, '\n' | '\t');
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(harmful) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let color = COLORS.iter().find(|code| paint == Paint::Ansi && from.starts_with(**code));
        let end =
            color.map_or_else(|| from.chars().next().map_or(0, char::len_utf8), |code| code.len());
        match color {
            Some(code) => out.push_str(code),
            None => out.extend(from.chars().take(1).flat_map(char::escape_unicode)),
        }
        rest = &from[end..];
    }
    if out.is_empty() && rest.len() == text.len() {
        return text.into();
    }
    (out + rest).into()
}

pub fn stream(write: impl FnOnce(&mut io::Stdout) -> Result<()>) -> Result<()> {
    let mut out = io::stdout();
    match write(&mut out).and_then(|()| Ok(out.flush()?)) {
        Err(error) if !is_closed_pipe(&error) => {
            Err(error.context("cannot write to standard output"))
        }
        _ => Ok(()),
    }
}

pub fn is_closed_pipe(error: &Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == ErrorKind::BrokenPipe)
}

/// Says something beside the result, on standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", in_lines(&said(text)));
}

/// `text` in lines of the terminal that shows it, so that no word is broken; elsewhere as it is.
pub fn in_lines(text: &str) -> String {
    let width =
        terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
    match width.filter(|width| *width >= NARROWEST && io::stderr().is_terminal()) {
        Some(width) => wrapped(text, width),
        None => text.to_owned(),
    }
}

/// Fewer columns are no terminal that somebody reads.
const NARROWEST: usize = 20;

/// `text` in lines of at most `width` columns where its words allow that; a line that is continued keeps its indent.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.split('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut column = 0;
        let mut gap = 0;
        for word in line.split(' ') {
            let wide = word.chars().count();
            if !word.is_empty() && column > indent && column + gap + wide > width {
                out.push('\n');
                (column, gap) = (0, indent);
            }
            if !word.is_empty() {
                out.extend(std::iter::repeat_n(' ', gap));
                out.push_str(word);
                (column, gap) = (column + gap + wide, 0);
            }
            gap += 1;
        }
        out.push('\n');
    }
    out.pop();
    out
}

/// Most characters of a line that is not a result, and most lines of a text.
const WIDE: usize = 2000;
const HIGH: usize = 100;

/// `text` as it is said beside the result. It may quote anything of any length: a file's line, a name in an archive, a word of a
/// database.
pub fn said(text: &str) -> String {
    harmless_lines(text, WIDE, HIGH)
}

/// An error with its causes, each once and none so long that it hides the others.
pub fn error(error: &anyhow::Error) {
    let causes: Vec<String> = error.chain().map(|cause| said(&cause.to_string())).collect();
    let _ = writeln!(io::stderr(), "{}", in_lines(&format!("tare: {}", causes.join(": "))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_and_lines_keep_their_indent() {
        let text = "While measuring, tare itself used 0.7% of a CPU.\n  remedy: a-word-that-is-longer-than-a-line it\n";
        let expected = "While measuring, tare\nitself used 0.7% of a\nCPU.\n  remedy:\n  a-word-that-is-longer-than-a-line\n  it\n";
        assert_eq!(wrapped(text, 22), expected);
        assert_eq!(wrapped("", 22), "");
    }

    #[test]
    fn nothing_but_tares_own_colours_steers_a_terminal() {
        let text = "a\x1b[31mred\x1b[0m\tb\nc\x1b[2J\x1b]0;t\x07 \u{202e}\u{feff}é";
        let plain =
            "a\\u{1b}[31mred\\u{1b}[0m\tb\nc\\u{1b}[2J\\u{1b}]0;t\\u{7} \\u{202e}\\u{feff}é";
        assert_eq!(steady(text, Paint::Plain), plain);
        let colored = plain.replace("\\u{1b}[31m", "\x1b[31m").replace("\\u{1b}[0m", "\x1b[0m");
        assert_eq!(steady(text, Paint::Ansi), colored);
        assert!(matches!(steady("plain\n", Paint::Plain), Cow::Borrowed(_)));
    }
}

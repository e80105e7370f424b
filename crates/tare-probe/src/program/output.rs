//! What a program prints: its last bytes, as text that a regular expression can be asked about.

use std::collections::VecDeque;
use tare_proto::MAX_OUTPUT;

/// Most characters of the lines that a failure quotes.
const QUOTED: usize = 320;

/// Lines that a failure quotes.
const LINES: usize = 4;

/// Most bytes that the console gets of a failed run.
const CONSOLE: usize = 4096;

/// The last bytes of a stream, however much comes.
#[derive(Default)]
pub struct Tail(VecDeque<u8>);

impl Tail {
    /// Adds bytes and forgets the first ones.
    pub fn push(&mut self, bytes: &[u8]) {
        let keep = &bytes[bytes.len().saturating_sub(MAX_OUTPUT)..];
        let over = (self.0.len() + keep.len()).saturating_sub(MAX_OUTPUT);
        self.0.drain(..over.min(self.0.len()));
        self.0.extend(keep);
    }

    /// As text: lines end in newlines, a line that was written over counts as several, and what a terminal would obey
    /// is replaced, which keeps the line to the host short.
    pub fn text(&mut self) -> String {
        let text = String::from_utf8_lossy(self.0.make_contiguous()).replace("\r\n", "\n");
        let plain = |c: char| match c {
            '\n' | '\t' => c,
            '\r' => '\n',
            c if c.is_control() => '\u{fffd}',
            c => c,
        };
        let text: String = text.chars().map(plain).collect();
        last(&text, MAX_OUTPUT).to_owned()
    }
}

/// The last lines that say something, on one line.
pub fn last_lines(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines[lines.len().saturating_sub(LINES)..].join(" | ");
    last(&text, QUOTED).to_owned()
}

/// What the console gets.
pub fn end(output: &str) -> &str {
    last(output, CONSOLE)
}

/// Shortens `outputs` to their last bytes so that all of them together are no more than `most`.
pub fn share(outputs: &mut [String], most: usize) {
    let each = most / outputs.len().max(1);
    outputs.iter_mut().for_each(|output| *output = last(output, each).to_owned());
}

/// At most the last `most` bytes of `text`.
fn last(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

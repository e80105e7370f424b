//! Splits a layer's untrusted byte stream into bounded lines and sorts messages from noise.

use crate::{FromProbe, LineError, MAX_LINE, decode};
use std::io::{self, BufRead};

/// What one line of a layer's stream was.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// A whole, believable message.
    Message(FromProbe),
    /// Not of the protocol: console output, without its line ending.
    Noise(String),
    /// Of the protocol, and damaged.
    Damaged(LineError),
}

/// Reads [`Incoming`] lines from a stream, never holding more than [`MAX_LINE`] bytes.
pub struct LineReader<R> {
    stream: R,
}

impl<R: BufRead> LineReader<R> {
    /// Reads from `stream`.
    pub fn new(stream: R) -> Self {
        LineReader { stream }
    }

    /// The next line, or `None` at the end of the stream.
    ///
    /// A longer line than [`MAX_LINE`] is cut there and its rest is dropped up to the newline.
    pub fn next_line(&mut self) -> io::Result<Option<Incoming>> {
        let mut line = Vec::new();
        let mut seen = 0usize;
        loop {
            let chunk = match self.stream.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                return Ok((seen > 0).then(|| sort(&line)));
            }
            let end = chunk.iter().position(|&b| b == b'\n');
            let used = end.map_or(chunk.len(), |i| i + 1);
            let room = MAX_LINE - line.len();
            line.extend_from_slice(&chunk[..used.min(room)]);
            seen += used;
            self.stream.consume(used);
            if end.is_some() {
                return Ok(Some(sort(&line)));
            }
        }
    }
}

fn sort(line: &[u8]) -> Incoming {
    let text = String::from_utf8_lossy(line);
    match decode::<FromProbe>(&text).and_then(FromProbe::check) {
        Ok(message) => Incoming::Message(message),
        Err(LineError::Noise) => Incoming::Noise(text.trim_end_matches(['\n', '\r']).to_owned()),
        Err(damage) => Incoming::Damaged(damage),
    }
}

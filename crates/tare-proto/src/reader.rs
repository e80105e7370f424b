//! Splits a layer's untrusted byte stream into bounded lines and sorts messages from noise.

use crate::{FromProbe, LineError, MAX_LINE, decode};
use std::io::{self, BufRead};

/// What one line of a layer's stream is.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// A whole, believable message.
    Message(FromProbe),
    /// Not of the protocol: console output, without its line ending.
    Noise(String),
    /// Of the protocol, and damaged: how, and what came.
    Damaged(LineError, String),
}

/// Reads [`Incoming`] lines from a stream, never holding more than [`MAX_LINE`] bytes.
pub struct LineReader<R> {
    stream: R,
    /// What there is of the next line, and how many bytes have been seen of it.
    line: Vec<u8>,
    seen: usize,
}

impl<R: BufRead> LineReader<R> {
    /// Reads from `stream`.
    pub fn new(stream: R) -> Self {
        LineReader { stream, line: Vec::new(), seen: 0 }
    }

    /// The stream itself.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.stream
    }

    /// What has come of a line that has not ended.
    pub fn unfinished(&self) -> &[u8] {
        &self.line
    }

    /// The next line, or `None` at the end of the stream.
    ///
    /// A longer line than [`MAX_LINE`] is cut there and its rest is dropped up to the newline. After an error (nothing came
    /// in time) the next call goes on with the same line.
    pub fn next_line(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            let chunk = match self.stream.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                let some = std::mem::take(&mut self.seen) > 0;
                return Ok(some.then(|| sort(&std::mem::take(&mut self.line))));
            }
            let end = chunk.iter().position(|&b| b == b'\n');
            let used = end.map_or(chunk.len(), |i| i + 1);
            let room = MAX_LINE - self.line.len();
            self.line.extend_from_slice(&chunk[..used.min(room)]);
            self.seen += used;
            self.stream.consume(used);
            if end.is_some() {
                self.seen = 0;
                return Ok(Some(sort(&std::mem::take(&mut self.line))));
            }
        }
    }
}

fn sort(line: &[u8]) -> Incoming {
    let text = String::from_utf8_lossy(line);
    match decode::<FromProbe>(&text).and_then(FromProbe::check) {
        Ok(message) => Incoming::Message(message),
        Err(how) => {
            let line = text.trim_end_matches(['\n', '\r']).to_owned();
            if how == LineError::Noise {
                Incoming::Noise(line)
            } else {
                Incoming::Damaged(how, line)
            }
        }
    }
}

//! The console of a boot: everything it prints outside the protocol, bounded, for the log and for
//! the last lines that a failure shows.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Most bytes that a boot's log file holds.
const MOST_LOGGED: usize = 1 << 20;

/// Most bytes that the tail holds.
const TAIL: usize = 4096;

/// A boot's console; clones share it.
#[derive(Clone)]
pub struct Console(Arc<Mutex<Inner>>);

struct Inner {
    tail: VecDeque<u8>,
    log: Option<File>,
    logged: usize,
}

impl Console {
    /// A console that also writes to `log`; a log that cannot be made is not worth a failed boot.
    pub fn new(log: Option<&Path>) -> Console {
        let log = log.and_then(|path| File::create(path).ok());
        Console(Arc::new(Mutex::new(Inner { tail: VecDeque::new(), log, logged: 0 })))
    }

    /// Adds raw bytes.
    pub fn push(&self, bytes: &[u8]) {
        let mut inner = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let keep = &bytes[bytes.len().saturating_sub(TAIL)..];
        let over = (inner.tail.len() + keep.len()).saturating_sub(TAIL);
        inner.tail.drain(..over);
        inner.tail.extend(keep);
        let part = &bytes[..bytes.len().min(MOST_LOGGED - inner.logged)];
        inner.logged += part.len();
        if let Some(log) = &mut inner.log {
            let _ = log.write_all(part);
        }
    }

    /// Copies `stream` to the console until its end.
    pub fn drain(&self, mut stream: impl Read) {
        let mut buffer = [0; 8192];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return,
                Ok(n) => self.push(&buffer[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    /// The last lines, at most `lines`, with control characters made visible: a guest's output is
    /// untrusted and ends up on terminals and pages.
    pub fn tail(&self, lines: usize) -> String {
        let mut inner = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let text = String::from_utf8_lossy(inner.tail.make_contiguous()).into_owned();
        drop(inner);
        let clean: Vec<String> =
            text.lines().map(|line| visible(line.trim_end())).filter(|l| !l.is_empty()).collect();
        clean[clean.len().saturating_sub(lines)..].join("\n")
    }
}

/// `text` with everything that could steer a terminal escaped.
fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| if steers(c) { c.escape_default().collect() } else { vec![c] })
        .take(500)
        .collect()
}

/// Control characters, and the invisible ones that turn the direction of text.
fn steers(c: char) -> bool {
    let turns = ['\u{200b}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}'];
    c.is_control() || turns.iter().any(|range| range.contains(&c))
}

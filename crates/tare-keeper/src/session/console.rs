//! The console of a boot: everything it prints outside the protocol, bounded, for the log and for
//! the last lines that a failure shows.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tare_proto::{harmless, steers};

/// Most bytes that a boot's log file holds.
const MOST_LOGGED: usize = 1 << 20;

/// Most bytes that the tail holds.
const TAIL: usize = 4096;

/// Most characters of a line of the tail.
const MOST_OF_A_LINE: usize = 500;

/// How long a console is quiet that has printed all.
const QUIET: Duration = Duration::from_millis(100);

/// How long one that never is gets.
const LONGEST_SETTLE: Duration = Duration::from_secs(1);

/// A boot's console; clones share it.
#[derive(Clone)]
pub struct Console(Arc<Mutex<Inner>>);

struct Inner {
    tail: VecDeque<u8>,
    /// When it printed last.
    heard: Instant,
    log: Option<Log>,
}

/// A boot's log file: people read it on terminals.
struct Log {
    file: File,
    written: usize,
    /// The beginning of a character whose end has not come yet.
    open: Vec<u8>,
}

impl Log {
    /// Adds raw bytes, what steers a terminal written as escapes.
    fn push(&mut self, bytes: &[u8]) {
        let most = MOST_LOGGED - self.written;
        let text = self.escaped(&bytes[..bytes.len().min(most)]);
        let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let part = &text[..end.unwrap_or(0)];
        self.written += part.len();
        let _ = self.file.write_all(part.as_bytes());
    }

    fn escaped(&mut self, bytes: &[u8]) -> String {
        let bytes = [&std::mem::take(&mut self.open), bytes].concat();
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' | '\t' => text.push(c),
                    '\r' => {} // consoles end their lines with it
                    c if steers(c) => text.extend(c.escape_unicode()),
                    c => text.push(c),
                }
            }
            let cut = str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            match chunk.invalid() {
                [] => {}
                begun if cut && chunks.peek().is_none() => self.open = begun.to_vec(),
                _ => text.push(char::REPLACEMENT_CHARACTER),
            }
        }
        text
    }
}

impl Console {
    /// A console that also writes to `log`; a log that cannot be made is not worth a failed boot.
    pub fn new(log: Option<&Path>) -> Console {
        let log = log.and_then(|path| {
            let mut new = File::options();
            new.create(true).write(true).truncate(true).custom_flags(libc::O_NOFOLLOW);
            new.open(path).ok()
        });
        let log = log.map(|file| Log { file, written: 0, open: Vec::new() });
        Console(Arc::new(Mutex::new(Inner { tail: VecDeque::new(), heard: Instant::now(), log })))
    }

    /// Adds raw bytes.
    pub fn push(&self, bytes: &[u8]) {
        let mut inner = self.0.lock().unwrap_or_else(|e| e.into_inner());
        inner.heard = Instant::now();
        let keep = &bytes[bytes.len().saturating_sub(TAIL)..];
        let over = (inner.tail.len() + keep.len()).saturating_sub(TAIL);
        inner.tail.drain(..over);
        inner.tail.extend(keep);
        if let Some(log) = &mut inner.log {
            log.push(bytes);
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

    /// Waits until nothing has been printed for a moment: what explains a failure may be on its way when the failure is known, since the
    /// probe's line does not wait for the console.
    pub fn settle(&self) {
        let begin = Instant::now();
        loop {
            let heard = self.0.lock().unwrap_or_else(|e| e.into_inner()).heard;
            let quiet = heard.max(begin).elapsed();
            if quiet >= QUIET || begin.elapsed() >= LONGEST_SETTLE {
                return;
            }
            thread::sleep(QUIET - quiet);
        }
    }

    /// The last lines, at most `lines`, with control characters made visible: a guest's output is
    /// untrusted and ends up on terminals and pages. The calls that a kernel's panic lists are left
    /// out (the log has them): they would push what it says out of sight.
    pub fn tail(&self, lines: usize) -> String {
        let mut inner = self.0.lock().unwrap_or_else(|e| e.into_inner());
        let text = String::from_utf8_lossy(inner.tail.make_contiguous()).into_owned();
        drop(inner);
        let said = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !lists(line));
        let clean: Vec<String> = said.map(|line| harmless(line, MOST_OF_A_LINE)).collect();
        clean[clean.len().saturating_sub(lines)..].join("\n")
    }
}

/// Whether a kernel lists one call of its stack in this line: `[<6002>] ? name+0x7f/0xb0`.
fn lists(line: &str) -> bool {
    line.starts_with([' ', '[']) && line.contains("+0x") && line.contains("/0x")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console(text: &[u8]) -> Console {
        let console = Console::new(None);
        console.push(text);
        console
    }

    #[test]
    fn the_tail_cannot_steer_a_terminal() {
        let tail = console(b"\x1b[2Jred\r\n\xff\x07 \xe2\x80\xae\n").tail(9);
        assert_eq!(tail, "\\u{1b}[2Jred\n\u{fffd}\\u{7} \\u{202e}");
    }

    #[test]
    fn the_tail_is_the_last_lines_that_say_something() {
        assert_eq!(console(b"one\n\n  \ntwo\nthree\n").tail(2), "two\nthree");
        assert_eq!(console(b"").tail(2), "");
    }

    #[test]
    fn what_a_panic_says_is_not_lost_behind_its_stack() {
        let panic = "Kernel panic - not syncing: no init\n [<6002c0ae>] ? thread+0x7f/0xb0\n";
        assert_eq!(console(panic.as_bytes()).tail(1), "Kernel panic - not syncing: no init");
    }

    #[test]
    fn the_log_cannot_steer_a_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let console = Console::new(Some(&log));
        for part in [&b"\x1b[2Jred\r\n\xff\x07 \xe2"[..], b"\x80\xae\xe2\x82", b"\xac\n"] {
            console.push(part);
        }
        let text = std::fs::read_to_string(&log).unwrap();
        assert_eq!(text, "\\u{1b}[2Jred\n\u{fffd}\\u{7} \\u{202e}\u{20ac}\n");
    }

    #[test]
    fn a_flood_is_bounded_in_memory_and_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let console = Console::new(Some(&log));
        for _ in 0..40 {
            console.push(&vec![b'x'; 100_000]);
        }
        assert_eq!(std::fs::metadata(&log).unwrap().len(), MOST_LOGGED as u64);
        assert!(console.tail(100).len() <= TAIL);
    }
}

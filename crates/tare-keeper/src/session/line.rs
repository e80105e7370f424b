//! The line to a probe: whatever arrives, stamped as it is read.
//!
//! Whoever waits for a message reads it: a thread in between would cost two switches more in every turn of a layer.

use crate::launch::Conversation;
use crate::session::console::Console;
use crate::threads;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use tare_proto::{FromProbe, Incoming, LineError, LineReader};

/// Something that arrived, and when.
#[derive(Debug)]
pub struct Stamped<T> {
    /// What.
    pub what: T,
    /// When the host had read it.
    pub at: Instant,
}

/// What arrives from a probe, and where to write to it.
pub(crate) type ProbeLine = (Arrivals, Box<dyn Write + Send>);

pub(crate) enum Arrived {
    Message(Stamped<FromProbe>),
    /// A damaged message.
    Damaged(LineError),
    /// Nothing in time.
    Nothing,
    End,
}

pub(crate) struct Arrivals {
    lines: LineReader<BufReader<Until>>,
    console: Console,
}

impl Arrivals {
    /// Reads from `stream`; noise goes to `console`.
    pub(crate) fn new(stream: impl Into<OwnedFd>, console: Console) -> Arrivals {
        let stream = Until { stream: File::from(stream.into()), end: Instant::now() };
        Arrivals { lines: LineReader::new(BufReader::with_capacity(64 << 10, stream)), console }
    }

    /// Puts what has come of a line that does not end, such as a question, on the console.
    pub(crate) fn show_unfinished(&self) {
        self.console.push(self.lines.unfinished());
    }

    fn show(&self, line: &str) {
        self.console.push(line.as_bytes());
        self.console.push(b"\n");
    }

    /// Waits for a message, at most for `within`.
    pub(crate) fn wait(&mut self, within: Duration) -> Arrived {
        let end = Instant::now() + within;
        self.lines.get_mut().get_mut().end = end;
        loop {
            match self.lines.next_line() {
                Ok(Some(Incoming::Message(what))) => {
                    return Arrived::Message(Stamped { what, at: Instant::now() });
                }
                Ok(Some(Incoming::Damaged(how, line))) => {
                    self.show(&line); // what came says what damaged it
                    return Arrived::Damaged(how);
                }
                Ok(Some(Incoming::Noise(line))) => {
                    self.show(&line);
                    if Instant::now() >= end {
                        return Arrived::Nothing; // a flood is no message
                    }
                }
                Err(error) if error.kind() == ErrorKind::TimedOut => return Arrived::Nothing,
                Ok(None) | Err(_) => return Arrived::End,
            }
        }
    }
}

/// A stream that is waited for until `end`.
struct Until {
    stream: File,
    end: Instant,
}

impl Read for Until {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        // Rounded up, so that a wait does not end early and spin.
        let left = u32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(u32::MAX);
        let mut waiting = [PollFd::new(self.stream.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waiting, PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX))? {
            0 => Err(ErrorKind::TimedOut.into()),
            _ => self.stream.read(bytes),
        }
    }
}

pub(crate) fn converse(script: Conversation, console: Console) -> io::Result<ProbeLine> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut output = theirs.try_clone()?;
    threads::start(move || script(&mut BufReader::new(theirs), &mut output))?;
    Ok((Arrivals::new(ours.try_clone()?, console), Box::new(HalfClosing(ours))))
}

/// A socket that closes when its writing half is dropped, as a layer's line does.
struct HalfClosing(UnixStream);

impl Write for HalfClosing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for HalfClosing {
    fn drop(&mut self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}

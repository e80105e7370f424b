//! The line to a probe: whatever arrives, stamped as it is read, in a thread of its own.

use crate::launch::Conversation;
use crate::session::console::Console;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;
use tare_proto::{Incoming, LineReader};

/// Something that arrived, and when.
#[derive(Debug)]
pub struct Stamped<T> {
    /// What.
    pub what: T,
    /// When the host had read it.
    pub at: Instant,
}

/// What arrives from a probe, and where to write to it.
pub(crate) type Line = (Receiver<Stamped<Incoming>>, Box<dyn Write + Send>);

/// Messages that may wait to be looked at; a probe that floods is then held up.
const WAITING: usize = 64;

/// Reads messages from `stream` in a thread and stamps each; noise goes to `console`.
pub(crate) fn receive(
    stream: impl Read + Send + 'static,
    console: Console,
) -> Receiver<Stamped<Incoming>> {
    let (sender, arrived) = sync_channel(WAITING);
    thread::spawn(move || forward(stream, &console, &sender));
    arrived
}

fn forward(stream: impl Read, console: &Console, sender: &SyncSender<Stamped<Incoming>>) {
    let mut reader = LineReader::new(BufReader::with_capacity(64 << 10, stream));
    while let Ok(Some(what)) = reader.next_line() {
        let at = Instant::now();
        if let Incoming::Noise(text) = &what {
            console.push(text.as_bytes());
            console.push(b"\n");
        } else if sender.send(Stamped { what, at }).is_err() {
            return;
        }
    }
}

/// Runs a scripted conversation in a thread of its own.
pub(crate) fn converse(script: Conversation, console: Console) -> io::Result<Line> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut output = theirs.try_clone()?;
    thread::spawn(move || script(&mut BufReader::new(theirs), &mut output));
    Ok((receive(ours.try_clone()?, console), Box::new(HalfClosing(ours))))
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

//! The socket of a connection of HTTP/2, as `h2` uses it.

use super::super::stream::Stream;
use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Most reads of one connection before the others are heard.
const READS: u32 = 64;

/// What the socket showed since it was last used.
#[derive(Default)]
pub struct Signs {
    /// It took no more bytes.
    pub is_full: Cell<bool>,
    /// How often it brought some, or its end.
    pub reads: Cell<u32>,
}

/// A stream, and its signs. Whoever polls it does so again when the descriptor has something.
pub struct Socket {
    /// The bytes to and from the service.
    pub stream: Stream,
    /// What it shows.
    pub signs: Rc<Signs>,
}

impl Signs {
    /// Whether there may be more to read than was read at once.
    pub fn has_more(&self) -> bool {
        self.reads.get() >= READS
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.signs.has_more() {
            return Poll::Pending;
        }
        let read = uninterrupted(|| self.stream.read(room.initialize_unfilled()));
        let size = ready!(read)?;
        self.signs.reads.set(self.signs.reads.get() + 1);
        room.advance(size);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = uninterrupted(|| self.stream.write(bytes));
        self.signs.is_full.set(written.is_pending());
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.stream.flush();
        let is_full = self.stream.is_full();
        self.signs.is_full.set(is_full);
        if flushed.is_ok() && is_full { Poll::Pending } else { Poll::Ready(flushed) }
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(())) // it is closed when it is dropped
    }
}

/// Does what a signal may interrupt; pending if it would have to wait.
fn uninterrupted(mut what: impl FnMut() -> io::Result<usize>) -> Poll<io::Result<usize>> {
    loop {
        match what() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Poll::Pending,
            done => return Poll::Ready(done),
        }
    }
}

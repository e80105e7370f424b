//! What a sender and a receiver are connected by.

use super::SIZE;
use crate::sys::{check, pipe};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

#[derive(Clone, Copy)]
pub enum Link {
    /// A pipe.
    Pipe,
    /// A pair of Unix sockets, as a stream.
    Socket,
}

impl Link {
    /// The receiver's end and the senders'.
    pub fn make(self) -> io::Result<(OwnedFd, OwnedFd)> {
        match self {
            Link::Pipe => pipe(),
            Link::Socket => pair(),
        }
    }
}

fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: `ends` has room for both descriptors.
    check("socketpair", unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })?;
    // SAFETY: socketpair has just opened it, and nobody else owns it.
    let one = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: as above.
    let other = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((one, other))
}

/// Writes a message; whether it went.
pub fn send(end: RawFd) -> bool {
    let message = [b'-'; SIZE];
    let mut sent = 0;
    while sent < SIZE {
        let rest = &message[sent..];
        // SAFETY: pointer and size are of the same slice.
        let done = unsafe { libc::write(end, rest.as_ptr().cast(), rest.len()) };
        if done <= 0 {
            return false;
        }
        sent += done as usize;
    }
    true
}

/// Reads a message; whether it came.
pub fn receive(end: RawFd) -> bool {
    let mut message = [0u8; SIZE];
    let mut got = 0;
    while got < SIZE {
        let rest = &mut message[got..];
        // SAFETY: pointer and size are of the same slice.
        let done = unsafe { libc::read(end, rest.as_mut_ptr().cast(), rest.len()) };
        if done <= 0 {
            return false;
        }
        got += done as usize;
    }
    true
}

//! A connection to a service, whatever it speaks: it is asked and heard, and nothing waits for its bytes.

use std::io;
use std::os::fd::RawFd;

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A handshake of TLS or a greeting is on its way.
    Greets,
    /// It takes requests.
    Serves,
    /// It has taken none and never will: only another connection can be asked. A service that is only starting (`early`) may take them
    /// on that one.
    Refused {
        /// Whether it seems to be only starting.
        early: bool,
    },
}

/// What a connection has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// Nothing yet.
    Nothing,
    /// The answer to a request that was due then.
    Answer {
        /// When that was, in nanoseconds of the clock.
        due: u64,
        /// The service says that it is the answer, not an error.
        good: bool,
        /// The service closes the connection after it.
        closes: bool,
    },
    /// The service has not looked at the request that was due then, and says that another connection should be asked.
    Again {
        /// When that was, in nanoseconds of the clock.
        due: u64,
    },
    /// The service has closed it or speaks another protocol: it is of no use any more.
    Broken,
}

/// A connection that requests are sent on.
pub trait Connection {
    /// How far it is.
    fn state(&self) -> State;

    /// Its socket.
    fn fd(&self) -> RawFd;

    /// Whether bytes wait to be sent.
    fn is_full(&self) -> bool;

    /// Whether it takes a request now.
    fn is_free(&mut self) -> bool;

    /// The requests that are on their way.
    fn asked(&self) -> usize;

    /// Sends a request that was `due`, after the greeting.
    fn ask(&mut self, due: u64) -> io::Result<()>;

    /// Sends what is left, and says what has come, one thing at a time; it reads into `room`.
    fn hear(&mut self, room: &mut [u8]) -> Said;

    /// Whether something has come that nobody has heard.
    fn is_unheard(&self) -> bool;

    /// Gives up the requests that were due before `late`, and says how many.
    fn give_up(&mut self, late: u64) -> usize;

    /// What the last answer that was not good said, or why the connection is of no use. It is said once.
    fn refused(&mut self) -> Option<String>;

    /// What to wait for until it has something; nothing when it has refused.
    fn waits_for(&self) -> libc::pollfd {
        let fd = if self.is_refused() { -1 } else { self.fd() };
        let events = libc::POLLIN | if self.is_full() { libc::POLLOUT } else { 0 };
        libc::pollfd { fd, events, revents: 0 }
    }

    /// Whether only another connection can be asked.
    fn is_refused(&self) -> bool {
        matches!(self.state(), State::Refused { .. })
    }
}

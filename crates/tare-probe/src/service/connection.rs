//! A connection to a service, whatever it speaks: it is opened, asked and heard, and nothing waits for its bytes.

use super::http2::Http2;
use super::in_order::InOrder;
use super::stream::Stream;
use super::target::{Speech, Target};
use crate::socket;
use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long a greeting may take before the first request: of a server that starts a process for it, in a slow machine.
const GREETING: Duration = Duration::from_secs(5);

/// Bytes of a greeting that are read at once.
const ROOM: usize = 4 << 10;

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A handshake of TLS or a greeting is on its way.
    Greets,
    /// It takes requests.
    Serves,
    /// It takes no more, or never took one: only another connection can be asked. A service that is only starting (`early`) may take
    /// them on that one.
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

    /// What to wait for until it has something; nothing when it has refused.
    fn waits_for(&self) -> libc::pollfd;

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

    /// Gives up the requests that were due before `late`, and says how many. A connection whose next answer would be to one of them has
    /// refused then.
    fn give_up(&mut self, late: u64) -> usize;

    /// What the last answer that was not good said, or why the connection is of no use. It is said once.
    fn refused(&mut self) -> Option<String>;

    /// Whether only another connection can be asked.
    fn is_refused(&self) -> bool {
        matches!(self.state(), State::Refused { .. })
    }
}

/// Connects to `target`, whose answers take so many bytes at `most`, within this time, and exchanges greetings.
pub fn open(target: &Target, most: usize, within: Duration) -> io::Result<Box<dyn Connection>> {
    let socket = TcpStream::connect_timeout(&target.address.into(), within)?;
    socket.set_nonblocking(true)?;
    let mut connection = speak(socket, target, most, true)?;
    greet(connection.as_mut())?;
    Ok(connection)
}

/// Begins to connect; what is asked is sent when that is done.
pub fn begin(target: &Target, most: usize) -> io::Result<Box<dyn Connection>> {
    speak(socket::begin(target.address)?, target, most, false)
}

/// Speaks to `target` on a socket; with `greets` a protocol that need not wait for a greeting does so too.
fn speak(
    socket: TcpStream,
    target: &Target,
    most: usize,
    greets: bool,
) -> io::Result<Box<dyn Connection>> {
    let stream = Stream::new(socket, target)?;
    Ok(match &target.speech {
        Speech::InOrder(dialogue) => {
            Box::new(InOrder::new(stream, dialogue, target.tls.is_some(), most))
        }
        Speech::Http2(request) => Box::new(Http2::new(stream, request, most, greets)),
    })
}

/// Waits until greetings have been exchanged.
fn greet(connection: &mut dyn Connection) -> io::Result<()> {
    let end = Instant::now() + GREETING;
    let mut room = [0; ROOM];
    while connection.state() == State::Greets {
        let left = end.saturating_duration_since(Instant::now());
        let mut wait = connection.waits_for();
        // SAFETY: one entry.
        match unsafe { libc::poll(&raw mut wait, 1, left.as_millis() as libc::c_int) } {
            0 => return Err(ErrorKind::TimedOut.into()),
            1.. => {}
            _ if io::Error::last_os_error().kind() == ErrorKind::Interrupted => continue,
            _ => return Err(io::Error::last_os_error()),
        }
        connection.hear(&mut room);
    }
    match (connection.state(), connection.refused()) {
        (State::Refused { early: true }, Some(why)) => {
            Err(io::Error::new(ErrorKind::ConnectionRefused, why))
        }
        (State::Refused { .. }, Some(why)) => Err(io::Error::other(why)),
        (State::Refused { .. }, None) => {
            let why = "it closed the connection before it had answered a greeting";
            Err(io::Error::new(ErrorKind::UnexpectedEof, why))
        }
        _ => Ok(()),
    }
}

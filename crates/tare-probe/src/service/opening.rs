//! Opens connections to a service, by what it speaks.

use super::connection::{Connection, State};
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

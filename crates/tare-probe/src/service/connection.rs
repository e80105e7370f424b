//! One connection to a service: at most one request is on its way on it.

use super::answer::{Answer, Greeted};
use super::stream::Stream;
use super::target::Target;
use crate::socket;
use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

/// Most reads of one connection before the others are heard.
const READS: u32 = 16;

/// How long a greeting may take before the first request: of a server that starts a process for it, in a slow machine.
const GREETING: Duration = Duration::from_secs(5);

/// Bytes of a greeting that are read at once.
const ROOM: usize = 4 << 10;

/// A connection, and the request that is on its way.
pub struct Connection {
    stream: Stream,
    state: State,
    /// When the request was due, in nanoseconds of the clock; `None` when the connection is free.
    pub due: Option<u64>,
    /// Bytes of the greeting or the request that are not sent yet.
    unsent: usize,
    /// What has come of the answer, and the most of it.
    come: Vec<u8>,
    most: usize,
    /// What the last answer that was not good said.
    pub refused: Option<String>,
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A handshake of TLS or the greeting is on its way; a request waits for it.
    Greets,
    /// It takes requests.
    Serves,
    /// It has taken none and never will; a service that is only starting may take them on another one.
    Refused { early: bool },
}

/// What a connection has to say.
pub enum Said {
    /// Nothing yet.
    Nothing,
    /// The answer to its request, which was due then.
    Answer { due: u64, good: bool, closes: bool },
    /// The service has closed it or speaks another protocol: it is of no use any more.
    Broken,
}

impl Connection {
    /// Connects to `target`, whose answers take so many bytes at `most`, within this time, and exchanges greetings.
    pub fn open(target: &Target, most: usize, within: Duration) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&target.address.into(), within)?;
        stream.set_nonblocking(true)?;
        let mut connection = Connection::of(stream, target, most)?;
        connection.greet(target)?;
        Ok(connection)
    }

    /// Begins to connect; what is asked is sent when that is done.
    pub fn begin(target: &Target, most: usize) -> io::Result<Connection> {
        Connection::of(socket::begin(target.address)?, target, most)
    }

    fn of(stream: TcpStream, target: &Target, most: usize) -> io::Result<Connection> {
        let greets = target.tls.is_some() || !target.greeting.is_empty();
        Ok(Connection {
            stream: Stream::new(stream, target)?,
            state: if greets { State::Greets } else { State::Serves },
            due: None,
            unsent: target.greeting.len(),
            come: Vec::new(),
            most,
            refused: None,
        })
    }

    /// Waits until greetings have been exchanged.
    fn greet(&mut self, target: &Target) -> io::Result<()> {
        let end = Instant::now() + GREETING;
        let mut room = [0; ROOM];
        while self.state == State::Greets {
            let left = end.saturating_duration_since(Instant::now());
            let mut wait = self.waits_for();
            // SAFETY: one entry.
            match unsafe { libc::poll(&raw mut wait, 1, left.as_millis() as libc::c_int) } {
                0 => return Err(ErrorKind::TimedOut.into()),
                1.. => {}
                _ if io::Error::last_os_error().kind() == ErrorKind::Interrupted => continue,
                _ => return Err(io::Error::last_os_error()),
            }
            self.hear(target, &mut room);
        }
        match (self.state, self.refused.take()) {
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

    /// What to wait for until it has something; nothing when it has refused.
    pub fn waits_for(&self) -> libc::pollfd {
        let fd: RawFd = if self.is_refused() { -1 } else { self.stream.fd() };
        let events = libc::POLLIN | if self.is_full() { libc::POLLOUT } else { 0 };
        libc::pollfd { fd, events, revents: 0 }
    }

    /// Whether bytes wait to be sent.
    fn is_full(&self) -> bool {
        self.unsent > 0 || self.stream.is_full()
    }

    /// Whether the service has refused it at the begin: only another one can be asked.
    pub fn is_refused(&self) -> bool {
        matches!(self.state, State::Refused { .. })
    }

    /// Sends the request that was `due`, after the greeting.
    pub fn ask(&mut self, target: &Target, due: u64) -> io::Result<()> {
        self.due = Some(due);
        if self.state == State::Greets {
            return Ok(());
        }
        self.unsent = target.request.len();
        self.come.clear();
        self.send(target)
    }

    /// Sends what is left of the greeting or the request, as far as it goes.
    fn send(&mut self, target: &Target) -> io::Result<()> {
        let all = if self.state == State::Greets { &target.greeting } else { &target.request };
        while self.unsent > 0 {
            match self.stream.write(&all[all.len() - self.unsent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => self.unsent -= sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.stream.flush()
    }

    /// Sends what is left, and reads what has come into `room`.
    pub fn hear(&mut self, target: &Target, room: &mut [u8]) -> Said {
        if self.is_refused() {
            return Said::Nothing;
        }
        if self.send(target).is_err() {
            return self.broken();
        }
        for _ in 0..READS {
            match self.stream.read(room) {
                Ok(0) => return self.broken(),
                Ok(size) => self.come.extend_from_slice(&room[..size]),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let is_of_use = self.state != State::Greets || self.greeted(target);
                    return if is_of_use { Said::Nothing } else { Said::Broken };
                }
                Err(error) => {
                    self.refused = error.get_ref().map(ToString::to_string);
                    return self.broken();
                }
            }
            if self.state == State::Greets {
                if !self.greeted(target) {
                    return Said::Broken;
                }
                continue;
            }
            let Some(due) = self.due else { return Said::Broken }; // nobody asked
            match target.protocol.answer(&self.come) {
                Answer::Partial if self.come.len() < self.most => {}
                Answer::Partial => {
                    let most = self.most >> 10;
                    self.refused = Some(format!("an answer of more than {most} KiB"));
                    return Said::Broken;
                }
                Answer::Whole { length, good, closes } if length == self.come.len() => {
                    self.due = None;
                    self.refused = (!good).then(|| target.protocol.refusal(&self.come));
                    self.come.clear();
                    return Said::Answer { due, good, closes };
                }
                _ => {
                    self.refused = Some(target.protocol.refusal(&self.come));
                    return Said::Broken;
                }
            }
        }
        Said::Nothing // the rest of it when the others have been heard
    }

    /// Looks at what has come of a greeting, and sends the request that waits for its end; whether the connection is of use.
    fn greeted(&mut self, target: &Target) -> bool {
        if self.stream.is_handshaking() {
            return true;
        }
        match target.protocol.greeted(&self.come) {
            Greeted::Partial => true,
            Greeted::Ready => {
                self.state = State::Serves;
                self.come.clear();
                self.due.is_none_or(|due| self.ask(target, due).is_ok())
            }
            Greeted::Refused { why, early } => {
                self.state = State::Refused { early };
                self.refused = Some(why);
                false
            }
        }
    }

    /// The end of a connection, which was refused if it had not served yet.
    fn broken(&mut self) -> Said {
        if self.state == State::Greets {
            self.state = State::Refused { early: self.refused.is_none() };
        }
        Said::Broken
    }
}

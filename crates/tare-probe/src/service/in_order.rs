//! A connection whose answers come in the order of the requests: at most one is on its way on it.

use super::answer::{Answer, Greeted, too_long};
use super::connection::{Connection, Said, State};
use super::stream::Stream;
use super::target::Dialogue;
use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::sync::Arc;

/// Most reads of one connection before the others are heard.
const READS: u32 = 16;

/// A connection, and the request that is on its way.
pub struct InOrder {
    stream: Stream,
    dialogue: Arc<Dialogue>,
    /// A request waits for the end of what it greets with.
    state: State,
    /// When the request was due, in nanoseconds of the clock; `None` when the connection is free.
    due: Option<u64>,
    /// Bytes of the greeting or the request that are not sent yet.
    unsent: usize,
    /// What has come of the answer, and the most of it.
    come: Vec<u8>,
    most: usize,
    refused: Option<String>,
}

impl InOrder {
    /// Begins a dialogue, after a handshake of TLS if the stream `has_tls`. An answer takes so many bytes at `most`.
    pub fn new(stream: Stream, dialogue: &Arc<Dialogue>, has_tls: bool, most: usize) -> InOrder {
        let greets = has_tls || !dialogue.greeting.is_empty();
        InOrder {
            stream,
            dialogue: dialogue.clone(),
            state: if greets { State::Greets } else { State::Serves },
            due: None,
            unsent: dialogue.greeting.len(),
            come: Vec::new(),
            most,
            refused: None,
        }
    }

    /// Sends what is left of the greeting or the request, as far as it goes.
    fn send(&mut self) -> io::Result<()> {
        let all = match self.state {
            State::Greets => &self.dialogue.greeting,
            _ => &self.dialogue.request,
        };
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

    /// Begins to send the request.
    fn begin(&mut self) -> io::Result<()> {
        self.unsent = self.dialogue.request.len();
        self.come.clear();
        self.send()
    }

    /// Looks at what has come of a greeting, and sends the request that waits for its end; whether the connection is of use.
    fn greeted(&mut self) -> bool {
        if self.stream.is_handshaking() {
            return true;
        }
        match self.dialogue.protocol.greeted(&self.come) {
            Greeted::Partial => true,
            Greeted::Ready => {
                self.state = State::Serves;
                self.come.clear();
                self.due.is_none() || self.begin().is_ok()
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

impl Connection for InOrder {
    fn state(&self) -> State {
        self.state
    }

    fn fd(&self) -> RawFd {
        self.stream.fd()
    }

    fn is_full(&self) -> bool {
        self.unsent > 0 || self.stream.is_full()
    }

    fn is_free(&mut self) -> bool {
        self.due.is_none()
    }

    fn asked(&self) -> usize {
        usize::from(self.due.is_some())
    }

    fn ask(&mut self, due: u64) -> io::Result<()> {
        self.due = Some(due);
        let sent = if self.state == State::Greets { Ok(()) } else { self.begin() };
        if sent.is_err() {
            self.due = None;
        }
        sent
    }

    fn hear(&mut self, room: &mut [u8]) -> Said {
        if self.is_refused() {
            return Said::Nothing;
        }
        if self.send().is_err() {
            return self.broken();
        }
        for _ in 0..READS {
            match self.stream.read(room) {
                Ok(0) => return self.broken(),
                Ok(size) => self.come.extend_from_slice(&room[..size]),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let is_of_use = self.state != State::Greets || self.greeted();
                    return if is_of_use { Said::Nothing } else { Said::Broken };
                }
                Err(error) => {
                    self.refused = error.get_ref().map(ToString::to_string);
                    return self.broken();
                }
            }
            if self.state == State::Greets {
                if !self.greeted() {
                    return Said::Broken;
                }
                continue;
            }
            let Some(due) = self.due else { return Said::Broken }; // nobody asked
            match self.dialogue.protocol.answer(&self.come) {
                Answer::Partial if self.come.len() < self.most => {}
                Answer::Partial => {
                    self.refused = Some(too_long(self.most));
                    return Said::Broken;
                }
                Answer::Whole { length, good, closes } if length == self.come.len() => {
                    self.due = None;
                    self.refused = (!good).then(|| self.dialogue.protocol.refusal(&self.come));
                    self.come.clear();
                    return Said::Answer { due, good, closes };
                }
                _ => {
                    self.refused = Some(self.dialogue.protocol.refusal(&self.come));
                    return Said::Broken;
                }
            }
        }
        Said::Nothing // the rest of it when the others have been heard
    }

    fn is_unheard(&self) -> bool {
        false // nothing is read but when it is heard
    }

    fn give_up(&mut self, late: u64) -> usize {
        usize::from(self.due.take_if(|due| *due < late).is_some())
    }

    fn refused(&mut self) -> Option<String> {
        self.refused.take()
    }
}

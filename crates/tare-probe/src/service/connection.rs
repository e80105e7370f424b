//! One connection to a service: at most one request is on its way on it.

use super::answer::Answer;
use super::target::Target;
use crate::socket;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

/// Most reads of one connection before the others are heard.
const READS: u32 = 16;

/// Most bytes of a line that is shown.
const LINE: usize = 80;

/// A connection, and the request that is on its way.
pub struct Connection {
    stream: TcpStream,
    /// When the request was due, in nanoseconds of the clock; `None` when the connection is free.
    pub due: Option<u64>,
    /// Bytes of the request that are not sent yet.
    unsent: usize,
    /// What has come of the answer, and the most of it.
    come: Vec<u8>,
    most: usize,
    /// The first line of the last answer that was not good.
    pub refused: Option<String>,
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
    /// Connects to `target`, whose answers take so many bytes at `most`, within this time.
    pub fn open(target: &Target, most: usize, within: Duration) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&target.address.into(), within)?;
        stream.set_nonblocking(true)?;
        Connection::of(stream, most)
    }

    /// Begins to connect; what is asked is sent when that is done.
    pub fn begin(target: &Target, most: usize) -> io::Result<Connection> {
        Connection::of(socket::begin(target.address)?, most)
    }

    fn of(stream: TcpStream, most: usize) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        Ok(Connection { stream, due: None, unsent: 0, come: Vec::new(), most, refused: None })
    }

    /// Its descriptor.
    pub fn fd(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// Whether bytes of its request wait to be sent.
    pub fn is_full(&self) -> bool {
        self.unsent > 0
    }

    /// Sends the request that was `due`.
    pub fn ask(&mut self, target: &Target, due: u64) -> io::Result<()> {
        self.due = Some(due);
        self.unsent = target.request.len();
        self.come.clear();
        self.send(target)
    }

    /// Sends what is left of the request, as far as it goes.
    pub fn send(&mut self, target: &Target) -> io::Result<()> {
        while self.unsent > 0 {
            match self.stream.write(&target.request[target.request.len() - self.unsent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(sent) => self.unsent -= sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what has come, into `room`.
    pub fn hear(&mut self, target: &Target, room: &mut [u8]) -> Said {
        for _ in 0..READS {
            match self.stream.read(room) {
                Ok(0) => return Said::Broken,
                Ok(size) => self.come.extend_from_slice(&room[..size]),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Said::Nothing,
                Err(_) => return Said::Broken,
            }
            let Some(due) = self.due else { return Said::Broken }; // nobody asked
            match target.protocol.answer(&self.come) {
                Answer::Partial if self.come.len() < self.most => {}
                Answer::Whole { length, good, closes } if length == self.come.len() => {
                    self.due = None;
                    self.refused = (!good).then(|| first_line(&self.come));
                    self.come.clear();
                    return Said::Answer { due, good, closes };
                }
                _ => {
                    self.refused = Some(first_line(&self.come));
                    return Said::Broken;
                }
            }
        }
        Said::Nothing // the rest of it when the others have been heard
    }
}

/// The first line of an answer, as far as it is shown.
fn first_line(answer: &[u8]) -> String {
    let line = answer.split(|byte| b"\r\n".contains(byte)).next().unwrap_or_default();
    let text = String::from_utf8_lossy(&line[..line.len().min(LINE)]).into_owned();
    text.chars().filter(|c| !c.is_control()).collect()
}

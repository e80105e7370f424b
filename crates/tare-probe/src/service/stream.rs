//! The bytes to and from a service: as they are, or within TLS. Nothing waits here.

use super::target::Target;
use rustls::ClientConnection;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, RawFd};

/// A socket, and what is around its bytes.
pub struct Stream {
    socket: TcpStream,
    tls: Option<Box<ClientConnection>>,
}

impl Stream {
    /// Speaks as `target` wants it on a socket that never waits.
    pub fn new(socket: TcpStream, target: &Target) -> io::Result<Stream> {
        socket.set_nodelay(true)?;
        let tls = target.tls.as_ref().map(|tls| tls.connect().map(Box::new));
        Ok(Stream { socket, tls: tls.transpose().map_err(failed)? })
    }

    /// Its descriptor.
    pub fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// Whether both sides still agree on their keys.
    pub fn is_handshaking(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.is_handshaking())
    }

    /// Whether bytes that were written wait here.
    pub fn is_full(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.wants_write())
    }

    /// Sends what waits here, as far as it goes.
    pub fn flush(&mut self) -> io::Result<()> {
        let Some(tls) = &mut self.tls else { return Ok(()) };
        while tls.wants_write() {
            match tls.write_tls(&mut self.socket) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes some of `bytes`; [`Stream::flush`] sends what does not go at once.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return self.socket.write(bytes) };
        let taken = tls.writer().write(bytes)?;
        self.flush()?;
        // Its buffer is full.
        if taken == 0 { Err(ErrorKind::WouldBlock.into()) } else { Ok(taken) }
    }

    /// Reads into `room`: 0 bytes at the end. An error with words is one of TLS.
    pub fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(tls) = &mut self.tls else { return self.socket.read(room) };
            match tls.reader().read(room) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // Many servers close without a farewell.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            if tls.read_tls(&mut self.socket)? == 0 {
                return Ok(0);
            }
            let agreed = tls.process_new_packets();
            // Its part of the handshake, or the alert that tells the server why it ends.
            let sent = self.flush();
            agreed.map_err(failed)?;
            sent?;
        }
    }
}

/// An error of TLS.
fn failed(error: rustls::Error) -> io::Error {
    io::Error::other(format!("TLS 1.3 fails: {error}"))
}

//! Sockets as netperf sets them up: buffers of a given size, and never an endless wait.

use crate::sys::check;
use std::io;
use std::net::{SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd};
use std::time::{Duration, Instant};

/// The size of send and receive buffers: report 0's `SocketSize`.
const BUFFER: libc::c_int = 65536;

/// The size of a message of a stream: report 0's `MessageSize`.
pub const MESSAGE: usize = 8192;

/// Longest wait for the other end.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// A listening socket at `address`.
pub fn listen(address: SocketAddrV4) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    sized(&listener)?; // what is accepted inherits it
    Ok(listener)
}

/// A connection to `address`.
pub fn connect(address: SocketAddrV4) -> io::Result<TcpStream> {
    let stream = unconnected()?;
    sized(&stream)?;
    patient(&stream)?;
    if !begin_on(&stream, address)? {
        writable(&stream)?;
    }
    if let Some(error) = stream.take_error()? {
        return Err(error);
    }
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// A connection to `address` that is only begun: until it is open, or has failed, nothing can be sent or read.
pub fn begin(address: SocketAddrV4) -> io::Result<TcpStream> {
    let stream = unconnected()?;
    begin_on(&stream, address)?;
    Ok(stream)
}

/// A socket whose calls do not wait.
fn unconnected() -> io::Result<TcpStream> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: socket has no memory preconditions.
    let fd = check("socket", unsafe { libc::socket(libc::AF_INET, kind, 0) })?;
    // SAFETY: it has just been opened, and nobody else owns it.
    Ok(unsafe { TcpStream::from_raw_fd(fd) })
}

/// Begins to connect to `address`; whether it is connected at once.
fn begin_on(stream: &TcpStream, address: SocketAddrV4) -> io::Result<bool> {
    let to = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(*address.ip()).to_be() },
        sin_zero: [0; 8],
    };
    let size = size_of_val(&to) as libc::socklen_t;
    // SAFETY: pointer and size are of the same address.
    let begun = unsafe { libc::connect(stream.as_raw_fd(), (&raw const to).cast(), size) };
    match io::Error::last_os_error() {
        _ if begun == 0 => Ok(true),
        error if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok(false),
        error => Err(error),
    }
}

/// Waits until `stream` is connected, or has failed to be. A signal does not end the wait, as it would end
/// that of a blocking socket with a time limit.
fn writable(stream: &TcpStream) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    let mut wait = libc::pollfd { fd: stream.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    loop {
        let left = end.saturating_duration_since(Instant::now());
        // SAFETY: one entry.
        match check("poll", unsafe { libc::poll(&raw mut wait, 1, left.as_millis() as i32) }) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result.map(drop),
        }
    }
}

/// Does `step` until no signal interrupts it: with a time limit, reading and writing end at any.
pub fn again<T>(mut step: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match step() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Gives up a connection that says nothing for [`PATIENCE`].
pub fn patient(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

/// A datagram socket at `address`'s host that talks to `to`, if given.
pub fn datagrams(own: SocketAddrV4, to: Option<SocketAddrV4>) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(own)?;
    if let Some(to) = to {
        socket.connect(to)?;
    }
    Ok(socket)
}

fn sized(socket: &impl AsRawFd) -> io::Result<()> {
    let wanted = BUFFER;
    for option in [libc::SO_SNDBUF, libc::SO_RCVBUF] {
        let (fd, size) = (socket.as_raw_fd(), size_of_val(&wanted) as libc::socklen_t);
        let value = (&raw const wanted).cast();
        // SAFETY: pointer and size are of the same number.
        let done = unsafe { libc::setsockopt(fd, libc::SOL_SOCKET, option, value, size) };
        check("setsockopt", done)?;
    }
    Ok(())
}

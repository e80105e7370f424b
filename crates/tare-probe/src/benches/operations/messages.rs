//! Messages between processes, and waiting for them.

use super::row;
use crate::bench::{Bench, Op, Refusal};
use crate::benches::lmbench::ring;
use crate::sys::{check, must, pipe};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

pub const ROWS: &[Bench] = &[
    row(
        "operations/pipe_read",
        "one read(2) of a byte from a pipe that holds more: of 64 in turn, less of all at once",
        || pieces(1, PIECES),
    ),
    row(
        "operations/pipe_write",
        "one write(2) of a byte to a pipe that is not read yet: 64 in turn, less all at once",
        || pieces(PIECES, 1),
    ),
    row(
        "operations/pipe_kib_4k",
        "a KiB through a pipe, one way, 4 KiB at a time, less the calls",
        || of_a_kib(through_pipe, 4),
    ),
    row(
        "operations/pipe_kib_16k",
        "a KiB through a pipe, one way, 16 KiB at a time, less the calls",
        || of_a_kib(through_pipe, 16),
    ),
    row(
        "operations/pipe_kib_64k",
        "a KiB through a pipe, one way, 64 KiB at a time, less the calls",
        || of_a_kib(through_pipe, 64),
    ),
    row("operations/pipe_new", "pipe2(2), and close(2) of both ends", || {
        Ok(Op::new(|| drop(made(pipe()))))
    }),
    row(
        "operations/socket",
        "mean of a 1-byte send and receive over TCP on loopback, without waiting",
        || Ok(Op::new(through_tcp(1)?).divided_by(2.0)),
    ),
    row(
        "operations/socket_unix",
        "mean of a 1-byte send and receive over a pair of Unix stream sockets, without waiting",
        || Ok(Op::new(through_unix()?).divided_by(2.0)),
    ),
    row(
        "operations/socket_kib_4k",
        "a KiB over TCP on loopback, one way, 4 KiB at a time, less the calls",
        || of_a_kib(through_tcp, 4),
    ),
    row(
        "operations/socket_kib_16k",
        "a KiB over TCP on loopback, one way, 16 KiB at a time, less the calls",
        || of_a_kib(through_tcp, 16),
    ),
    row(
        "operations/socket_kib_64k",
        "a KiB over TCP on loopback, one way, 64 KiB at a time, less the calls",
        || of_a_kib(through_tcp, 64),
    ),
    row("operations/socket_new", "socket(2) of a stream of TCP, and its close(2)", || {
        Ok(Op::new(|| drop(socket())))
    }),
    row(
        "operations/connect",
        "connect(2) and accept(2) of a TCP connection on loopback, and its end, less a socket",
        connect,
    ),
    row("operations/poll", "one poll(2) of a pipe that has something to read", poll),
    row("operations/epoll", "one epoll_wait(2) of a pipe that has something to read", epoll),
    row("operations/futex", "one futex(2) that wakes nobody", futex),
    row(
        "operations/switch",
        "a wait in read(2) of a pipe until another process writes, less both calls",
        ring::switches::<2, 0>,
    ),
];

/// What was made; the harness makes a failure of an error.
fn made<T>(result: std::io::Result<T>) -> T {
    result.unwrap_or_else(|why| panic!("{why}"))
}

/// Writes `size` bytes and reads them.
fn through(to: RawFd, from: RawFd, bytes: &mut [u8]) {
    write(to, bytes);
    let mut left = bytes.len();
    while left > 0 {
        left -= read(from, &mut bytes[..left]);
    }
}

fn write(to: RawFd, bytes: &[u8]) {
    // SAFETY: pointer and size are of the same buffer.
    let put = unsafe { libc::write(to, bytes.as_ptr().cast(), bytes.len()) };
    must("write", put == bytes.len() as isize);
}

/// Reads some bytes, as many as there are; returns how many.
fn read(from: RawFd, bytes: &mut [u8]) -> usize {
    // SAFETY: pointer and size are of the same buffer.
    let got = unsafe { libc::read(from, bytes.as_mut_ptr().cast(), bytes.len()) };
    must("read", got > 0);
    got as usize
}

/// Bytes, each of which is written or read by itself.
const PIECES: usize = 64;

/// What each further write or read of as many bytes takes where all of them go through a pipe.
fn pieces(writes: usize, reads: usize) -> Result<Op, Refusal> {
    let further = (writes + reads - 2) as f64;
    Ok(Op::new(in_pieces(writes, reads)?).minus(in_pieces(1, 1)?).divided_by(further))
}

fn in_pieces(writes: usize, reads: usize) -> Result<impl FnMut() + 'static, Refusal> {
    let (reader, writer) = pipe()?;
    let mut bytes = [0x5a; PIECES];
    Ok(move || {
        bytes.chunks(PIECES / writes).for_each(|piece| write(writer.as_raw_fd(), piece));
        for piece in bytes.chunks_mut(PIECES / reads) {
            read(reader.as_raw_fd(), piece);
        }
    })
}

/// A KiB of `kib` that go `through` something.
fn of_a_kib<Work: FnMut() + 'static>(
    through: fn(usize) -> Result<Work, Refusal>,
    kib: usize,
) -> Result<Op, Refusal> {
    Ok(Op::new(through(kib << 10)?).minus(through(1)?).divided_by(2.0 * kib as f64))
}

fn through_pipe(size: usize) -> Result<impl FnMut() + 'static, Refusal> {
    let (reader, writer) = pipe()?;
    let mut bytes = vec![0x5a; size];
    Ok(move || through(writer.as_raw_fd(), reader.as_raw_fd(), &mut bytes))
}

fn through_tcp(size: usize) -> Result<impl FnMut() + 'static, Refusal> {
    let none = |why| Refusal::Unavailable(format!("no TCP connection over loopback: {why}"));
    let listener = TcpListener::bind("127.0.0.1:0").map_err(none)?;
    let near = TcpStream::connect(listener.local_addr()?).map_err(none)?;
    near.set_nodelay(true)?;
    let (far, _) = listener.accept()?;
    let mut bytes = vec![0x5a; size];
    Ok(move || through(near.as_raw_fd(), far.as_raw_fd(), &mut bytes))
}

fn through_unix() -> Result<impl FnMut() + 'static, Refusal> {
    let (near, far) = UnixStream::pair()?;
    Ok(move || through(near.as_raw_fd(), far.as_raw_fd(), &mut [0x5a]))
}

fn connect() -> Result<Op, Refusal> {
    let none = |why| Refusal::Unavailable(format!("no TCP over loopback: {why}"));
    let listener = TcpListener::bind("127.0.0.1:0").map_err(none)?;
    let address = listener.local_addr()?;
    Ok(Op::new(move || {
        let near = made(TcpStream::connect(address));
        let (far, _) = made(listener.accept());
        reset_at_end(near.as_raw_fd());
        drop((near, far));
    })
    .minus(|| reset_at_end(socket().as_raw_fd())))
}

fn socket() -> OwnedFd {
    // SAFETY: socket takes three numbers.
    let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    must("socket", fd >= 0);
    // SAFETY: it has just been opened, and nobody else owns it.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

/// Whatever connection `fd` has is reset when it is closed: it keeps no port waiting.
fn reset_at_end(fd: RawFd) {
    let now = libc::linger { l_onoff: 1, l_linger: 0 };
    let (size, value) = (size_of_val(&now) as libc::socklen_t, (&raw const now).cast());
    // SAFETY: pointer and size are of the same value.
    let set = unsafe { libc::setsockopt(fd, libc::SOL_SOCKET, libc::SO_LINGER, value, size) };
    must("setsockopt", set == 0);
}

fn readable() -> Result<(OwnedFd, OwnedFd), Refusal> {
    let (reader, writer) = pipe()?;
    // SAFETY: the pointer is of one byte.
    check("write", unsafe { libc::write(writer.as_raw_fd(), b"x".as_ptr().cast(), 1) })?;
    Ok((reader, writer))
}

fn poll() -> Result<Op, Refusal> {
    let (reader, writer) = readable()?;
    Ok(Op::new(move || {
        let _keep = &writer;
        let mut one = libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry.
        must("poll", unsafe { libc::poll(&raw mut one, 1, -1) } == 1);
    }))
}

fn epoll() -> Result<Op, Refusal> {
    let pipe = readable()?;
    // SAFETY: epoll_create1 takes a number.
    let fd = check("epoll_create1", unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    // SAFETY: it has just been opened, and nobody else owns it.
    let epoll = unsafe { OwnedFd::from_raw_fd(fd) };
    let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
    let (set, one) = (epoll.as_raw_fd(), pipe.0.as_raw_fd());
    // SAFETY: the event is valid for the call.
    let added = unsafe { libc::epoll_ctl(set, libc::EPOLL_CTL_ADD, one, &raw mut event) };
    check("epoll_ctl", added)?;
    Ok(Op::new(move || {
        let _keep = &pipe;
        // SAFETY: there is room for one event.
        let ready = unsafe { libc::epoll_wait(epoll.as_raw_fd(), &raw mut event, 1, -1) };
        must("epoll_wait", ready == 1);
    }))
}

fn futex() -> Result<Op, Refusal> {
    let word = Box::new(0u32);
    let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    Ok(Op::new(move || {
        // SAFETY: the word lives as long as the operation.
        must("futex", unsafe { libc::syscall(libc::SYS_futex, &raw const *word, wake, 1) } == 0);
    }))
}

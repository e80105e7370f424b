//! Messages of 1 KiB through pipes and sockets, and shared memory: written and read by one process, as their
//! times on old machines show that AIM's were (a pipe's message in 2.4 µs).

use super::{job, test};
use crate::bench::{Bench, Op, Refusal};
use crate::sys::{check, must, pipe};
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::ptr;

pub const ROWS: &[Bench] = &[
    test("aim7/pipe_cpy", "100 messages of 1 KiB through a pipe", || {
        let (reader, writer) = pipe()?;
        messages(100, writer, reader)
    }),
    test("aim7/stream_pipe", "100 messages of 1 KiB through a pair of stream sockets", || {
        let (near, far) = UnixStream::pair()?;
        messages(100, near.into(), far.into())
    }),
    test("aim7/dgram_pipe", "100 messages of 1 KiB through a pair of datagram sockets", || {
        let (near, far) = UnixDatagram::pair()?;
        messages(100, near.into(), far.into())
    }),
    test("aim7/tcp_test", "90 messages of 1 KiB over TCP and loopback", || {
        let (near, far) = tcp().map_err(no_loopback)?;
        messages(90, near.into(), far.into())
    }),
    test("aim7/udp_test", "100 datagrams of 1 KiB over UDP and loopback", || {
        let (near, far) = udp().map_err(no_loopback)?;
        messages(100, near.into(), far.into())
    }),
    test(
        "aim7/shared_memory",
        "100 times: a System V segment attached, written to and detached",
        shared,
    ),
];

const SIZE: usize = 1024;

fn no_loopback(error: io::Error) -> Refusal {
    Refusal::Unavailable(format!("no connection over loopback: {error}"))
}

fn tcp() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    near.set_nodelay(true)?;
    Ok((near, far))
}

fn udp() -> io::Result<(UdpSocket, UdpSocket)> {
    let (near, far) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
    near.connect(far.local_addr()?)?;
    far.connect(near.local_addr()?)?;
    Ok((near, far))
}

fn messages(count: u32, to: OwnedFd, from: OwnedFd) -> Result<Op, Refusal> {
    let mut message = [0x5au8; SIZE];
    job(1.0, move || {
        for _ in 0..count {
            // SAFETY: pointer and length are of the same array.
            let sent = unsafe { libc::write(to.as_raw_fd(), message.as_ptr().cast(), SIZE) };
            must("write of a message", sent == SIZE as isize);
            let mut left = SIZE;
            while left > 0 {
                // SAFETY: pointer and length are within the array.
                let got =
                    unsafe { libc::read(from.as_raw_fd(), message.as_mut_ptr().cast(), left) };
                must("read of a message", got > 0);
                left -= got as usize;
            }
        }
    })
}

/// A segment that the kernel removes with its last user: it is marked for that as soon as it is attached.
struct Segment {
    id: libc::c_int,
    first: *mut u8,
}

impl Segment {
    fn new() -> io::Result<Segment> {
        // SAFETY: shmget has no memory preconditions.
        let id = check("shmget", unsafe { libc::shmget(libc::IPC_PRIVATE, 4 * SIZE, 0o600) })?;
        let first = attach(id);
        // SAFETY: removing takes no argument.
        let marked = unsafe { libc::shmctl(id, libc::IPC_RMID, ptr::null_mut()) };
        check("shmat", first as isize)?;
        let segment = Segment { id, first };
        check("shmctl", marked)?;
        Ok(segment)
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: the address is this attachment's, and nobody uses it again.
        unsafe { libc::shmdt(self.first.cast()) };
    }
}

/// Attaches the segment where the kernel likes; -1 when it fails.
fn attach(id: libc::c_int) -> *mut u8 {
    // SAFETY: without an address a new attachment touches no memory in use.
    unsafe { libc::shmat(id, ptr::null(), 0) }.cast()
}

fn shared() -> Result<Op, Refusal> {
    let segment = Segment::new().map_err(|error| match error.raw_os_error() {
        Some(libc::ENOSYS) => Refusal::Unavailable("no System V shared memory here".into()),
        _ => Refusal::Failed(error.to_string()),
    })?;
    let again = attach(segment.id);
    if again as isize == -1 {
        return Err(Refusal::Unavailable("a removed segment cannot be attached again here".into()));
    }
    // SAFETY: the address is that of the attachment above.
    unsafe { libc::shmdt(again.cast()) };
    job(1.0, move || {
        let _keep = &segment;
        for at in 0..100 {
            let memory = attach(segment.id);
            must("shmat", memory as isize != -1);
            // SAFETY: the segment holds as many bytes, and is attached for writing.
            unsafe { ptr::write_bytes(memory, at, SIZE) };
            // SAFETY: the address is that of the attachment above.
            must("shmdt", unsafe { libc::shmdt(memory.cast()) } == 0);
        }
    })
}

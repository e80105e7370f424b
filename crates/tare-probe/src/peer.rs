//! The other end of the network benchmarks: a process on the host, or a child beside the probe.
//!
//! It serves one connection at a time, and only those that know its cookie (`call.rs`).

use crate::call::Wish;
use crate::service::outside;
use crate::socket::{self, MESSAGE};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use tare_proto::{NET, Peer};

/// The whole life of a peer that tare starts: it says `ready`, or why not, and serves until it is killed.
pub fn main() -> i32 {
    let listening = || -> Result<(TcpListener, Peer), String> {
        let text = std::env::var(NET).map_err(|_| format!("{NET} is not set"))?;
        let peer = Peer::parse(&text)?;
        let listener =
            socket::listen(peer.address).map_err(|e| format!("{}: {e}", peer.address))?;
        Ok((listener, peer))
    };
    match listening() {
        Ok((listener, peer)) => {
            println!("ready");
            serve(&listener, peer.cookie)
        }
        Err(why) => {
            println!("{why}");
            1
        }
    }
}

/// Serves whoever knows the cookie, for ever.
pub fn serve(listener: &TcpListener, cookie: u64) -> i32 {
    loop {
        if let Ok((stream, _)) = listener.accept() {
            let _ = answer(stream, cookie); // the caller has gone, or is a stranger
        }
    }
}

fn answer(mut stream: TcpStream, cookie: u64) -> io::Result<()> {
    socket::patient(&stream)?;
    let mut hello = [0; 16];
    stream.read_exact(&mut hello)?;
    if hello[..8] != cookie.to_le_bytes() {
        return Ok(());
    }
    let mut message = [0x5a; MESSAGE];
    match Wish::read(hello[8]) {
        Some(Wish::Send) => while socket::again(|| stream.read(&mut message))? > 0 {},
        Some(Wish::Receive) => loop {
            stream.write_all(&message)?;
        },
        Some(Wish::Echo) => {
            let mut byte = [0];
            while socket::again(|| stream.read(&mut byte))? > 0 {
                stream.write_all(&byte)?;
            }
        }
        Some(Wish::Datagrams) => datagrams(stream)?,
        Some(Wish::Service) => outside::serve(stream)?,
        None => {}
    }
    Ok(())
}

/// Sends datagrams back to whoever sends them, as long as `control` lasts.
fn datagrams(mut control: TcpStream) -> io::Result<()> {
    let own = match control.local_addr()? {
        SocketAddr::V4(own) => *own.ip(),
        SocketAddr::V6(_) => Ipv4Addr::LOCALHOST,
    };
    let socket = socket::datagrams(SocketAddrV4::new(own, 0), None)?;
    control.write_all(&socket.local_addr()?.port().to_le_bytes())?;
    socket.set_nonblocking(true)?;
    control.set_nonblocking(true)?;
    let mut waits = [socket.as_raw_fd(), control.as_raw_fd()].map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    loop {
        // SAFETY: the array has two entries.
        unsafe { libc::poll(waits.as_mut_ptr(), 2, -1) };
        echo(&socket)?;
        if waits[1].revents != 0 {
            return Ok(());
        }
    }
}

fn echo(socket: &UdpSocket) -> io::Result<()> {
    let mut bytes = [0; 64];
    loop {
        match socket.recv_from(&mut bytes) {
            Ok((size, from)) => drop(socket.send_to(&bytes[..size], from)?),
            Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(e) => return Err(e),
        }
    }
}

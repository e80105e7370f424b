//! Calls to the peer at the other end of a network: what they may want. A call begins with sixteen bytes: the cookie, what is wanted,
//! zeros.

use crate::socket;
use std::io::{self, Write};
use std::net::TcpStream;
use tare_proto::Peer;

/// What a caller wants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// To send messages.
    Send = 1,
    /// To be sent messages.
    Receive = 2,
    /// To have each byte sent back.
    Echo = 3,
    /// To be told the port of a socket that sends each datagram back, until the connection ends.
    Datagrams = 4,
    /// To have its own service asked, from where the peer is (`service/outside.rs`).
    Service = 5,
}

impl Wish {
    /// The wish that a caller has sent.
    pub fn read(byte: u8) -> Option<Wish> {
        let all = [Wish::Send, Wish::Receive, Wish::Echo, Wish::Datagrams, Wish::Service];
        all.into_iter().find(|wish| *wish as u8 == byte)
    }
}

/// Connects to a peer and says what is wanted.
pub fn call(peer: &Peer, wish: Wish) -> io::Result<TcpStream> {
    let mut stream = socket::connect(peer.address)?;
    let mut hello = [0; 16];
    hello[..8].copy_from_slice(&peer.cookie.to_le_bytes());
    hello[8] = wish as u8;
    stream.write_all(&hello)?;
    Ok(stream)
}

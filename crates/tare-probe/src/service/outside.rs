//! A client outside of the layer: the layer's end of the network says what is to be asked, and the peer at the other end asks it.
//!
//! The peer asks whoever has called it, and nobody else: a guest cannot have the host's other services asked. Where the layer's address
//! is translated on the way, as in QEMU's user network, the peer cannot reach it and says so.

use super::{Asked, OUTSIDE, read};
use crate::call::{Wish, call};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use tare_proto::{ITSELF, NET, Peer};

/// Most bytes of what is to be asked, and of what is found.
const WORDS: u64 = 4 << 10;
const FOUND: u64 = 64 << 10;

/// Why a network does not do, and why a request does not.
const UNREACHABLE: &str =
    "the host cannot open connections to the layer on this network: give it net=veth or net=tap";
const TOO_LONG: &str = "a URL and its words may have 4 KiB";

/// What an answer begins with.
const GOOD: u8 = b'+';
const BAD: u8 = b'-';

/// The peer that can ask a service of this layer, or why none can. It is looked at before a server is started, which listens at all
/// addresses: where the network is the host's own, the host's neighbours would reach it.
pub fn peer() -> Result<Peer, String> {
    let told = std::env::var(NET).map_err(|_| "this layer has no network to the host (net=)")?;
    let peer = Peer::parse(&told).map_err(|why| format!("no network to the host: {why}"))?;
    if peer.address.ip().is_loopback() { Err(UNREACHABLE.into()) } else { Ok(peer) }
}

/// Whether `command` is tare's own client, outside of the layer.
pub fn is_asked_by(command: &[String]) -> bool {
    matches!(command, [itself, ask, _, words @ ..]
        if itself == ITSELF && ask == "ask" && words.iter().any(|word| word == OUTSIDE))
}

/// Has the service at `url` of this layer asked from outside.
pub fn ask(url: &str, words: &[&str]) -> Result<String, String> {
    let peer = peer()?;
    let asked = [&[url], words].concat().join("\n");
    let mut answer = Vec::new();
    let mut called = || -> io::Result<()> {
        let mut stream = call(&peer, Wish::Service)?;
        stream.set_read_timeout(None)?; // the run's time limit ends it
        stream.write_all(&(asked.len() as u32).to_le_bytes())?;
        stream.write_all(asked.as_bytes())?;
        stream.take(FOUND).read_to_end(&mut answer).map(drop)
    };
    called().map_err(|why| format!("the client outside, at {}: {why}", peer.address))?;
    let text = String::from_utf8_lossy(answer.get(1..).unwrap_or_default()).into_owned();
    match answer.first() {
        Some(&GOOD) => Ok(text),
        Some(_) => Err(format!("from outside of the layer: {text}")),
        None => Err("the client outside of the layer said nothing".into()),
    }
}

/// The peer's side: reads what the caller wants asked, asks it, and says what was found. It gives up when the caller has gone.
pub fn serve(mut stream: TcpStream) -> io::Result<()> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut text = String::new();
    let length = u64::from(u32::from_le_bytes(length));
    (&stream).take(length.min(WORDS)).read_to_string(&mut text)?;
    stream.set_nonblocking(true)?;
    let request = if length > WORDS { Err(TOO_LONG.into()) } else { read_for(&stream, &text) };
    let found = request.and_then(|request| request.run(&|| is_there(&stream)));
    stream.set_nonblocking(false)?;
    let (mark, text) = match &found {
        Ok(text) => (GOOD, text),
        Err(text) => (BAD, text),
    };
    stream.write_all(&[&[mark], text.as_bytes()].concat())
}

/// What `text` asks for, of the service where `caller` comes from.
fn read_for(caller: &TcpStream, text: &str) -> Result<Asked, String> {
    let mut words = text.lines();
    let url = words.next().unwrap_or_default();
    let mut asked = read(url, &words.collect::<Vec<_>>())?;
    let addresses = caller.peer_addr().and_then(|from| Ok((from.ip(), caller.local_addr()?.ip())));
    match addresses.map_err(|why| why.to_string())? {
        (IpAddr::V4(from), own) if own != from && !from.is_loopback() => {
            asked.target.address.set_ip(from);
            Ok(asked)
        }
        _ => Err(UNREACHABLE.into()),
    }
}

/// Whether the caller still waits.
fn is_there(caller: &TcpStream) -> bool {
    matches!(caller.peek(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

//! The loads: a stream one way, and a byte to and fro.

use super::end::End;
use crate::bench::{Measured, Own, Refusal};
use crate::call::Wish;
use crate::clock::now_ns;
use crate::latency::Latencies;
use crate::slices::Slices;
use crate::socket::{self, MESSAGE};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::Duration;
use tare_proto::Counter;

/// How long a datagram may take to come back before it counts as lost.
const LOST_AFTER: Duration = Duration::from_millis(200);

/// So many in a row are no bad luck.
const MOST_LOST: u32 = 10;

/// Messages to the other end, as fast as it takes them.
pub fn send(own: &Own, end: &End) -> Result<Measured, Refusal> {
    let mut stream = end.call(Wish::Send)?;
    let message = [0x5a; MESSAGE];
    flow(own, "sending", || socket::again(|| stream.write(&message)))
}

/// Messages from the other end, as fast as it sends them.
pub fn receive(own: &Own, end: &End) -> Result<Measured, Refusal> {
    let mut stream = end.call(Wish::Receive)?;
    let mut message = [0; MESSAGE];
    flow(own, "receiving", || socket::again(|| stream.read(&mut message)))
}

/// A byte there and back, one after the other.
pub fn tcp_rr(own: &Own, end: &End) -> Result<Measured, Refusal> {
    let mut stream = end.call(Wish::Echo)?;
    transactions(own, || {
        stream.write_all(&[1])?;
        stream.read_exact(&mut [0])
    })
}

/// A datagram there and back, one after the other. A lost one is sent again and counted.
pub fn udp_rr(own: &Own, end: &End) -> Result<Measured, Refusal> {
    let mut control = end.call(Wish::Datagrams)?;
    let mut port = [0; 2];
    control.read_exact(&mut port)?;
    let to = SocketAddrV4::new(*end.peer.address.ip(), u16::from_le_bytes(port));
    let socket = socket::datagrams(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0), Some(to))?;
    socket.set_read_timeout(Some(LOST_AFTER))?;
    let mut lost = 0;
    let mut measured = transactions(own, || there_and_back(&socket, &mut lost))?;
    measured.counters.push(Counter::new("lost", f64::from(lost)));
    Ok(measured)
}

fn there_and_back(socket: &UdpSocket, lost: &mut u32) -> io::Result<()> {
    for _ in 0..MOST_LOST {
        socket::again(|| socket.send(&[1]))?;
        match socket::again(|| socket.recv(&mut [0])) {
            Ok(_) => return Ok(()),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => *lost += 1,
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::new(ErrorKind::TimedOut, "no datagram comes back"))
}

/// Moves messages until the time is over.
fn flow(
    own: &Own,
    what: &str,
    mut step: impl FnMut() -> io::Result<usize>,
) -> Result<Measured, Refusal> {
    let mut slices = Slices::begin(own, MESSAGE as u64);
    while !slices.full() {
        match step() {
            Ok(0) => return Err(Refusal::Failed(format!("{what}: the other end has gone"))),
            Ok(bytes) => slices.add(bytes as u64, now_ns()),
            Err(error) => return Err(Refusal::Failed(format!("{what}: {error}"))),
        }
    }
    let (bytes, samples) = slices.end();
    let counters = vec![Counter::new("bytes", bytes as f64)];
    let ops = bytes / MESSAGE as u64 / (samples.len() as u64 + 1);
    Ok(Measured { ops, samples, warmup: 1, counters })
}

/// Makes transactions until the time is over.
fn transactions(own: &Own, mut step: impl FnMut() -> io::Result<()>) -> Result<Measured, Refusal> {
    let (mut slices, mut latencies) = (Slices::begin(own, 1), Latencies::new());
    let mut before = now_ns();
    while !slices.full() {
        step().map_err(|error| Refusal::Failed(format!("a transaction: {error}")))?;
        let now = now_ns();
        if slices.warm() {
            latencies.add(now - before);
        }
        slices.add(1, now);
        before = now;
    }
    let (all, samples) = slices.end();
    let ops = all / (samples.len() as u64 + 1);
    Ok(Measured { ops, samples, warmup: 1, counters: latencies.counters() })
}

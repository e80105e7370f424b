//! The other end: the peer on the host that the layer was told of, or a child that is one.

use crate::bench::Refusal;
use crate::call::{Wish, call};
use crate::peer;
use crate::process::Child;
use crate::socket;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use tare_proto::{NET, Peer};

/// A peer to call, and what keeps it.
pub struct End {
    pub peer: Peer,
    _child: Option<Child>,
}

impl End {
    /// The peer on the host.
    pub fn host() -> Result<End, Refusal> {
        let Ok(text) = std::env::var(NET) else {
            let why = "this layer was given no network to the host (setting net=)";
            return Err(Refusal::Unavailable(why.into()));
        };
        let peer = Peer::parse(&text).map_err(Refusal::Unavailable)?;
        Ok(End { peer, _child: None })
    }

    pub fn inside() -> Result<End, Refusal> {
        let anywhere = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0);
        let none = |e: io::Error| Refusal::Unavailable(format!("no loopback interface: {e}"));
        let listener = socket::listen(anywhere).map_err(none)?;
        let SocketAddr::V4(address) = listener.local_addr()? else {
            return Err(Refusal::Failed("a socket of another family".into()));
        };
        let cookie = u64::from(std::process::id());
        let child = Child::start(|| peer::serve(&listener, cookie))?;
        Ok(End { peer: Peer { address, cookie }, _child: Some(child) })
    }

    /// A connection to it.
    pub fn call(&self, wish: Wish) -> Result<TcpStream, Refusal> {
        call(&self.peer, wish).map_err(|error| {
            Refusal::Unavailable(format!("cannot reach {}: {error}", self.peer.address))
        })
    }
}

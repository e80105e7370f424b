//! The peer at the other end of a layer's network: its address, and the cookie that callers send first.

use std::net::SocketAddrV4;

/// The variable that says where the peer is: `ADDRESS:PORT/COOKIE`, or `none:` and the reason.
pub const NET: &str = "TARE_NET";

/// The variable that says what a guest's own interface is: `NAME:ADDRESS/PREFIX`.
pub const NET_OWN: &str = "TARE_NET_OWN";

/// The variable that names the network namespace that a native probe enters.
pub const NET_NAMESPACE: &str = "TARE_NET_NAMESPACE";

/// A peer: its address and the number that callers must know, so that it serves nobody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Where it listens.
    pub address: SocketAddrV4,
    /// The number that a caller sends first.
    pub cookie: u64,
}

impl Peer {
    /// Reads [`NET`]'s value; the error says why there is no peer.
    pub fn parse(text: &str) -> Result<Peer, String> {
        if let Some(why) = text.strip_prefix("none:") {
            return Err(why.trim().to_owned());
        }
        let parts = text.split_once('/').and_then(|(address, cookie)| {
            Some((address.parse().ok()?, u64::from_str_radix(cookie, 16).ok()?))
        });
        let (address, cookie) = parts.ok_or_else(|| format!("{NET}={text} is not a peer"))?;
        Ok(Peer { address, cookie })
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{:x}", self.address, self.cookie)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_survives_the_round_trip_and_a_reason_stays_one() {
        let peer = Peer { address: "10.0.2.2:20001".parse().unwrap(), cookie: 0xfeed };
        assert_eq!(peer.to_string(), "10.0.2.2:20001/feed");
        assert_eq!(Peer::parse(&peer.to_string()), Ok(peer));
        assert_eq!(Peer::parse("none: no rights"), Err("no rights".into()));
        assert!(Peer::parse("somewhere").unwrap_err().contains("somewhere"));
    }
}

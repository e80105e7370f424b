//! What is asked: where the service listens, which protocol it speaks, and the request.

use super::answer::Answer;
use super::{http, memcached, redis};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Between two tries to connect.
const PAUSE: Duration = Duration::from_millis(10);

/// Longest try to connect.
const ONE_TRY: Duration = Duration::from_secs(1);

/// Why a service is not reached from outside, most often.
const BOUND: &str =
    "; a server that listens at 127.0.0.1 is not reached from outside, let it listen at 0.0.0.0";

/// A service, and the request that it is sent.
#[derive(Debug)]
pub struct Target {
    /// Where it listens.
    pub address: SocketAddrV4,
    /// How its answers are read.
    pub protocol: Protocol,
    /// The bytes of a request.
    pub request: Vec<u8>,
}

/// A protocol whose requests are answered in order, one at a time on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 (RFC 9112).
    Http,
    /// Redis' (RESP2).
    Redis,
    /// Memcached's, in text.
    Memcached,
}

impl Target {
    /// Reads `http://ADDRESS:PORT/PATH`, `redis://ADDRESS:PORT/WORDS` or `memcached://ADDRESS:PORT/WORDS`; without ADDRESS it is 127.0.0.1.
    pub fn parse(url: &str) -> Result<Target, String> {
        let unlike = || {
            format!(
                "'{url}' is neither http://:PORT/PATH nor redis://:PORT/COMMAND nor memcached://:PORT/COMMAND"
            )
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(unlike)?;
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = place.split_once(':').ok_or_else(unlike)?;
        let host = if host.is_empty() { "localhost" } else { host };
        let ip = match host {
            "localhost" => Ipv4Addr::LOCALHOST,
            host => host.parse().map_err(|_| unlike())?,
        };
        let address = SocketAddrV4::new(ip, port.parse().map_err(|_| unlike())?);
        let (protocol, request) = match scheme {
            "http" => (Protocol::Http, http::request(&format!("{host}:{port}"), path)),
            "redis" => (Protocol::Redis, redis::request(path)),
            "memcached" => (Protocol::Memcached, memcached::request(path)),
            _ => return Err(unlike()),
        };
        Ok(Target { address, protocol, request })
    }
}

impl Protocol {
    /// Reads what stands at the begin of `bytes`.
    pub fn answer(self, bytes: &[u8]) -> Answer {
        match self {
            Protocol::Http => http::answer(bytes),
            Protocol::Redis => redis::answer(bytes),
            Protocol::Memcached => memcached::answer(bytes),
        }
    }
}

/// Waits until something listens at the target's address, as long as that is `wanted`.
pub fn wait_for(
    target: &Target,
    patience: Duration,
    wanted: &dyn Fn() -> bool,
) -> Result<(), String> {
    let begin = Instant::now();
    loop {
        let within = patience.saturating_sub(begin.elapsed()).clamp(PAUSE, ONE_TRY);
        match TcpStream::connect_timeout(&target.address.into(), within) {
            Ok(_) => return Ok(()),
            Err(error) if is_early(&error) && begin.elapsed() < patience && wanted() => {
                thread::sleep(PAUSE);
            }
            Err(error) => {
                let is_near = target.address.ip().is_loopback();
                let hint = if is_near { "" } else { BOUND };
                return Err(format!("nothing answers at {}: {error}{hint}", target.address));
            }
        }
    }
}

/// Whether a service that is only beginning refuses like this.
fn is_early(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, NetworkUnreachable, TimedOut};
    [ConnectionRefused, ConnectionReset, NetworkUnreachable, TimedOut].contains(&error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_an_address_a_protocol_and_a_request() {
        let target = Target::parse("http://:8080/a?b=1").unwrap();
        assert_eq!(target.address, "127.0.0.1:8080".parse().unwrap());
        assert!(target.request.starts_with(b"GET /a?b=1 HTTP/1.1\r\nHost: localhost:8080\r\n"));
        let target = Target::parse("redis://10.0.0.2:6379/GET key").unwrap();
        assert_eq!(target.request, b"*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n");
        for wrong in ["http://x", "https://:1/", "ftp://:21/", "http://name:80/", "http://:99999/"]
        {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! What is asked: where the service listens, which protocol it speaks, and the request.

use super::answer::{Answer, Greeted, first_line};
use super::tls::Tls;
use super::{http, memcached, postgres, redis};
use ::http::Request;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;

/// What a URL may be.
const SHAPES: &str = "http://:PORT/PATH, https://:PORT/PATH, h2c://:PORT/PATH, h2://:PORT/PATH, redis://:PORT/COMMAND, \
                      memcached://:PORT/COMMAND nor postgres://USER@:PORT/DATABASE?QUERY";

/// Why a password does not do.
const PASSWORD: &str = "passwords are not supported: PostgreSQL has to trust the connections (`trust` in its pg_hba.conf)";

/// A service, and the request that it is sent.
#[derive(Debug)]
pub struct Target {
    /// Where it listens.
    pub address: SocketAddrV4,
    /// TLS, if it is spoken to so.
    pub tls: Option<Tls>,
    /// What is said to it.
    pub speech: Speech,
}

/// How requests share a connection.
#[derive(Debug)]
pub enum Speech {
    /// One after the other.
    InOrder(Arc<Dialogue>),
    /// All at once: HTTP/2, with this request.
    Http2(Arc<Request<()>>),
}

/// What is said on a connection whose answers come in the order of the requests.
#[derive(Debug)]
pub struct Dialogue {
    /// How answers are read.
    pub protocol: Protocol,
    /// The bytes with which a connection begins, in protocols that have a greeting; otherwise none.
    pub greeting: Vec<u8>,
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
    /// PostgreSQL's, version 3.0.
    Postgres,
}

impl Target {
    /// Reads `http://ADDRESS:PORT/PATH`, the same with `https`, `h2c` or `h2` (HTTP/2 in clear text and over TLS), `redis://ADDRESS:PORT/WORDS`,
    /// `memcached://ADDRESS:PORT/WORDS` or `postgres://USER@ADDRESS:PORT/DATABASE?QUERY`; without ADDRESS it is 127.0.0.1.
    pub fn parse(url: &str) -> Result<Target, String> {
        let unlike = || format!("'{url}' is neither {SHAPES}");
        let (scheme, rest) = url.split_once("://").ok_or_else(unlike)?;
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, place) = match place.rsplit_once('@') {
            Some((user, _)) if scheme == "postgres" && user.contains(':') => {
                return Err(PASSWORD.into());
            }
            Some(parts) if scheme == "postgres" => parts,
            _ => ("", place),
        };
        let (host, port) = place.split_once(':').ok_or_else(unlike)?;
        let host = if host.is_empty() { "localhost" } else { host };
        let ip = match host {
            "localhost" => Ipv4Addr::LOCALHOST,
            host => host.parse().map_err(|_| unlike())?,
        };
        let address = SocketAddrV4::new(ip, port.parse().map_err(|_| unlike())?);
        let in_order = |protocol, greeting, request| {
            Speech::InOrder(Arc::new(Dialogue { protocol, greeting, request }))
        };
        let speech = match scheme {
            "http" | "https" => {
                let request = http::request(&format!("{host}:{port}"), path);
                in_order(Protocol::Http, Vec::new(), request)
            }
            "h2c" | "h2" => {
                let of = if scheme == "h2" { "https" } else { "http" };
                let request = Request::get(format!("{of}://{host}:{port}/{path}"));
                let request = request.header("user-agent", "tare").header("accept", "*/*");
                Speech::Http2(Arc::new(request.body(()).map_err(|_| unlike())?))
            }
            "redis" => in_order(Protocol::Redis, Vec::new(), redis::request(path)),
            "memcached" => in_order(Protocol::Memcached, Vec::new(), memcached::request(path)),
            "postgres" if url.contains('\0') => return Err(unlike()), // it ends the protocol's texts
            "postgres" => {
                let (database, query) = path.split_once('?').unwrap_or((path, ""));
                let greeting = postgres::greeting(user, database);
                in_order(Protocol::Postgres, greeting, postgres::request(query))
            }
            _ => return Err(unlike()),
        };
        let tls = match scheme {
            "https" => Some(Tls::new(host, ip, "http/1.1")),
            "h2" => Some(Tls::new(host, ip, "h2")),
            _ => None,
        };
        let tls = tls.transpose().map_err(|why| why.to_string())?;
        Ok(Target { address, tls, speech })
    }
}

impl Protocol {
    /// Reads what stands at the begin of `bytes`.
    pub fn answer(self, bytes: &[u8]) -> Answer {
        match self {
            Protocol::Http => http::answer(bytes),
            Protocol::Redis => redis::answer(bytes),
            Protocol::Memcached => memcached::answer(bytes),
            Protocol::Postgres => postgres::answer(bytes),
        }
    }

    /// Reads what a service says to the greeting.
    pub fn greeted(self, bytes: &[u8]) -> Greeted {
        match self {
            Protocol::Postgres => postgres::greeted(bytes),
            _ => Greeted::Ready,
        }
    }

    /// What an answer that is not good, or none of this protocol, says.
    pub fn refusal(self, bytes: &[u8]) -> String {
        match self {
            Protocol::Postgres => postgres::refusal(bytes),
            _ => first_line(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(target: &Target) -> &Dialogue {
        match &target.speech {
            Speech::InOrder(dialogue) => dialogue,
            Speech::Http2(_) => panic!("HTTP/2"),
        }
    }

    #[test]
    fn a_url_is_an_address_a_protocol_and_a_request() {
        let target = Target::parse("http://:8080/a?b=1").unwrap();
        assert_eq!(target.address, "127.0.0.1:8080".parse().unwrap());
        assert!(
            said(&target).request.starts_with(b"GET /a?b=1 HTTP/1.1\r\nHost: localhost:8080\r\n")
        );
        assert!(Target::parse("https://:8443/").unwrap().tls.is_some() && target.tls.is_none());
        let target = Target::parse("h2://10.0.0.2:8443/a?b=1").unwrap();
        assert!(
            matches!(&target.speech, Speech::Http2(it) if it.uri() == "https://10.0.0.2:8443/a?b=1")
        );
        assert!(target.tls.is_some() && Target::parse("h2c://:80/").unwrap().tls.is_none());
        assert!(Target::parse("h2c://:80/a b").is_err());
        let target = Target::parse("redis://10.0.0.2:6379/GET key").unwrap();
        assert_eq!(said(&target).request, b"*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n");
        let target = Target::parse("postgres://me@:5432/shop?SELECT 1/2 ? 3").unwrap();
        assert_eq!(target.address, "127.0.0.1:5432".parse().unwrap());
        assert!(
            said(&target)
                .greeting
                .ends_with(b"user\0me\0database\0shop\0application_name\0tare\0\0")
        );
        assert!(said(&target).request.ends_with(b"SELECT 1/2 ? 3\0"));
        let target = Target::parse("postgres://10.0.0.2:5432").unwrap();
        assert!(said(&target).request.ends_with(b"SELECT 1\0"));
        let why = Target::parse("postgres://me:secret@:5432/shop").unwrap_err();
        assert!(why.contains("passwords are not supported") && !why.contains("secret"), "{why}");
        for wrong in ["postgres://a@x/", "postgres://:5432/a?\0", "http://a@:80/"] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
        for wrong in ["http://x", "ftp://:21/", "http://name:80/", "http://:99999/"] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
    }
}

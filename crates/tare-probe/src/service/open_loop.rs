//! Requests at a rate: each has its time, and is sent then if a connection is free, or as soon as one is.

use super::arrivals::Arrivals;
use super::connection::{Connection, Said};
use super::opening;
use super::outcome::Outcome;
use super::target::Target;
use crate::clock::now_ns;
use std::collections::VecDeque;
use std::io;
use std::time::Duration;

/// The size of what is read at once.
const ROOM: usize = 64 << 10;

/// Most connections and requests of one load.
const CONNECTIONS: u32 = 1000;
pub const REQUESTS: f64 = 5e6;

/// Most bytes of an answer, and about the most of all that are on their way: outside of the layer it is the host's memory that they take.
const ANSWER: usize = 16 << 20;
const ANSWERS: usize = 256 << 20;

/// Between two looks whether the load is still wanted, in nanoseconds.
const LOOK_NS: u64 = 100_000_000;

/// A load.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Requests a second.
    pub rate: u32,
    /// For how long requests are sent.
    pub lasts: Duration,
    /// Connections that they share.
    pub connections: u32,
    /// Whether the time between two is always the same; otherwise they arrive as a Poisson process.
    pub even: bool,
    /// How long an answer is waited for.
    pub timeout: Duration,
}

impl Default for Load {
    fn default() -> Load {
        Load {
            rate: 100,
            lasts: Duration::from_secs(2),
            connections: 16,
            even: false,
            timeout: Duration::from_secs(1),
        }
    }
}

impl Load {
    /// Refuses what cannot be sent.
    pub fn check(&self) -> Result<(), String> {
        let requests = f64::from(self.rate) * self.lasts.as_secs_f64();
        match (self.connections, requests) {
            (1..=CONNECTIONS, 1.0..=REQUESTS) => Ok(()),
            (1..=CONNECTIONS, _) => {
                Err(format!("{requests} requests: 1 to {REQUESTS} are possible"))
            }
            (n, _) => Err(format!("{n} connections: 1 to {CONNECTIONS} are possible")),
        }
    }
}

/// A load that is on its way.
struct Asking<'a> {
    target: &'a Target,
    /// Bytes of an answer.
    most: usize,
    timeout_ns: u64,
    connections: Vec<Box<dyn Connection>>,
    /// When the requests that no connection was free for were due.
    queue: VecDeque<u64>,
    outcome: Outcome,
}

/// Asks `target` as `load` says, as long as that is `wanted`. The error says why it cannot be asked at all; requests without an
/// answer, be it all of them, are an outcome.
pub fn ask(target: &Target, load: &Load, wanted: &dyn Fn() -> bool) -> io::Result<Outcome> {
    let most = ANSWER.min(ANSWERS / load.connections as usize);
    let connections: io::Result<Vec<_>> =
        (0..load.connections).map(|_| opening::open(target, most, load.timeout)).collect();
    let mut asking = Asking {
        target,
        most,
        timeout_ns: load.timeout.as_nanos() as u64,
        connections: connections?,
        queue: VecDeque::new(),
        outcome: Outcome::default(),
    };
    let total = (f64::from(load.rate) * load.lasts.as_secs_f64()) as usize;
    let mut arrivals = Arrivals::new(1e9 / f64::from(load.rate), load.even);
    let begin = now_ns();
    let mut due = begin as f64 + arrivals.next();
    let mut sent = 0;
    let mut room = vec![0; ROOM];
    let mut look = begin + LOOK_NS;
    while asking.outcome.latencies.len() < total {
        let now = now_ns();
        if now > look {
            look = now + LOOK_NS;
            if !wanted() {
                return Err(io::Error::other("the caller has hung up"));
            }
        }
        while sent < total && due as u64 <= now {
            asking.queue.push_back(due as u64);
            asking.outcome.late.push(now - due as u64);
            sent += 1;
            due += arrivals.next();
        }
        asking.give_up(now);
        asking.send()?;
        let next = if sent < total { due as u64 } else { now + asking.timeout_ns };
        asking.wait(next.saturating_sub(now_ns()));
        asking.hear(&mut room)?;
    }
    let mut outcome = asking.outcome;
    outcome.lasted_ns = now_ns() - begin;
    outcome.latencies.sort_unstable();
    outcome.late.sort_unstable();
    Ok(outcome)
}

impl Asking<'_> {
    /// Sends what is due on the connections that are free.
    fn send(&mut self) -> io::Result<()> {
        while let Some(due) = self.queue.pop_front() {
            let Some(at) = self.free() else {
                self.queue.push_front(due);
                return Ok(());
            };
            let connection = &mut self.connections[at];
            if !connection.is_refused() && connection.ask(due).is_ok() {
                continue;
            }
            // It was closed while nobody asked: once more on a new one, which may have to be opened first.
            self.renew(at)?;
            if !self.connections[at].is_free() {
                self.queue.push_front(due);
            } else if self.connections[at].ask(due).is_err() {
                self.renew(at)?;
                self.failed();
            }
        }
        Ok(())
    }

    /// The connection with the fewest requests that takes one more.
    fn free(&mut self) -> Option<usize> {
        let asked = |(at, connection): (usize, &mut Box<dyn Connection>)| {
            connection.is_free().then(|| (connection.asked(), at))
        };
        self.connections.iter_mut().enumerate().filter_map(asked).min().map(|(_, at)| at)
    }

    /// Waits until a connection has something, for `ns` at most.
    fn wait(&self, ns: u64) {
        let is_unheard = self.connections.iter().any(|connection| connection.is_unheard());
        let ns = if is_unheard { 0 } else { ns.min(self.timeout_ns).min(LOOK_NS) };
        let mut all: Vec<libc::pollfd> =
            self.connections.iter().map(|connection| connection.waits_for()).collect();
        let most = libc::timespec {
            tv_sec: (ns / 1_000_000_000) as _,
            tv_nsec: (ns % 1_000_000_000) as _,
        };
        // SAFETY: the array has as many entries as are said, and the time is a valid one.
        unsafe {
            libc::ppoll(all.as_mut_ptr(), all.len() as libc::nfds_t, &most, std::ptr::null())
        };
    }

    /// Sends what is left of requests, and reads from all connections.
    fn hear(&mut self, room: &mut [u8]) -> io::Result<()> {
        for at in 0..self.connections.len() {
            loop {
                let said = self.connections[at].hear(room);
                self.take(at, said)?;
                if said == Said::Nothing || !self.connections[at].is_unheard() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Counts what a connection has said.
    fn take(&mut self, at: usize, said: Said) -> io::Result<()> {
        let connection = &mut self.connections[at];
        match said {
            Said::Nothing => {}
            Said::Answer { due, good, closes } => {
                if good {
                    self.outcome.latencies.push(now_ns().saturating_sub(due));
                } else {
                    self.outcome.refused = connection.refused();
                    self.failed();
                }
                if closes {
                    self.renew(at)?;
                }
            }
            Said::Again { due } => self.queue.push_front(due),
            Said::Broken => {
                let line = connection.refused();
                self.outcome.refused = line.or(self.outcome.refused.take());
                // One that refuses its greeting is renewed when there is a request for it, or a service that refuses all is hammered.
                if connection.is_refused() {
                    self.forsake(at);
                } else {
                    self.renew(at)?;
                }
            }
        }
        Ok(())
    }

    /// Counts requests that have waited for too long as errors.
    fn give_up(&mut self, now: u64) {
        let late = now.saturating_sub(self.timeout_ns);
        while self.queue.front().is_some_and(|due| *due < late) {
            self.queue.pop_front();
            self.failed();
        }
        for at in 0..self.connections.len() {
            let given_up = self.connections[at].give_up(late);
            (0..given_up).for_each(|_| self.failed());
            // Its next answer would be to one of these, or nobody is at its other end.
            if given_up > 0 && self.connections[at].asked() == 0 {
                // One that cannot be had again is broken, which is seen when it is heard.
                let _ = self.renew(at);
            }
        }
    }

    /// Counts the requests that are on their way on a connection as errors.
    fn forsake(&mut self, at: usize) {
        (0..self.connections[at].give_up(u64::MAX)).for_each(|_| self.failed());
    }

    fn failed(&mut self) {
        self.outcome.errors += 1;
        self.outcome.latencies.push(self.timeout_ns);
    }

    /// Begins a connection again; the others do not wait until it is open.
    fn renew(&mut self, at: usize) -> io::Result<()> {
        self.forsake(at);
        self.connections[at] = opening::begin(self.target, self.most)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    /// A service that answers each request with `answer`, after `pause` for every hundredth of all connections.
    fn service(answer: &'static [u8], pause: Duration, connections: usize) -> Target {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().take(connections) {
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    let mut request = [0; 4096];
                    let mut served = 0;
                    while stream.read(&mut request).is_ok_and(|size| size > 0) {
                        served += 1;
                        if served % 100 == 0 {
                            thread::sleep(pause);
                        }
                        if stream.write_all(answer).is_err() {
                            break;
                        }
                    }
                });
            }
        });
        Target::parse(&format!("http://:{port}/")).unwrap()
    }

    const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    const BAD: &[u8] = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";

    fn load(rate: u32) -> Load {
        Load { rate, lasts: Duration::from_millis(500), connections: 1, ..Load::default() }
    }

    #[test]
    fn a_service_that_stops_is_seen_by_all_requests_that_were_due_meanwhile() {
        let target = service(GOOD, Duration::from_millis(200), 1);
        let outcome = ask(&target, &load(400), &|| true).unwrap();
        assert_eq!((outcome.latencies.len(), outcome.errors), (200, 0));
        // Of 200 requests the 100th and the 200th are held for 200 ms. A client that waits would see two slow ones; some 80 that were due
        // while the 100th was held waited for half of that on average.
        let slow = outcome.latencies.iter().filter(|ns| **ns > 50_000_000).count();
        assert!(slow > 40, "{slow}");
    }

    #[test]
    fn errors_count_as_long_as_the_time_limit() {
        let target = service(BAD, Duration::ZERO, 1);
        let why = ask(&target, &load(100), &|| true).unwrap().without_answer().unwrap();
        assert!(why.contains("none of 50") && why.ends_with("one was: HTTP/1.1 500 No"), "{why}");
        let target = service(GOOD, Duration::from_millis(400), 64);
        let short = Load { timeout: Duration::from_millis(100), ..load(400) };
        let outcome = ask(&target, &short, &|| true).unwrap();
        assert!(outcome.errors > 0 && outcome.latencies.len() == 200, "{outcome}");
        assert_eq!(outcome.quantile(1.0) / 100_000_000, 1, "{outcome}");
    }

    /// A server of PostgreSQL's protocol that gives each message `answers` in turn, and closes the connection when there are no more.
    fn postgres(answers: &'static [&'static [u8]]) -> Target {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    let mut request = [0; 4096];
                    for answer in answers {
                        if !stream.read(&mut request).is_ok_and(|size| size > 0) {
                            break;
                        }
                        // In two parts, as a network may have them.
                        let (begin, end) = answer.split_at(answer.len() / 2);
                        stream.write_all(begin).unwrap();
                        thread::sleep(Duration::from_millis(1));
                        let _ = stream.write_all(end);
                    }
                });
            }
        });
        Target::parse(&format!("postgres://:{port}/shop?SELECT 1")).unwrap()
    }

    const GREETING: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
    const ROWS: &[u8] = b"C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I";
    const ERROR: &[u8] = b"E\0\0\0\x1aSERROR\0C22012\0Mzero\0\0Z\0\0\0\x05I";
    const PASSWORD: &[u8] = b"R\0\0\0\x0c\0\0\0\x05salt";

    #[test]
    fn postgres_is_greeted_once_and_again_after_it_has_closed() {
        // Three answers a connection: of 50 requests on one some meet its end, which is no good answer, and others follow.
        let outcome = ask(&postgres(&[GREETING, ROWS, ROWS, ROWS]), &load(100), &|| true).unwrap();
        let errors = outcome.errors as usize;
        assert!(outcome.latencies.len() == 50 && errors < 25, "{outcome}");
        let why = ask(&postgres(&[GREETING, ERROR]), &load(100), &|| true).unwrap();
        let why = why.without_answer().unwrap();
        assert!(why.ends_with("one was: ERROR: zero (22012)"), "{why}");
    }

    #[test]
    fn a_server_that_refuses_a_greeting_is_said_before_the_first_request() {
        let why = |answers| ask(&postgres(answers), &load(100), &|| true).unwrap_err().to_string();
        assert!(why(&[PASSWORD]).contains("asks for a password hashed by MD5"));
        assert!(why(&[b"HTTP/1.1 400 Bad Request\r\n\r\n"]).contains("does not speak PostgreSQL"));
        assert!(why(&[]).contains("closed the connection"));
    }
}

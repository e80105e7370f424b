//! The client of a service: it sends requests at a rate, whether the answers come or not, and says how long each took from
//! when it was due.
//!
//! A client that waits for an answer before it asks again slows down with the service and does not see its worst moments
//! (Tene, "How NOT to Measure Latency": coordinated omission). This one's clock does not wait.

mod answer;
mod arrivals;
mod connection;
mod http;
mod http2;
mod in_order;
mod knee;
mod memcached;
mod open_loop;
mod opening;
mod outcome;
pub mod outside;
mod postgres;
mod ready;
mod redis;
mod stream;
mod target;
mod tls;

use open_loop::Load;
use outcome::Slo;
use std::time::Duration;
use target::Target;

/// The variable that holds the rate where no word does.
const RATE: &str = "LOAD";

/// The word that says that the client is outside of the layer.
const OUTSIDE: &str = "outside";

/// What the words of a command line ask for.
struct Asked {
    target: Target,
    load: Load,
    /// The bound whose highest rate is looked for, instead of one rate.
    slo: Option<Slo>,
    /// How long the service may take until it answers for the first time.
    patience: Duration,
}

/// `tare-probe ask URL KEY=VALUE...`: prints what it found, and returns an exit code.
pub fn main(url: &str, words: &[&str]) -> i32 {
    let is_outside = words.contains(&OUTSIDE);
    let mut words: Vec<&str> = words.iter().copied().filter(|it| *it != OUTSIDE).collect();
    let rate = std::env::var(RATE).map(|rate| format!("rate={rate}"));
    if let (Ok(rate), false) = (&rate, words.iter().any(|it| it.starts_with("rate="))) {
        words.push(rate);
    }
    let said = match is_outside {
        true => outside::ask(url, &words),
        false => read(url, &words).and_then(|asked| asked.run(&|| true)),
    };
    match said {
        Ok(said) => {
            print!("{said}");
            0
        }
        Err(why) => {
            eprintln!("tare-probe: {why}");
            1
        }
    }
}

impl Asked {
    /// Waits for the service, asks it as long as the answer is `wanted`, and says what was found.
    fn run(&self, wanted: &dyn Fn() -> bool) -> Result<String, String> {
        ready::wait_for(&self.target, self.patience, wanted)?;
        match self.slo {
            Some(slo) => knee::highest(&self.target, &self.load, slo, wanted),
            None => {
                let outcome = open_loop::ask(&self.target, &self.load, wanted);
                let said = outcome.map_err(|why| why.to_string()).and_then(|outcome| {
                    outcome.without_answer().map_or_else(|| Ok(outcome.to_string()), Err)
                });
                said.map_err(|why| format!("the service at {}: {why}", self.target.address))
            }
        }
    }
}

fn read(url: &str, words: &[&str]) -> Result<Asked, String> {
    let mut asked = Asked {
        target: Target::parse(url)?,
        load: Load::default(),
        slo: None,
        patience: Duration::from_secs(10),
    };
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let bad = || format!("'{word}' is not understood");
        let seconds = || {
            let seconds = value.parse().ok().filter(|s: &f64| (0.0..=3600.0).contains(s));
            seconds.map(Duration::from_secs_f64).ok_or_else(bad)
        };
        match key {
            "rate" => asked.load.rate = value.parse().map_err(|_| bad())?,
            "seconds" => asked.load.lasts = seconds()?,
            "timeout" => asked.load.timeout = seconds()?,
            "connections" => asked.load.connections = value.parse().map_err(|_| bad())?,
            "even" => asked.load.even = true,
            "slo" => asked.slo = Some(Slo::parse(value).ok_or_else(bad)?),
            "patience" => asked.patience = seconds()?,
            _ => return Err(bad()),
        }
    }
    asked.load.check()?;
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::LazyLock;
    use std::thread;

    #[test]
    fn words_are_read_and_what_is_not_understood_is_refused() {
        let asked = read("http://127.0.0.1:80/x", &["rate=50", "seconds=0.5", "slo=0.99:5000000"]);
        let asked = asked.ok().unwrap();
        assert_eq!((asked.load.rate, asked.load.lasts), (50, Duration::from_millis(500)));
        assert_eq!(asked.slo.map(|slo| (slo.quantile, slo.ns)), Some((0.99, 5_000_000)));
        for wrong in ["rate=0", "rate=x", "connections=0", "seconds=-1", "speed=1", "slo=2:1"] {
            assert!(read("http://127.0.0.1:80/", &[wrong]).is_err(), "{wrong}");
        }
    }

    /// A service that says `words` to whoever connects, and waits for the end.
    pub fn says(words: &'static [u8]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    stream.write_all(words).and_then(|()| stream.read_to_end(&mut Vec::new()))
                });
            }
        });
        port
    }

    fn run(url: &str) -> Result<String, String> {
        let words = ["rate=20", "seconds=0.5", "connections=2", "patience=0.2"];
        read(url, &words)?.run(&|| true)
    }

    #[test]
    fn a_service_is_asked_over_tls_whatever_its_certificate_is() {
        let good = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        let found = run(&format!("https://:{}/", tls::server::serve(good))).unwrap();
        assert!(found.contains("errors: 0 of 10"), "{found}");
        // More than one record of TLS, and more than is read at once.
        static LARGE: LazyLock<Vec<u8>> = LazyLock::new(|| {
            [&b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"[..], &[7; 100_000]].concat()
        });
        let found = run(&format!("https://:{}/", tls::server::serve(&LARGE))).unwrap();
        assert!(found.contains("errors: 0 of 10"), "{found}");
        let bad = b"HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        let why = run(&format!("https://:{}/", tls::server::serve(bad))).unwrap_err();
        assert!(why.ends_with("one was: HTTP/1.1 503 Busy"), "{why}");
    }

    #[test]
    fn what_does_not_speak_tls_is_said_before_the_first_request() {
        let why = |words| run(&format!("https://:{}/", says(words))).unwrap_err();
        let plain = why(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        assert!(plain.contains("refuses a connection: TLS 1.3 fails: "), "{plain}");
        // The alert of a server that speaks older versions alone.
        let old = why(b"\x15\x03\x03\0\x02\x02\x46");
        assert!(old.contains("TLS 1.3 fails") && old.contains("ProtocolVersion"), "{old}");
    }
}

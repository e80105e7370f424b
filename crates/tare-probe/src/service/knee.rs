//! The highest rate at which a bound on the latency holds: doubled until it breaks, then halved in its logarithm.

use super::open_loop::{self, Load};
use super::outcome::Slo;
use super::target::Target;
use crate::clock::now_ns;
use std::time::Duration;

/// How near the rates that hold and break are at the end.
const NEAR: f64 = 1.05;

/// A step of the search's first half, which need not be right to the percent: its time, and its requests at least.
const COARSE: Step = Step { lasts: Duration::from_millis(250), requests: 100.0 };

/// Requests of a step of the second half that the bound's quantile leaves out, at least: fewer say nothing of it.
const BEYOND: f64 = 5.0;

/// The longest step, where a rate is so low that its requests would take longer.
const LONGEST: f64 = 10.0;

/// The rates between which is looked, a second.
const LEAST: f64 = 1.0;
const MOST: f64 = 2e6;

/// How long a rate is tried.
#[derive(Clone, Copy)]
struct Step {
    lasts: Duration,
    requests: f64,
}

/// Looks for the knee from the load's rate on; says it, and how it was found.
pub fn highest(
    target: &Target,
    load: &Load,
    slo: Slo,
    wanted: &dyn Fn() -> bool,
) -> Result<String, String> {
    let mut tries = 0;
    let mut answered = false;
    // Nothing that lasts much longer than the bound can change the verdict.
    let timeout =
        load.timeout.min(Duration::from_nanos(slo.ns.saturating_mul(10))).max(COARSE.lasts);
    let fine = Step { lasts: load.lasts, requests: BEYOND / (1.0 - slo.quantile) };
    let mut holds = |rate: f64, step: Step| -> Result<bool, String> {
        let enough = Duration::from_secs_f64((step.requests / rate).min(LONGEST));
        let most = Duration::from_secs_f64(open_loop::REQUESTS / rate);
        let lasts = step.lasts.max(enough).min(most);
        let load = Load { rate: rate as u32, lasts, timeout, ..*load };
        let mut once = || -> Result<bool, String> {
            tries += 1;
            let at = |why: String| format!("at {rate:.0} /s: {why}");
            let outcome =
                open_loop::ask(target, &load, wanted).map_err(|why| at(why.to_string()))?;
            let none = outcome.without_answer();
            answered |= none.is_none();
            match none {
                // A service that is stalled answers nothing at this rate; one that never gave anything but bad answers has no knee.
                Some(why) if !answered && outcome.refused.is_some() => Err(at(why)),
                _ => Ok(outcome.keeps(slo)),
            }
        };
        // A stall of the machine breaks it too: it is broken when it is so twice.
        Ok(once()? || once()?)
    };
    // Searches that all tried the same rates would agree to the last digit, and hide how near these are to each other.
    let first = f64::from(load.rate) * 2f64.powf((now_ns() % 1_000_000) as f64 / 1e6);
    let (mut good, mut bad) = (first, first);
    while holds(bad, COARSE)? {
        good = bad;
        bad *= 2.0;
        if bad > MOST {
            return Err(format!(
                "it holds at {good:.0} requests a second, and more were not tried"
            ));
        }
    }
    // What held for a short while may break in a longer one.
    while good == bad || !holds(good, fine)? {
        bad = good;
        good /= 2.0;
        if good < LEAST {
            return Err(format!("the bound is broken even at {bad:.0} requests a second"));
        }
    }
    while bad / good > NEAR {
        let middle = (good * bad).sqrt();
        *if holds(middle, fine)? { &mut good } else { &mut bad } = middle;
    }
    let knee = (good * bad).sqrt();
    Ok(format!("knee: {knee:.1} /s\nholds: {good:.1} /s\nbreaks: {bad:.1} /s\nsteps: {tries}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    /// A service that gives `answer` 4 ms after each request, and nothing at all for its first `silent`.
    fn service(answer: &'static [u8], silent: Duration) -> Target {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let awake = now_ns() + silent.as_nanos() as u64;
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                thread::spawn(move || {
                    let mut request = [0; 4096];
                    while stream.read(&mut request).is_ok_and(|size| size > 0) {
                        thread::sleep(Duration::from_nanos(awake.saturating_sub(now_ns())));
                        thread::sleep(Duration::from_millis(4));
                        if stream.write_all(answer).is_err() {
                            break;
                        }
                    }
                });
            }
        });
        Target::parse(&format!("http://:{port}/")).unwrap()
    }

    const LOAD: Load = Load {
        rate: 200,
        lasts: Duration::from_millis(100),
        connections: 2,
        even: true,
        timeout: Duration::from_millis(250),
    };
    const SLO: Slo = Slo { quantile: 0.5, ns: 100_000_000 };

    #[test]
    fn a_service_that_is_stalled_at_first_has_a_knee_all_the_same() {
        let target =
            service(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Duration::from_millis(1500));
        let found = highest(&target, &LOAD, SLO, &|| true).unwrap();
        let knee: f64 = found.lines().next().unwrap()["knee: ".len()..found.find(" /s").unwrap()]
            .parse()
            .unwrap();
        assert!(knee < 1000.0, "2 connections, 4 ms: {found}");
    }

    #[test]
    fn a_service_that_gives_bad_answers_alone_is_said_at_once() {
        let target = service(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", Duration::ZERO);
        let why = highest(&target, &LOAD, SLO, &|| true).unwrap_err();
        assert!(why.contains("had a good answer; one was: HTTP/1.1 500 No"), "{why}");
    }
}

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
            let outcome = open_loop::ask(target, &load, wanted);
            outcome.map(|it| it.keeps(slo)).map_err(|why| format!("at {rate:.0} /s: {why}"))
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

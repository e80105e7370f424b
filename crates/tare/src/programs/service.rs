//! A command that is a server: it becomes the background of a client of tare's, whose rows are latencies at rates, and the rate at which
//! a bound on them breaks.

use super::{NEEDS, Row};
use crate::cli::ProgramArgs;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::time::Duration;
use tare_board::SERVICE;
use tare_layers::SERVED;
use tare_proto::{BenchInfo, Better, ITSELF, Unit};
use tare_store::ProgramValue;

/// Where the client may be; the probe's word for it is the same.
pub const OUTSIDE: &str = "outside";

/// What its load counts.
pub const LOAD: &str = "requests a second";

/// The rate, and for how long it is asked, when nothing is said.
const RATE: u32 = 1000;
pub const ASKS_FOR: Duration = Duration::from_secs(2);

/// Where the search for a knee begins, how long it asks at each rate, and how long it may take.
const FIRST: u32 = 100;
const STEP: Duration = Duration::from_secs(1);
const SEARCH: Duration = Duration::from_secs(180);

/// How long the server may take until it answers for the first time, if the time limit of a run leaves it so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// The quantiles that are rows: what the client calls each, the row's name for it, and the share of requests that are no slower.
const QUANTILES: [(&str, &str, f64); 4] =
    [("p50", "p50", 0.5), ("p95", "p95", 0.95), ("p99", "p99", 0.99), ("p99\\.9", "p99_9", 0.999)];

/// Requests beyond a quantile without which it says nothing.
const BEYOND: f64 = 10.0;

/// A bound on a quantile of the latency.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Slo {
    quantile: f64,
    within: Duration,
}

impl Slo {
    /// Reads `p99 < 5ms`, also without spaces or with `=` instead of `<`.
    fn parse(text: &str) -> Result<Slo> {
        let unlike =
            || format!("--slo {text}: a bound is a quantile and a time, as in 'p99 < 5ms'");
        let (quantile, time) = text.split_once(['<', '=']).with_context(unlike)?;
        let percent = quantile.trim().strip_prefix('p').and_then(|digits| digits.parse().ok());
        let percent = percent.filter(|percent: &f64| (1.0..100.0).contains(percent));
        let within = humantime::parse_duration(time.trim()).ok().filter(|time| !time.is_zero());
        Ok(Slo {
            quantile: percent.with_context(unlike)? / 100.0,
            within: within.with_context(unlike)?,
        })
    }
}

/// The programs that the service that was `asked` for is: a client at each of its rates, and one that looks for the highest.
pub fn clients(asked: &ProgramArgs) -> Result<Vec<ProgramArgs>> {
    let Some(slo) = &asked.slo else { return Ok(vec![at_rates(asked)]) };
    Slo::parse(slo)?;
    if !asked.costs.is_empty() && asked.rate.is_empty() {
        bail!("--costs are those of a request at a rate: add --rate");
    }
    let knee = ProgramArgs {
        warmup: asked.warmup.or(Some(0)),
        timeout: asked.timeout.or(Some(SEARCH)),
        asks_for: asked.asks_for.or(Some(STEP)),
        ..asked.clone()
    };
    let rates = ProgramArgs { slo: None, ..at_rates(asked) };
    Ok(if asked.rate.is_empty() { vec![knee] } else { vec![rates, knee] })
}

fn at_rates(asked: &ProgramArgs) -> ProgramArgs {
    let loads = if asked.rate.is_empty() { vec![RATE] } else { asked.rate.clone() };
    ProgramArgs { load_counts: Some(LOAD.into()), loads, slo: None, ..asked.clone() }
}

/// The words of the client. At a rate it finds that in its environment.
pub fn command(asked: &ProgramArgs, url: &str) -> Result<Vec<String>> {
    let seconds = |time: Duration| time.as_secs_f64();
    let mut words = vec![ITSELF.to_owned(), "ask".to_owned(), url.to_owned()];
    words.push(format!("seconds={}", seconds(asked.asks_for.unwrap_or(ASKS_FOR))));
    let patience = asked.timeout.map_or(PATIENCE, |limit| PATIENCE.min(limit / 2));
    words.push(format!("patience={}", seconds(patience)));
    words.extend(is_outside(asked).then(|| OUTSIDE.to_owned()));
    words.extend(asked.connections.map(|connections| format!("connections={connections}")));
    if asked.arrivals.as_deref() == Some("even") {
        words.push("even".into());
    }
    if let Some(slo) = &asked.slo {
        let slo = Slo::parse(slo)?;
        words.push(format!("rate={FIRST}"));
        words.push(format!("slo={}:{}", slo.quantile, slo.within.as_nanos()));
    }
    Ok(words)
}

/// Whether the client is outside of the layer.
pub fn is_outside(asked: &ProgramArgs) -> bool {
    asked.client.as_deref() == Some(OUTSIDE)
}

/// What a service needs of a layer if its client is outside of it.
pub fn needs_outside() -> String {
    format!("{NEEDS} {SERVED}")
}

/// The server, for a shell.
pub fn server(asked: &ProgramArgs) -> String {
    format!("exec {}", shell::join(asked.command.iter().map(OsString::from)))
}

/// The rows of the client.
pub fn rows(asked: &ProgramArgs, base: &BenchInfo) -> Result<Vec<Row>> {
    let named = |suffix: &str| BenchInfo {
        name: format!("{}.{suffix}", base.name),
        suite: SERVICE.into(),
        ..base.clone()
    };
    let from = if is_outside(asked) { ", seen from outside of the layer" } else { "" };
    let found = |regex: String| ProgramValue::Found { regex, factor: 1.0 };
    if let Some(slo) = &asked.slo {
        let bench = BenchInfo {
            about: format!("requests a second up to which {slo} holds{from}: {}", base.about),
            unit: Unit::PerSecond,
            better: Better::Higher,
            ..named("knee")
        };
        return Ok(vec![(bench, found("^knee: ([0-9.]+) /s$".into()))]);
    }
    let lowest = f64::from(asked.loads.iter().copied().min().unwrap_or(RATE));
    let requests = lowest * asked.asks_for.unwrap_or(ASKS_FOR).as_secs_f64();
    let enough = QUANTILES.iter().filter(|(.., share)| requests * (1.0 - share) >= BEYOND - 1e-6);
    let row = |(said, name, _): &(&str, &str, f64)| {
        let about = format!("latency from when a request was due, {name}{from}: {}", base.about);
        (BenchInfo { about, ..named(name) }, found(format!("^{said}: ([0-9]+) ns$")))
    };
    let rows: Vec<Row> = enough.map(row).collect();
    if rows.is_empty() {
        bail!(
            "{requests:.0} requests are too few for a quantile: give a higher --rate or --asks-for"
        );
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(slo: Option<&str>, rate: &[u32]) -> ProgramArgs {
        ProgramArgs {
            command: vec!["nginx".into(), "-g".into(), "daemon off;".into()],
            service: Some("http://:80/".into()),
            slo: slo.map(str::to_owned),
            rate: rate.to_vec(),
            ..ProgramArgs::default()
        }
    }

    #[test]
    fn a_service_is_a_client_at_rates_and_one_that_looks_for_the_highest() {
        let counts = |slo, rate: &[u32]| {
            let all = clients(&asked(slo, rate)).unwrap();
            all.iter().map(|one| (one.loads.clone(), one.slo.is_some())).collect::<Vec<_>>()
        };
        assert_eq!(counts(None, &[]), [(vec![1000], false)]);
        assert_eq!(counts(Some("p99<5ms"), &[]), [(vec![], true)]);
        assert_eq!(counts(Some("p99<5ms"), &[10, 20]), [(vec![10, 20], false), (vec![], true)]);
        assert!(clients(&asked(Some("p99"), &[])).is_err());
        assert_eq!(server(&asked(None, &[])), "exec nginx -g 'daemon off;'");
    }

    #[test]
    fn a_bound_is_read_and_what_is_none_is_refused() {
        let slo = Slo::parse("p99.9 < 5ms").unwrap();
        assert_eq!((slo.quantile, slo.within), (0.9990000000000001, Duration::from_millis(5)));
        for wrong in ["p99", "99<5ms", "p100<5ms", "p99<fast", "p99<0s", ""] {
            assert!(Slo::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_quantiles_with_requests_beyond_them_are_rows() {
        let base = BenchInfo { name: "service/x".into(), ..BenchInfo::default() };
        let names = |rate: u32| {
            let asked = at_rates(&asked(None, &[rate]));
            rows(&asked, &base)
                .map(|rows| rows.into_iter().map(|row| row.0.name).collect::<Vec<_>>())
        };
        assert_eq!(names(1000).unwrap(), ["service/x.p50", "service/x.p95", "service/x.p99"]);
        assert_eq!(names(5000).unwrap().len(), 4);
        assert!(names(1).is_err());
    }
}

//! One benchmark on one booted layer: what is asked, and what is recorded of the answer.

use crate::booted::Booted;
use crate::host_benches::HOST_BENCHES;
use crate::machine::Since;
use crate::runner::Runner;
use crate::samples::Samples;
use std::time::{Duration, Instant};
use tare_layers::{Answer, Patience, Processes, Session, SessionError};
use tare_proto::{Counter, Request};
use tare_stats::Estimator;
use tare_store::{Outcome, Recorded, WIRE};

/// The largest number of series that are combined into one when the estimator asks for a narrow interval.
const MOST_SERIES: u32 = 10;

/// Measures what a measurement costs the host, from its beginning.
pub(crate) struct Meter {
    cpu: Option<Duration>,
    peer: Option<Duration>,
    /// Time that the layer has measured, without the turns of others.
    busy: Duration,
}

impl Meter {
    pub(crate) fn begin(session: &Session, now: &Processes) -> Meter {
        let cpu = session.cpu_time(now).filter(|_| !session.scripted());
        Meter { cpu, peer: session.peer_cpu_time(), busy: Duration::ZERO }
    }

    /// Does `work`, a turn of the layer.
    pub(crate) fn turn<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let done = work();
        self.busy += begin.elapsed();
        done
    }

    /// Time that the layer has measured so far.
    pub(crate) fn busy(&self) -> Duration {
        self.busy
    }

    /// What is recorded of an answer, from what the layer's processes have used until `now`.
    pub(crate) fn recorded(
        self,
        name: &str,
        answer: Answer,
        session: &Session,
        now: &Processes,
    ) -> Recorded {
        let since = |before: Option<Duration>, now: Option<Duration>| {
            before.zip(now).map(|(before, after)| after.saturating_sub(before))
        };
        match answer {
            Answer::Series(mut series, took) => {
                let took = took.unwrap_or_default();
                let waited = took.saturating_sub(self.busy);
                let busy = (took - waited).as_secs_f64().max(1e-9);
                let used = since(self.cpu, session.cpu_time(now));
                let peer = since(self.peer, session.peer_cpu_time());
                let peer = peer.map(|used| used.as_secs_f64() / busy).filter(|cpus| *cpus > 0.0);
                series.counters.extend(peer.map(|cpus| Counter::new("cpu_peer", cpus)));
                let wire = session.wire().map(|wire| Counter::new(WIRE, wire.as_nanos() as f64));
                series.counters.extend(wire);
                let cpus = used.map(|used| used.as_secs_f64() / busy);
                series.counters.extend(cpus.map(|cpus| Counter::new("cpu_host", cpus)));
                series.counters.extend(used.and_then(|used| per_gigabyte(&series.counters, used)));
                let host_ns = took.as_nanos() as u64;
                let waited_ns = waited.as_nanos() as u64;
                let (benchmark, outcome) = (name.to_owned(), Outcome::Measured);
                Recorded { benchmark, outcome, why: None, series, host_ns, waited_ns }
            }
            Answer::Unavailable(why) => Recorded::without_samples(name, Outcome::Unavailable, &why),
            Answer::Failed(why) => Recorded::without_samples(name, Outcome::Failed, &why),
        }
    }
}

impl Runner<'_> {
    /// Measures a benchmark on a booted layer: all samples at once.
    pub(crate) fn measure(
        &mut self,
        booted: &mut Booted,
        bench: usize,
        samples: &Samples,
    ) -> Result<Recorded, SessionError> {
        let id = booted.next_id();
        if let Some(known) = self.known(booted, bench) {
            return Ok(known);
        }
        let request = self.request(id, bench, samples);
        let within = self.within(&request);
        let estimator = self.benches[bench].estimator.parse::<Estimator>().ok();
        let mut recorded = self.ask(booted, &request, within)?;
        let estimator = estimator.filter(|_| request.program.is_none());
        // "Until the interval is within p%" asks again; the other estimators are content at once.
        for _ in 1..if booted.session.scripted() { 1 } else { MOST_SERIES } {
            let samples = &recorded.series.samples;
            let more =
                matches!(estimator, Some(Estimator::MeanUntil { .. })) && !samples.is_empty();
            if !more || estimator.is_some_and(|estimator| estimator.satisfied(samples)) {
                break;
            }
            let again = self.ask(booted, &request, within)?;
            recorded.series.samples.extend(again.series.samples);
            recorded.series.elapsed_ns += again.series.elapsed_ns;
            recorded.host_ns += again.host_ns;
        }
        Ok(recorded)
    }

    /// Answers that need no probe: what only the host can measure, and benchmarks that have ended this layer before.
    pub(crate) fn known(&self, booted: &Booted, bench: usize) -> Option<Recorded> {
        let name = &self.benches[bench].name;
        if self.history.fatal.contains(&(booted.slot.layer, bench)) {
            let why = "not tried again: it ended the layer twice in an earlier block";
            return Some(Recorded::without_samples(name, Outcome::Failed, why));
        }
        let host = HOST_BENCHES.iter().find(|host| host.name == name)?;
        Some(match (host.measure)(&booted.session, booted.start_ns) {
            Ok(value) => Recorded::by_host(name, vec![value]),
            Err(why) => Recorded::without_samples(name, Outcome::Unavailable, &why),
        })
    }

    /// Asks the probe once.
    fn ask(
        &mut self,
        booted: &mut Booted,
        request: &Request,
        within: Patience,
    ) -> Result<Recorded, SessionError> {
        let mut meter = Meter::begin(&booted.session, &Processes::now());
        let since = Since::now();
        let answer = meter.turn(|| booted.session.measure(request, within))?;
        self.own.add(&since);
        booted.busy += meter.busy();
        Ok(meter.recorded(&request.bench, answer, &booted.session, &Processes::now()))
    }
}

/// CPU seconds of the host for each gigabyte (10^9 bytes) that the probe says it has moved.
fn per_gigabyte(counters: &[Counter], used: Duration) -> Option<Counter> {
    let bytes = counters.iter().find(|counter| counter.name == "bytes")?.value;
    let seconds = used.as_secs_f64() / (bytes / 1e9);
    seconds.is_finite().then(|| Counter::new("cpu_host_s_per_gb", seconds))
}

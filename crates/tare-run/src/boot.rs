//! One boot: greet, measure what is asked, record each series as it arrives, and be gone.

use crate::campaign::{RunError, Runner, Weighed};
use crate::counted;
use crate::host_benches::HOST_BENCHES;
use crate::observe::Event;
use crate::simulated;
use crate::slot::{Slot, patience, to_greet};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};
use tare_layers::{Answer, BootName, Patience, Session, SessionError, fresh_id};
use tare_proto::{Counter, Request};
use tare_stats::Estimator;
use tare_store::{CUT_OFF, Outcome, Recorded};

/// How long the layer is left alone before its memory is measured.
const SETTLE: Duration = Duration::from_millis(50);

/// Most series that are taken for one when the estimator asks for a narrow interval.
const ROUNDS: u32 = 10;

/// How long a layer may take to end when asked.
const FAREWELL: Duration = Duration::from_secs(5);

/// A boot that ended early.
pub(crate) struct Failure {
    /// The boot's row.
    pub boot: i64,
    pub error: SessionError,
    pub console: String,
    /// The benchmark that was being measured.
    pub during: Option<usize>,
}

impl Failure {
    /// What the store keeps of it.
    fn why(&self) -> String {
        match self.error {
            SessionError::Interrupted => CUT_OFF.into(),
            _ => self.error.to_string(),
        }
    }
}

impl Runner<'_> {
    /// Boots once. The outer error ends the campaign, the inner one only this boot.
    pub(crate) fn boot(&mut self, slot: &Slot) -> Result<Result<(), Failure>, RunError> {
        let layer_name = self.layers[slot.layer].name.clone();
        let (role, attempt) = (slot.role, slot.attempt);
        self.observer.event(Event::Boot { layer: &layer_name, role, attempt });
        let begin = Instant::now();
        let id = self.store.begin_boot(
            slot.block,
            slot.slot,
            &layer_name,
            role,
            attempt,
            &crate::now(),
        )?;
        let log = self.store.log_path(id);
        let counts = self.host.plugin.is_some().then(|| counted::file(&log));
        let name = BootName {
            id: fresh_id(),
            number: self.history.count_boot(slot.layer),
            counts: counts.clone(),
            script: self.script(slot),
            perturbation: simulated::perturbation(self.plan.seed, slot.block, slot.role),
        };
        let Weighed { layer, .. } = &self.layers[slot.layer];
        let cpus = &self.plan.cpus;
        let started = Session::start(
            &**layer,
            self.host,
            self.keeper,
            &name,
            cpus,
            Some(&log),
            self.interrupted,
        );
        let outcome = match started {
            Ok(session) => self.converse(session, id, slot)?,
            Err(error) => Err(Failure { boot: id, error, console: String::new(), during: None }),
        };
        if let Some(counts) = counts {
            let kept = outcome.is_ok().then(|| self.keep_counts(id, slot, &counts));
            let _ = fs::remove_file(&counts); // of a failed boot, too
            kept.transpose()?;
        }
        let failed = outcome.as_ref().err().map(|f| (f.why(), f.console.clone()));
        let failed = failed.as_ref().map(|(why, console)| (why.as_str(), console.as_str()));
        let seconds = begin.elapsed().as_secs_f64();
        self.note_overhead(slot, seconds);
        self.store.end_boot(id, seconds, failed)?;
        Ok(outcome)
    }

    /// What the boot cost beside measuring.
    fn note_overhead(&mut self, slot: &Slot, seconds: f64) {
        let series =
            |bench: &usize| self.history.series.get(&(slot.block, slot.layer, slot.role, *bench));
        let measuring: f64 = slot.benches.iter().filter_map(series).map(|kept| kept.seconds).sum();
        self.history.note_overhead(slot.layer, seconds - measuring);
    }

    /// Measures in a booted layer and ends it, whatever came of it.
    fn converse(
        &mut self,
        mut session: Session,
        id: i64,
        slot: &Slot,
    ) -> Result<Result<(), Failure>, RunError> {
        let outcome = self.measure_all(&mut session, id, slot)?;
        let ended = if outcome.is_ok() { session.end(FAREWELL) } else { session.abandon() };
        for path in ended.left {
            self.warn(Some(slot.layer), &format!("not removed: {path}"))?;
        }
        Ok(outcome)
    }

    fn measure_all(
        &mut self,
        session: &mut Session,
        id: i64,
        slot: &Slot,
    ) -> Result<Result<(), Failure>, RunError> {
        let within = Duration::from_secs_f64(self.plan.boot_s);
        let greeting = match session.greet(to_greet(self.plan.machine, within)) {
            Ok(greeting) => greeting,
            Err(error) => return Ok(Err(failure(id, error, session, None))),
        };
        self.store.greet(id, &greeting.hello)?;
        thread::sleep(SETTLE);
        for (index, &bench) in slot.benches.iter().enumerate() {
            let (number, of) = (index + 1, slot.benches.len());
            self.observer.event(Event::Benchmark { name: &self.benches[bench].name, number, of });
            let start_ns = greeting.start.as_nanos() as f64;
            match self.measure(session, number as u32, slot, bench, start_ns) {
                Ok(recorded) => {
                    self.record(id, slot, bench, &recorded)?;
                    self.remark(slot.layer, bench, &recorded.series.note)?;
                }
                Err(error) => return Ok(Err(failure(id, error, session, Some(bench)))),
            }
        }
        Ok(Ok(()))
    }

    fn measure(
        &mut self,
        session: &mut Session,
        id: u32,
        slot: &Slot,
        bench: usize,
        start_ns: f64,
    ) -> Result<Recorded, SessionError> {
        let name = &self.benches[bench].name.clone();
        if self.history.fatal.contains(&(slot.layer, bench)) {
            let why = "not tried again: it ended the layer twice in an earlier block";
            return Ok(Recorded::without_samples(name, Outcome::Failed, why));
        }
        if let Some(host) = HOST_BENCHES.iter().find(|host| host.name == name) {
            return Ok(match (host.measure)(session, start_ns) {
                Ok(value) => Recorded::by_host(name, vec![value]),
                Err(why) => Recorded::without_samples(name, Outcome::Unavailable, &why),
            });
        }
        let request = self.request(id, slot, bench);
        // With events a benchmark that takes its own samples runs twice.
        let runs = 1 + u64::from(request.events);
        let within = patience(self.plan.machine, runs * request.limit_ms);
        let estimator = self.benches[bench].estimator.parse::<Estimator>().ok();
        let mut recorded = self.ask(session, &request, within)?;
        // "Until the interval is within p%" asks again; the other estimators are content at once.
        for _ in 1..if session.told() { 1 } else { ROUNDS } {
            let samples = &recorded.series.samples;
            let more =
                matches!(estimator, Some(Estimator::MeanUntil { .. })) && !samples.is_empty();
            if !more || estimator.is_some_and(|estimator| estimator.satisfied(samples)) {
                break;
            }
            let again = self.ask(session, &request, within)?;
            recorded.series.samples.extend(again.series.samples);
            recorded.series.elapsed_ns += again.series.elapsed_ns;
            recorded.host_ns += again.host_ns;
        }
        Ok(recorded)
    }

    /// What a scripted layer is told before it starts: all that [`Runner::measure`] will ask.
    fn script(&self, slot: &Slot) -> Vec<Request> {
        let numbered = slot.benches.iter().zip(1..);
        let asked = numbered.filter(|(bench, _)| self.is_asked(slot, **bench));
        asked.map(|(&bench, id)| self.request(id, slot, bench)).collect()
    }

    /// Whether the probe is asked for it at all.
    fn is_asked(&self, slot: &Slot, bench: usize) -> bool {
        let of_host = HOST_BENCHES.iter().any(|host| host.name == self.benches[bench].name);
        !of_host && !self.history.fatal.contains(&(slot.layer, bench))
    }

    fn request(&self, id: u32, slot: &Slot, bench: usize) -> Request {
        let (batch_ns, limit_ms) = (self.plan.batch_ns, self.limit_ms(bench));
        let own = self.benches[bench].samples;
        let samples = slot.samples.get(&bench).copied().unwrap_or(own);
        let events = self.plan.events;
        let (bench, cache_bytes) = (self.benches[bench].name.clone(), self.plan.cache_bytes);
        Request { id, bench, samples, batch_ns, limit_ms, events, cache_bytes }
    }

    /// Asks the probe once.
    fn ask(
        &mut self,
        session: &mut Session,
        request: &Request,
        within: Patience,
    ) -> Result<Recorded, SessionError> {
        let name = &request.bench;
        let before = session.cpu_time().filter(|_| !session.told());
        let peer = session.peer_cpu_time();
        let answer = self.own.of(|| session.measure(request, within))?;
        let used =
            before.zip(session.cpu_time()).map(|(before, after)| after.saturating_sub(before));
        let peer =
            peer.zip(session.peer_cpu_time()).map(|(before, after)| after.saturating_sub(before));
        Ok(match answer {
            Answer::Series(mut series, took) => {
                let took = took.unwrap_or_default();
                let busy = peer.map(|used| used.as_secs_f64() / took.as_secs_f64().max(1e-9));
                let busy = busy.filter(|cpus| *cpus > 0.0);
                series.counters.extend(busy.map(|cpus| Counter::new("cpu_peer", cpus)));
                let cpus = used.map(|used| used.as_secs_f64() / took.as_secs_f64().max(1e-9));
                series.counters.extend(cpus.map(|cpus| Counter::new("cpu_host", cpus)));
                series.counters.extend(used.and_then(|used| per_gigabyte(&series.counters, used)));
                let (benchmark, host_ns) = (name.clone(), took.as_nanos() as u64);
                Recorded { benchmark, outcome: Outcome::Measured, why: None, series, host_ns }
            }
            Answer::Unavailable(why) => Recorded::without_samples(name, Outcome::Unavailable, &why),
            Answer::Failed(why) => Recorded::without_samples(name, Outcome::Failed, &why),
        })
    }
}

/// CPU seconds of the host for each gigabyte (10^9 bytes) that the probe says it has moved.
fn per_gigabyte(counters: &[Counter], used: Duration) -> Option<Counter> {
    let bytes = counters.iter().find(|counter| counter.name == "bytes")?.value;
    let seconds = used.as_secs_f64() / (bytes / 1e9);
    seconds.is_finite().then(|| Counter::new("cpu_host_s_per_gb", seconds))
}

fn failure(boot: i64, error: SessionError, session: &Session, during: Option<usize>) -> Failure {
    Failure { boot, error, console: session.console_tail(), during }
}

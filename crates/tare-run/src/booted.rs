//! A booted layer, from its start to its removal.

use crate::counted;
use crate::observe::Event;
use crate::runner::{CampaignLayer, RunError, Runner};
use crate::samples::Samples;
use crate::simulated;
use crate::slot::{Slot, to_greet};
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use tare_layers::{BootName, Ended, Session, SessionError, fresh_id};
use tare_proto::{Hello, Request};
use tare_store::CUT_OFF;

/// How long the layer is left alone before its memory is measured.
const SETTLE: Duration = Duration::from_millis(50);

/// How long a layer may take to end when asked.
const FAREWELL: Duration = Duration::from_secs(5);

/// A booted layer.
pub(crate) struct Booted {
    pub slot: Slot,
    /// The boot's row.
    pub boot: i64,
    pub session: Session,
    /// From the start to the greeting, in nanoseconds.
    pub start_ns: f64,
    /// Time that it has measured.
    pub busy: Duration,
    /// Requests so far.
    asked: u32,
    /// Time from its start until it was ready.
    start: Duration,
    counts: Option<PathBuf>,
}

impl Booted {
    /// The next request's number, from 1.
    pub(crate) fn next_id(&mut self) -> u32 {
        self.asked += 1;
        self.asked
    }
}

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
    /// Boots a layer and waits for its greeting. What a scripted layer is to measure has to be known before: `benches`,
    /// with `samples` each. The outer error ends the campaign, the inner one only this boot.
    pub(crate) fn start_boot(
        &mut self,
        slot: Slot,
        benches: &[usize],
        samples: &Samples,
    ) -> Result<Result<Booted, Failure>, RunError> {
        let layer_name = self.layers[slot.layer].name.clone();
        let (role, attempt) = (slot.role, slot.attempt);
        self.observer.event(Event::Boot { layer: &layer_name, role, attempt });
        let begin = Instant::now();
        let Slot { block, slot: place, .. } = slot;
        let id = self.store.begin_boot(block, place, &layer_name, role, attempt, &crate::now())?;
        let log = self.store.log_path(id);
        let counts = self.host.plugin.is_some().then(|| counted::file(&log));
        let name = BootName {
            id: fresh_id(),
            number: self.history.count_boot(slot.layer),
            counts: counts.clone(),
            script: self.script(&slot, benches, samples),
            perturbation: simulated::perturbation(self.plan.seed, slot.block, slot.role),
        };
        let CampaignLayer { layer, .. } = &self.layers[slot.layer];
        let (cpus, log, asked) = (&self.plan.cpus, Some(log.as_path()), self.interrupted);
        let started = Session::start(&**layer, self.host, self.keeper, &name, cpus, log, asked);
        let mut session = match started {
            Ok(session) => session,
            Err(error) => {
                let failure = Failure { boot: id, error, console: String::new(), during: None };
                self.record_end(
                    &slot,
                    id,
                    begin.elapsed(),
                    Duration::ZERO,
                    counts,
                    Some(&failure),
                )?;
                return Ok(Err(failure));
            }
        };
        let within = Duration::from_secs_f64(self.plan.boot_s);
        let greeting = session.greet(to_greet(self.plan.machine, within));
        let start_ns = greeting.as_ref().map_or(0.0, |hello| hello.start.as_nanos() as f64);
        let mut booted = Booted {
            slot,
            boot: id,
            session,
            start_ns,
            busy: Duration::ZERO,
            asked: 0,
            start: begin.elapsed(),
            counts,
        };
        match greeting {
            Ok(greeting) => self.store.greet(id, &with_quota(&greeting.hello, &booted.session))?,
            Err(error) => {
                return Ok(Err(self.abandon_boot(booted, error, None)?));
            }
        }
        thread::sleep(SETTLE);
        booted.start = begin.elapsed();
        Ok(Ok(booted))
    }

    /// Ends a boot that has measured what was asked of it: `benches`, numbered from 1.
    pub(crate) fn end_boot(&mut self, booted: Booted, benches: &[usize]) -> Result<(), RunError> {
        let Booted { slot, boot, session, busy, start, counts, .. } = booted;
        let begin = Instant::now();
        self.remove(&slot, session.end(FAREWELL))?;
        if let Some(counts) = &counts {
            self.keep_counts(boot, &slot, benches, counts)?;
        }
        self.record_end(&slot, boot, start + begin.elapsed(), busy, counts, None)?;
        self.history.booted(slot.layer);
        Ok(())
    }

    /// Ends a boot early, because of `error`, `during` a benchmark.
    pub(crate) fn abandon_boot(
        &mut self,
        booted: Booted,
        error: SessionError,
        during: Option<usize>,
    ) -> Result<Failure, RunError> {
        let Booted { slot, boot, session, busy, start, counts, .. } = booted;
        let begin = Instant::now();
        let failure = Failure { boot, error, console: session.console_tail(), during };
        self.remove(&slot, session.abandon())?;
        self.record_end(&slot, boot, start + begin.elapsed(), busy, counts, Some(&failure))?;
        Ok(failure)
    }

    /// Warns of what has been left of a boot.
    fn remove(&mut self, slot: &Slot, ended: Ended) -> Result<(), RunError> {
        let mut left = ended.left.iter();
        left.try_for_each(|path| self.warn(Some(slot.layer), &format!("not removed: {path}")))
    }

    /// Records the end of `boot`, which took the time `beside` measuring and `busy` with it.
    fn record_end(
        &mut self,
        slot: &Slot,
        boot: i64,
        beside: Duration,
        busy: Duration,
        counts: Option<PathBuf>,
        failure: Option<&Failure>,
    ) -> Result<(), RunError> {
        if let Some(counts) = counts {
            let _ = fs::remove_file(counts); // of a failed boot, too
        }
        self.history.note_overhead(slot.layer, beside.as_secs_f64());
        let failed = failure.map(|failure| (failure.why(), failure.console.as_str()));
        let failed = failed.as_ref().map(|(why, console)| (why.as_str(), *console));
        Ok(self.store.end_boot(boot, (beside + busy).as_secs_f64(), failed)?)
    }

    /// What a scripted layer is told before it starts: all that it will be asked.
    fn script(&self, slot: &Slot, benches: &[usize], samples: &Samples) -> Vec<Request> {
        let numbered = benches.iter().zip(1..);
        let asked = numbered.filter(|(bench, _)| self.is_asked(slot, **bench));
        asked.map(|(&bench, id)| self.request(id, bench, samples)).collect()
    }
}

/// What the probe says of itself, with a quota of CPU time that only the host sees: a guest knows nothing of that of its machine.
fn with_quota(hello: &Hello, session: &Session) -> Hello {
    let seen = [session.cpu_quota(), Some(hello.cpu_quota).filter(|quota| *quota > 0.0)];
    let least = seen.into_iter().flatten().reduce(f64::min);
    Hello { cpu_quota: least.unwrap_or(0.0), ..hello.clone() }
}

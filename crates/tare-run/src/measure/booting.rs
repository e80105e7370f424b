//! A booted layer, from its start to its removal.

use crate::decide::order::perturbation;
use crate::decide::samples::Samples;
use crate::host::cpus::usable;
use crate::host::machine::now;
use crate::plan::setup::Setup;
use crate::plan::slot::{Slot, to_greet};
use crate::record::counts;
use crate::record::functions::Code;
use crate::record::observer::Event;
use crate::record::recorder::{Ended, Failure, Recorder, RunError};
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use tare_layers::{BootName, Session, SessionError, fresh_id};
use tare_proto::{Hello, Request};

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
    /// Whether its probe runs on this host's own kernel, and sees CPU time as the host does.
    pub shares_kernel: bool,
    /// The CPUs that it is pinned to; empty when it is not.
    pinned: Vec<u32>,
    /// Whether a quota lets it have less than the CPUs that it may run on: its series have to last for several periods of that.
    pub under_quota: bool,
}

/// Why a layer under a quota takes no turns.
const STOPPED_BY_QUOTA: &str = "its quota of CPU time would never be used up in turns, since it rests while the others take theirs";

impl Booted {
    /// Why it takes a whole series of `bench` at once where others take turns.
    pub(crate) fn whole_series(&self, setup: &Setup, bench: usize) -> Option<&'static str> {
        // What a layer pays for its rest is small beside a run of a program.
        let is_short = setup.program(bench).is_none();
        let of_layer = setup.whole_series(self.slot.layer).filter(|_| is_short);
        of_layer.or(self.under_quota.then_some(STOPPED_BY_QUOTA))
    }

    /// Whether its series have to last for longer than others' to meet all that it does.
    pub(crate) fn is_sustained(&self, setup: &Setup) -> bool {
        self.under_quota || setup.has_modes(self.slot.layer)
    }

    /// The CPUs that it is pinned to, where they are several.
    pub(crate) fn several_cpus(&self) -> &[u32] {
        if self.pinned.len() > 1 { &self.pinned } else { &[] }
    }

    /// How many CPUs it may use.
    pub(crate) fn cpus(&self) -> usize {
        usable(&self.pinned)
    }

    /// Moves its processes to other `cpus`, until they are moved back.
    pub(crate) fn move_to(&mut self, cpus: &[u32]) {
        self.session.pin(cpus);
        self.pinned = cpus.to_vec();
    }

    /// Boots a layer and waits for its greeting. What a scripted layer is to measure has to be known before: `benches`,
    /// with `samples` each.
    pub(crate) fn start(
        recorder: &mut Recorder,
        slot: Slot,
        benches: &[usize],
        samples: &Samples,
    ) -> Result<Booted, Ended<Failure>> {
        let setup = recorder.setup;
        let campaign_layer = &setup.layers[slot.layer];
        let Slot { block, place, role, attempt, .. } = slot;
        let layer = &campaign_layer.name;
        recorder.observer.event(Event::Boot { layer, role, attempt });
        let begin = Instant::now();
        let boot = recorder.store.begin_boot(block, place, layer, role, attempt, &now())?;
        let log = recorder.store.log_path(boot);
        let counts = setup.host.plugin.is_some().then(|| counts::file(&log));
        let name = BootName {
            id: fresh_id(),
            number: recorder.history.count_boot(slot.layer),
            counts: counts.clone(),
            script: script(recorder, &slot, benches, samples),
            perturbation: perturbation(setup.plan.seed, block, role),
            ..BootName::default()
        };
        let started = tare_layers::start(
            &*campaign_layer.layer,
            setup.host,
            setup.keeper,
            &name,
            setup.cpus(slot.layer, role),
            Some(&log),
            setup.interrupted,
        );
        let mut session = match started {
            Ok(session) => session,
            Err(error) => {
                let failure = Failure { boot, error, console: String::new(), during: None };
                let end = End { slot, boot, beside: begin.elapsed(), busy: Duration::ZERO, counts };
                end.record(recorder, Some(&failure))?;
                return Err(Ended::Failed(failure));
            }
        };
        let within = Duration::from_secs_f64(setup.plan.boot_s);
        let greeting = session.greet(to_greet(setup.plan.machine, within));
        let start_ns = greeting.as_ref().map_or(0.0, |hello| hello.start.as_nanos() as f64);
        let mut booted = Booted {
            slot,
            boot,
            session,
            start_ns,
            busy: Duration::ZERO,
            asked: 0,
            start: begin.elapsed(),
            counts,
            shares_kernel: false,
            pinned: setup.cpus(slot.layer, role).to_vec(),
            under_quota: false,
        };
        match greeting {
            Ok(greeting) => {
                let hello = with_quota(&greeting.hello, &booted.session);
                booted.shares_kernel = is_host(&hello);
                booted.under_quota =
                    hello.cpu_quota > 0.0 && hello.cpu_quota < booted.cpus() as f64;
                recorder.store.greet(boot, &hello)?;
            }
            Err(error) => return Err(Ended::Failed(booted.abandon(recorder, error, None)?)),
        }
        thread::sleep(SETTLE);
        booted.start = begin.elapsed();
        Ok(booted)
    }

    /// The next request's number, from 1.
    pub(crate) fn next_id(&mut self) -> u32 {
        self.asked += 1;
        self.asked
    }

    /// Ends a boot that has measured what was asked of it: `benches`, numbered from 1.
    pub(crate) fn end(self, recorder: &mut Recorder, benches: &[usize]) -> Result<(), RunError> {
        let Booted { slot, boot, session, busy, start, counts, .. } = self;
        let begin = Instant::now();
        let code = counts.as_ref().map(|_| Code::of(&session));
        recorder.warn_not_removed(slot.layer, &session.end(FAREWELL).left)?;
        if let Some((path, code)) = counts.as_ref().zip(code) {
            counts::keep(recorder, boot, slot.layer, benches, path, &code)?;
        }
        let end = End { slot, boot, beside: start + begin.elapsed(), busy, counts };
        end.record(recorder, None)?;
        recorder.history.booted(slot.layer);
        Ok(())
    }

    /// Ends a boot early, because of `error`, `during` a benchmark.
    pub(crate) fn abandon(
        self,
        recorder: &mut Recorder,
        error: SessionError,
        during: Option<usize>,
    ) -> Result<Failure, RunError> {
        let Booted { slot, boot, session, busy, start, counts, .. } = self;
        let begin = Instant::now();
        let failure = Failure { boot, error, console: session.console_tail(), during };
        recorder.warn_not_removed(slot.layer, &session.abandon().left)?;
        let end = End { slot, boot, beside: start + begin.elapsed(), busy, counts };
        end.record(recorder, Some(&failure))?;
        Ok(failure)
    }
}

/// The end of a boot.
struct End {
    slot: Slot,
    boot: i64,
    /// Time that it took beside measuring.
    beside: Duration,
    /// Time that it measured.
    busy: Duration,
    counts: Option<PathBuf>,
}

impl End {
    fn record(self, recorder: &mut Recorder, failure: Option<&Failure>) -> Result<(), RunError> {
        if let Some(counts) = self.counts {
            let _ = fs::remove_file(counts); // of a failed boot, too
        }
        recorder.history.note_overhead(self.slot.layer, self.beside.as_secs_f64());
        let why = failure.map(Failure::why);
        let failed = why.as_deref().zip(failure.map(|failure| failure.console.as_str()));
        let seconds = (self.beside + self.busy).as_secs_f64();
        Ok(recorder.store.end_boot(self.boot, seconds, failed)?)
    }
}

/// What a scripted layer is told before it starts: all that it will be asked.
fn script(recorder: &Recorder, slot: &Slot, benches: &[usize], samples: &Samples) -> Vec<Request> {
    let numbered = benches.iter().zip(1..);
    let asked = numbered.filter(|(bench, _)| recorder.is_asked(slot.layer, **bench));
    let request = |(bench, id): (&usize, u32)| {
        recorder.setup.request(id, *bench, samples.get(bench).copied())
    };
    asked.map(request).collect()
}

/// Whether the kernel that greets is this host's.
fn is_host(hello: &Hello) -> bool {
    let own = |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}"));
    let is = |name: &str, said: &str| own(name).is_ok_and(|own| own.trim() == said.trim());
    is("osrelease", &hello.kernel) && is("version", &hello.kernel_version)
}

/// What the probe says of itself, with a quota of CPU time that only the host sees: a guest knows nothing of that of its machine.
fn with_quota(hello: &Hello, session: &Session) -> Hello {
    let seen = [session.cpu_quota(), Some(hello.cpu_quota).filter(|quota| *quota > 0.0)];
    let least = seen.into_iter().flatten().reduce(f64::min);
    Hello { cpu_quota: least.unwrap_or(0.0), ..hello.clone() }
}

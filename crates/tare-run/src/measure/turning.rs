//! The turns of a row that is watched: short ones and long ones, under the eyes of the kernel's tracepoints or of nobody.

use super::figures::{add, difference, each, keep_shorter};
use super::observers::not_enabled;
use nix::unistd::gettid;
use std::fs;
use std::time::{Duration, Instant};
use tare_layers::{Answer, PROBE, Patience, Session, SessionError, Turn, Whose};
use tare_observe::{
    Figures, Files, Observer, Threads, Trace, looks, path, places, scaled, shares, split, stopped,
    within,
};
use tare_proto::outside::{UNWATCHED, WHOLE, WITHOUT_RECORDS};
use tare_proto::{Program, Request};

/// Nanoseconds that the longer turn takes: for counts as many operations as make a stray one small, for times several times, as many looks
/// of the clock as tell user mode from the kernel.
const COUNTED_NS: f64 = 80e6;
const TIMED_NS: f64 = 50e6;
const TRIES: u32 = 3;

/// Most samples of a turn.
const MOST: f64 = 64.0;

/// The same of a turn that lasts.
const MOST_LASTING: f64 = 256.0;

/// Nanoseconds that the tries of a long sample may take, of which there is one at least.
const TRIED_NS: u64 = 600_000_000;

/// A sample that takes longer than this is watched once: what surrounds it is small beside it.
const LONG_NS: u64 = 60_000_000;

/// The share of a ring that a turn should fill.
const FILL: f64 = 0.6;

/// Counts what a trace shows of some threads.
type Counts = fn(&Trace, &Threads) -> Figures;

/// Figures of one sample.
#[derive(Default)]
pub(super) struct Sampled {
    pub figures: Figures,
    pub samples: f64,
    pub lost: u64,
}

/// A layer that is watched.
#[derive(Clone)]
pub(super) struct WatchedLayer {
    /// How its threads are told apart.
    pub whose: &'static [Whose],
    /// Which files are opened for the names of functions.
    pub files: Files,
    /// Whether it runs on one CPU.
    pub on_one_cpu: bool,
    /// How long it is watched to meet all that it does.
    pub lasts: Lasts,
}

/// How long a turn lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasts {
    /// As short as suits the benchmark.
    Shortly,
    /// As long as the series that the row's value is from, since the layer works in several ways.
    AllModes,
    /// Ten of the usual periods of 0.1 s, since a quota of CPU time stops the layer.
    Quota,
}

impl Lasts {
    /// Nanoseconds of a turn that lasts.
    const fn ns(self) -> Option<f64> {
        match self {
            Lasts::Shortly => None,
            Lasts::AllModes => Some(300e6),
            Lasts::Quota => Some(1e9),
        }
    }
}

/// What was seen in a turn.
struct Window {
    trace: Trace,
    threads: Threads,
    /// Nanoseconds for which a quota had stopped the layer, on each CPU by itself.
    stopped_ns: f64,
}

/// A row that waits between its turns.
pub(super) struct Turning<'a> {
    session: &'a mut Session,
    request: Request,
    within: Patience,
    layer: WatchedLayer,
    /// What a sample takes; 0 where nobody knows.
    sample_ns: u64,
    /// Whether each sample is prepared in a turn before its own.
    is_prepared: bool,
    /// What came of it, once it is over.
    ended: Option<Answer>,
    /// Why a window did not begin.
    refused: Option<String>,
}

impl<'a> Turning<'a> {
    pub(super) fn new(
        session: &'a mut Session,
        request: Request,
        within: Patience,
        layer: WatchedLayer,
        sample_ns: u64,
    ) -> Turning<'a> {
        let prepares = |program: &Program| !program.around.prepare.is_empty();
        let is_prepared = request.program.as_deref().is_some_and(prepares);
        Turning {
            session,
            request,
            within,
            layer,
            sample_ns,
            is_prepared,
            ended: None,
            refused: None,
        }
    }

    /// Ends a measurement of which nothing can be seen; why.
    pub(super) fn give_up(self) -> Result<String, SessionError> {
        if self.ended.is_none() {
            self.session.give_up(&self.request, self.within)?;
        }
        Ok(self.refused.unwrap_or_else(|| "it has no processes of its own on this host".into()))
    }

    /// Whether one sample is enough, and too long for more; or two of them would have something else between.
    fn is_long(&self) -> bool {
        self.sample_ns == 0 || self.sample_ns > LONG_NS || self.is_prepared
    }

    /// Samples that take `ns` together, of which there are more than one.
    fn samples_in(&self, ns: f64) -> f64 {
        (ns / self.sample_ns.max(1) as f64).clamp(2.0, MOST).floor()
    }

    /// Whether a turn is watched without a short one beside it: what surrounds it is small beside it.
    fn is_alone(&self) -> bool {
        self.is_long() || self.layer.lasts.ns().is_some()
    }

    /// Samples that a turn of so many `samples` has more than the short one, or has where it is alone. The first sample of a benchmark's turn
    /// is thrown away: the short turn has it, too, but where there is none it is one more. A program's run is not.
    fn more(&self, samples: f64) -> f64 {
        match (self.is_alone(), self.request.program.is_some()) {
            (false, _) => samples - 1.0,
            (true, true) => samples,
            (true, false) => samples + 1.0,
        }
    }

    /// Samples of a turn whose time is told.
    fn timed_samples(&self) -> f64 {
        match (self.is_long(), self.layer.lasts.ns()) {
            (true, _) => 1.0,
            (_, Some(ns)) => (ns / self.sample_ns as f64).clamp(2.0, MOST_LASTING).floor(),
            (_, None) => self.samples_in(TIMED_NS),
        }
    }

    /// A turn of so many samples, while nobody watches: how long it took, in nanoseconds.
    pub(super) fn unwatched(&mut self, samples: f64) -> Result<f64, SessionError> {
        self.prepare()?;
        self.timed_turn(samples)
    }

    /// What goes before a turn and is no part of it.
    fn prepare(&mut self) -> Result<(), SessionError> {
        if self.is_prepared { self.turn(1, false) } else { Ok(()) }
    }

    fn timed_turn(&mut self, samples: f64) -> Result<f64, SessionError> {
        let begin = Instant::now();
        self.turn(samples as u32, false)?;
        Ok(begin.elapsed().as_nanos() as f64)
    }

    /// A turn; none where the measurement is over already, since its time was.
    fn turn(&mut self, samples: u32, last: bool) -> Result<(), SessionError> {
        if self.ended.is_none()
            && let Turn::Over(answer) =
                self.session.take(&self.request, (samples, last), self.within)?
        {
            self.ended = Some(answer);
        }
        Ok(())
    }

    /// What happened in a turn of so many samples, and its trace. What a program's run did is without the probe's part, which
    /// looks for what a run has left, where the host sees it as a thread of that name.
    fn watched_counts(
        &mut self,
        (observer, counts): (&mut Observer, Counts),
        samples: f64,
    ) -> Result<Option<(Figures, Trace)>, SessionError> {
        let Some(Window { trace, mut threads, .. }) = self.watched(observer, samples)? else {
            return Ok(None);
        };
        if self.request.program.is_some() {
            threads = threads.without(&self.probes());
        }
        Ok(Some((counts(&trace, &threads), trace)))
    }

    /// The probe's own threads, as far as the host sees them by their name.
    fn probes(&self) -> Vec<u32> {
        let known = self.session.parts(self.layer.whose).unwrap_or_default();
        let name = |tid: u32| fs::read_to_string(format!("/proc/{tid}/comm")).unwrap_or_default();
        known.into_iter().map(|(tid, _)| tid).filter(|tid| name(*tid).starts_with(PROBE)).collect()
    }

    /// A turn of so many samples under the eyes of `observer`; `None` where the layer has no threads of its own.
    fn watched(
        &mut self,
        observer: &mut Observer,
        samples: f64,
    ) -> Result<Option<Window>, SessionError> {
        self.prepare()?;
        let known = self.session.parts(self.layer.whose).filter(|known| !known.is_empty());
        let Some(known) = known else { return Ok(None) };
        let mut threads = Threads::new(known);
        // A run of a program may make any number of records.
        let of_layer = self.layer.lasts.ns().is_some();
        let lasts = self.is_long() || of_layer || self.request.program.is_some();
        let before = self.stopped();
        let (turn, trace) = match observer.watch(lasts, || self.turn(samples as u32, false)) {
            Ok(watched) => watched,
            Err(error) => {
                self.refused = Some(not_enabled(&error));
                return Ok(None);
            }
        };
        turn?;
        threads.follow(&trace);
        let stopped_ns = match (before, self.stopped()) {
            (Some(before), Some(after)) => after.saturating_sub(before).as_nanos() as f64,
            _ => 0.0,
        };
        Ok(Some(Window { trace, threads, stopped_ns }))
    }

    /// For how long a quota has stopped the layer until now, where there is one.
    fn stopped(&self) -> Option<Duration> {
        let stops = self.layer.lasts == Lasts::Quota;
        stops.then(|| self.session.stopped_by_quota()).flatten()
    }

    /// What `counts` makes of what happened in a sample.
    pub(super) fn counted(
        &mut self,
        observer: &mut Observer,
        counts: Counts,
    ) -> Result<Option<Sampled>, SessionError> {
        let mut short = Figures::new();
        let (mut lost, mut samples) = (0, self.timed_samples());
        if !self.is_alone() {
            let Some((counted, trace)) = self.watched_counts((observer, counts), 1.0)? else {
                return Ok(None);
            };
            short = counted;
            lost = trace.lost;
            // A turn of one sample takes two: the first is thrown away.
            let fit = 2.0 * FILL / trace.filled.max(1e-6) - 1.0;
            samples = self.samples_in(COUNTED_NS).min(fit).max(2.0).floor();
        }
        let Some((counted, trace)) = self.watched_counts((observer, counts), samples)? else {
            return Ok(None);
        };
        let more = self.more(samples);
        let figures = each(difference(&counted, &short), more);
        Ok(Some(Sampled { figures, samples: more, lost: lost + trace.lost }))
    }

    /// The same as far as `/proc` tells it, and what a sample took.
    pub(super) fn tallied(&mut self) -> Result<Option<Sampled>, SessionError> {
        let samples = if self.is_long() { 1.0 } else { self.samples_in(COUNTED_NS) };
        let more = self.more(samples);
        let mut turns = vec![1.0, samples];
        turns.drain(..usize::from(self.is_alone()));
        let mut told: Vec<Figures> = Vec::new();
        for samples in turns {
            self.prepare()?;
            let known = self.session.parts(self.layer.whose).filter(|known| !known.is_empty());
            let Some(known) = known else { return Ok(None) };
            let before = self.session.tally(&known);
            let took = self.timed_turn(samples)?;
            let mut one = difference(&self.session.tally(&known), &before);
            one.extend([(WHOLE.to_owned(), took), (UNWATCHED.to_owned(), took)]);
            told.push(one);
        }
        let none = Figures::new();
        let (short, long) = match &told[..] {
            [short, long] => (short, long),
            [long, ..] => (&none, long),
            [] => (&none, &none),
        };
        let figures = each(difference(long, short), more);
        Ok(Some(Sampled { figures, samples: more, lost: 0 }))
    }

    /// Where the time of a sample went: of several tries the one that the machine disturbed least, as it is with values. A turn that
    /// lasts is taken once. The clock has turns of its own, since its interrupts take time, too.
    pub(super) fn timed(
        &mut self,
        times: &mut Observer,
        clock: &mut Observer,
    ) -> Result<Option<Sampled>, SessionError> {
        let reader = gettid().as_raw() as u32;
        let alone = self.is_alone();
        let samples = self.timed_samples();
        let more = self.more(samples);
        let tries = match (self.is_long(), self.layer.lasts) {
            (true, _) => tries(self.sample_ns),
            (_, Lasts::AllModes | Lasts::Quota) => 1,
            (_, Lasts::Shortly) => TRIES,
        };
        let mut unwatched = [f64::INFINITY; 2];
        let mut best = [Figures::new(), Figures::new()];
        let (mut modes, mut found) = (Figures::new(), Figures::new());
        let mut lost = 0;
        let turns: &[(usize, f64)] =
            if alone { &[(1, samples)] } else { &[(0, 1.0), (1, samples)] };
        for _ in 0..tries {
            for &(at, samples) in turns {
                // Two turns under a quota meet other parts of its periods, which differ by more than what records take.
                if self.layer.lasts != Lasts::Quota {
                    unwatched[at] = self.unwatched(samples)?.min(unwatched[at]);
                }
                let Some(Window { trace, threads, stopped_ns }) = self.watched(times, samples)?
                else {
                    return Ok(None);
                };
                lost += trace.lost;
                let mut told = path(&trace, &threads, reader);
                stopped(&mut told, stopped_ns, self.layer.on_one_cpu);
                keep_shorter(&mut best[at], told);
            }
            let Some(Window { trace, threads, .. }) = self.watched(clock, samples)? else {
                return Ok(None);
            };
            lost += trace.lost;
            add(&mut modes, looks(&trace, &threads));
            add(&mut found, places(&trace, &threads, &self.layer.files));
        }
        let [short, whole] = best;
        let around = if alone { 0.0 } else { unwatched[0] };
        let mut figures = each(difference(&whole, &short), more);
        let unwatched = match self.layer.lasts {
            Lasts::Quota => figures.get(WHOLE).copied().unwrap_or(0.0),
            Lasts::Shortly | Lasts::AllModes => (unwatched[1] - around) / more,
        };
        let records = split(&mut figures, &modes, Some(unwatched).filter(|ns| *ns > 0.0));
        if let (Lasts::AllModes, Some(whole)) = (self.layer.lasts, figures.get(WHOLE)) {
            figures.insert(WITHOUT_RECORDS.into(), whole - records);
        }
        figures.extend(shares(found));
        Ok(Some(Sampled { figures, samples: more, lost }))
    }

    /// In which of the host's system calls a sample's time went, which `took` so many nanoseconds while nobody watched.
    pub(super) fn within(
        &mut self,
        observer: &mut Observer,
        took: f64,
    ) -> Result<Option<Sampled>, SessionError> {
        if !observer.missing().is_empty() {
            return Ok(Some(Sampled::default()));
        }
        let samples = self.timed_samples();
        let Some(Window { trace, threads, .. }) = self.watched(observer, samples)? else {
            return Ok(None);
        };
        let inside = within(&trace, &threads, gettid().as_raw() as u32);
        Ok(Some(Sampled { figures: scaled(inside, took), samples, lost: trace.lost }))
    }

    /// The last turn, which nobody looks at.
    pub(super) fn over(mut self) -> Result<Option<Answer>, SessionError> {
        if self.ended.is_some() {
            return Ok(None);
        }
        self.prepare()?;
        self.turn(1, true)?;
        match self.ended {
            Some(answer) => Ok(Some(answer)),
            None => {
                let why = "it waits for another turn after its last sample";
                Err(SessionError::Protocol(why.into()))
            }
        }
    }
}

/// How often something long is tried that takes `ns` each time.
pub(super) fn tries(ns: u64) -> u32 {
    TRIED_NS.checked_div(ns).unwrap_or(0).clamp(1, TRIES.into()) as u32
}

//! The turns of a row that is watched: short ones and long ones, under the eyes of the kernel's tracepoints or of nobody.

use super::figures::{add, difference, each, keep_shorter};
use super::observers::not_enabled;
use super::turn_length::{Lasts, TurnLength};
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

/// Two tries that differ by less than this share are alike.
const ALIKE: f64 = 0.05;

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

/// What was seen in a turn.
struct Window {
    trace: Trace,
    threads: Threads,
    /// Nanoseconds for which a quota had stopped the layer, on each CPU by itself.
    stopped_ns: f64,
}

/// The least that a turn took in several tries.
struct Quickest {
    unwatched_ns: f64,
    watched: Figures,
    /// Records that are missing in all tries.
    lost: u64,
}

impl Default for Quickest {
    fn default() -> Quickest {
        Quickest { unwatched_ns: f64::INFINITY, watched: Figures::new(), lost: 0 }
    }
}

/// A row that waits between its turns.
pub(super) struct Turning<'a> {
    session: &'a mut Session,
    request: Request,
    within: Patience,
    layer: WatchedLayer,
    length: TurnLength,
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
        let program = request.program.as_deref();
        let length = TurnLength {
            sample_ns,
            is_prepared: program.is_some_and(prepares),
            is_program: program.is_some(),
            lasts: layer.lasts,
        };
        Turning { session, request, within, layer, length, ended: None, refused: None }
    }

    /// Ends a measurement of which nothing can be seen; why.
    pub(super) fn give_up(self) -> Result<String, SessionError> {
        if self.ended.is_none() {
            self.session.give_up(&self.request, self.within)?;
        }
        Ok(self.refused.unwrap_or_else(|| "it has no processes of its own on this host".into()))
    }

    /// A turn of so many samples, while nobody watches: how long it took, in nanoseconds.
    pub(super) fn unwatched(&mut self, samples: f64) -> Result<f64, SessionError> {
        self.prepare()?;
        self.timed_turn(samples)
    }

    /// What goes before a turn and is no part of it.
    fn prepare(&mut self) -> Result<(), SessionError> {
        if self.length.is_prepared { self.turn(1, false) } else { Ok(()) }
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
        let lasts = self.length.may_fill_rings();
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
        let (mut lost, mut filled) = (0, 0.0);
        let alone = self.length.is_counted_alone();
        if !alone {
            let Some((counted, trace)) = self.watched_counts((observer, counts), 1.0)? else {
                return Ok(None);
            };
            short = counted;
            lost = trace.lost;
            filled = trace.filled;
        }
        let samples = self.length.counted(filled);
        let Some((counted, trace)) = self.watched_counts((observer, counts), samples)? else {
            return Ok(None);
        };
        let more = self.length.more(alone, samples);
        let figures = each(difference(&counted, &short), more);
        Ok(Some(Sampled { figures, samples: more, lost: lost + trace.lost }))
    }

    /// The same as far as `/proc` tells it, and what a sample took.
    pub(super) fn tallied(&mut self) -> Result<Option<Sampled>, SessionError> {
        let samples = self.length.counted(0.0);
        let alone = self.length.is_counted_alone();
        let more = self.length.more(alone, samples);
        let mut turns = vec![1.0, samples];
        turns.drain(..usize::from(alone));
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
        let alone = self.length.is_alone();
        let samples = self.length.timed();
        let mut short = Quickest::default();
        let mut long = Quickest::default();
        let mut modes = Figures::new();
        let mut found = Figures::new();
        let mut lost = 0;
        let mut before: Option<[f64; 2]> = None;
        for _ in 0..self.length.tries() {
            if !self.length.is_long() {
                self.unwatched(1.0)?; // a layer that has waited for the last turn's records pays for that, as gVisor and guests do
            }
            if !alone && self.tried(times, 1.0, &mut short)?.is_none() {
                return Ok(None);
            }
            let Some(took) = self.tried(times, samples, &mut long)? else { return Ok(None) };
            let Some(Window { trace, threads, .. }) = self.watched(clock, samples)? else {
                return Ok(None);
            };
            lost += trace.lost;
            add(&mut modes, looks(&trace, &threads));
            add(&mut found, places(&trace, &threads, &self.layer.files));
            if before.replace(took).is_some_and(|before| are_alike(&before, &took)) {
                break;
            }
        }
        let more = self.length.more(alone, samples);
        let mut figures = each(difference(&long.watched, &short.watched), more);
        let unwatched = match self.layer.lasts {
            Lasts::Quota => figures.get(WHOLE).copied(),
            _ => Some((long.unwatched_ns - if alone { 0.0 } else { short.unwatched_ns }) / more),
        };
        let records = split(&mut figures, &modes, unwatched.filter(|ns| *ns > 0.0));
        if let (Lasts::AllModes, Some(whole)) = (self.layer.lasts, figures.get(WHOLE)) {
            figures.insert(WITHOUT_RECORDS.into(), whole - records);
        }
        figures.extend(shares(found));
        Ok(Some(Sampled { figures, samples: more, lost: lost + short.lost + long.lost }))
    }

    /// Takes a turn of so many samples twice, unwatched and watched, and keeps what is the `quickest` by now. What both took, in
    /// nanoseconds; `None` where the layer has no threads of its own.
    fn tried(
        &mut self,
        times: &mut Observer,
        samples: f64,
        quickest: &mut Quickest,
    ) -> Result<Option<[f64; 2]>, SessionError> {
        // Two turns under a quota meet other parts of its periods, which differ by more than what records take.
        let unwatched_ns = match self.layer.lasts {
            Lasts::Quota => f64::INFINITY,
            _ => self.unwatched(samples)?,
        };
        let Some(Window { trace, threads, stopped_ns }) = self.watched(times, samples)? else {
            return Ok(None);
        };
        let mut told = path(&trace, &threads, gettid().as_raw() as u32);
        stopped(&mut told, stopped_ns, self.layer.on_one_cpu);
        let watched_ns = told.get(WHOLE).copied().unwrap_or(0.0);
        quickest.unwatched_ns = unwatched_ns.min(quickest.unwatched_ns);
        quickest.lost += trace.lost;
        keep_shorter(&mut quickest.watched, told);
        Ok(Some([unwatched_ns, watched_ns]))
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
        let samples = self.length.timed();
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

/// Whether two tries took the same, so that nobody has disturbed them and a third one would show nothing else.
fn are_alike(before: &[f64; 2], last: &[f64; 2]) -> bool {
    before.iter().zip(last).all(|(before, last)| (last / before - 1.0).abs() < ALIKE)
}

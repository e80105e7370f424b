//! One row of one layer, watched from outside.

use crate::plan::setup::Setup;
use std::collections::BTreeMap;
use tare_layers::{Answer, Session, SessionError, Turn, Whose};
use tare_observe::{Figures, Observer, Threads, Trace, counts, path, split};
use tare_proto::counter::TERM_OPERATIONS;
use tare_proto::outside::{LOST, OPERATIONS};
use tare_proto::{Counter, Request};
use nix::unistd::gettid;

/// Nanoseconds of a batch: so long that the readings of the clock around it do not count, where each is a call, too.
const BATCH_NS: u64 = 5_000_000;

/// The same of a row whose batches make more records than a ring holds.
const SHORT_BATCH_NS: u64 = 300_000;

/// Nanoseconds that the longer turn takes: for counts as many operations as make a stray one small, for times as many looks of the clock
/// as tell user mode from the kernel.
const TURN_NS: f64 = 100e6;

/// A sample that takes longer than this is watched once: what surrounds it is small beside it.
const LONG_NS: u64 = 60_000_000;

/// Most samples of a turn.
const MOST: f64 = 64.0;

/// The share of a ring that a turn should fill.
const FILL: f64 = 0.6;

/// Most terms that a row's value is made of.
const TERMS: u32 = 4;

/// What watches.
pub(super) struct Observers {
    pub counts: Observer,
    pub times: Observer,
}

/// What is watched.
pub(super) struct Watched<'a> {
    pub setup: &'a Setup<'a>,
    pub bench: usize,
    pub whose: &'static [Whose],
}

/// What one term of a row showed.
struct Term {
    /// Operations of a sample; negative where the term is subtracted.
    per_sample: f64,
    figures: Figures,
    samples: f64,
    lost: u64,
}

/// What came of a term.
enum Told {
    Term(Term),
    /// There is no such term.
    None,
    Unseen(String),
}

/// The figures of one operation of the row, or why there are none. Only the end of the layer is an error.
pub(super) fn watch_row(
    watched: &Watched,
    session: &mut Session,
    observers: &mut Observers,
    id: &mut u32,
) -> Result<Result<Vec<Counter>, String>, SessionError> {
    let mut all = Figures::new();
    let (mut operations, mut lost) = (0.0, 0);
    for term in 0..TERMS {
        let mut told = watch_term(watched, session, observers, (id, term), BATCH_NS)?;
        if matches!(&told, Told::Term(one) if one.lost > 0) {
            told = watch_term(watched, session, observers, (id, term), SHORT_BATCH_NS)?;
        }
        match told {
            Told::None => break,
            Told::Unseen(why) => return Ok(Err(why)),
            Told::Term(one) => {
                if term == 0 {
                    operations = one.per_sample.abs() * one.samples;
                }
                lost += one.lost;
                for (name, value) in one.figures {
                    *all.entry(name).or_default() += value / one.per_sample;
                }
            }
        }
    }
    let mut counters: Vec<Counter> =
        all.iter().filter(|(_, value)| **value != 0.0).map(|(n, v)| Counter::new(n, *v)).collect();
    counters.push(Counter::new(OPERATIONS, operations));
    if lost > 0 {
        counters.push(Counter::new(LOST, lost as f64));
    }
    Ok(Ok(counters))
}

fn watch_term(
    watched: &Watched,
    session: &mut Session,
    observers: &mut Observers,
    (id, term): (&mut u32, u32),
    batch_ns: u64,
) -> Result<Told, SessionError> {
    let Watched { setup, bench, whose } = *watched;
    *id += 1;
    let whole = setup.request(*id, bench, Some(2));
    let request = Request { turns: true, term: Some(term), events: false, batch_ns, ..whole };
    let within = setup.within(&request);
    let sample_ns = match session.prepare(&request, within)? {
        Turn::Waiting(sample_ns) => sample_ns,
        Turn::Over(Answer::Unavailable(_)) if term > 0 => return Ok(Told::None),
        Turn::Over(Answer::Unavailable(why) | Answer::Failed(why)) => return Ok(Told::Unseen(why)),
        Turn::Over(Answer::Series(..)) => {
            return Ok(Told::Unseen("the benchmark takes all its samples at once".into()));
        }
    };
    let mut take = |observer: &mut Observer, samples: u32, last: bool| {
        let Some(known) = session.parts(whose).filter(|known| !known.is_empty()) else {
            return session.give_up(&request, within).map(|()| None);
        };
        let mut threads = Threads::new(known);
        let begin = observer.begin();
        let turn = session.take(&request, (samples, last), within)?;
        let trace = observer.end(begin.unwrap_or(0));
        threads.follow(&trace);
        Ok::<_, SessionError>(Some((turn, trace, threads)))
    };
    let long = sample_ns == 0 || sample_ns > LONG_NS;
    let reader = gettid().as_raw() as u32;
    let counted = |trace: &Trace, threads: &Threads| counts(trace, threads);
    let timed = |trace: &Trace, threads: &Threads| path(trace, threads, reader);
    let mut figures = Figures::new();
    let (mut lost, mut taken) = (0, 0.0);
    let mut answer = None;
    let both: [(&mut Observer, &dyn Fn(&Trace, &Threads) -> Figures, bool); 2] =
        [(&mut observers.counts, &counted, false), (&mut observers.times, &timed, true)];
    for (observer, read, last) in both {
        let mut short = Figures::new();
        let mut more = 1.0;
        if !long {
            let Some((_, trace, threads)) = take(observer, 1, false)? else { return Ok(hidden()) };
            short = read(&trace, &threads);
            lost += trace.lost;
            // A turn of one sample takes two: the first is thrown away.
            let fit = (2.0 * FILL / trace.filled.max(1e-6) - 1.0).min(TURN_NS / sample_ns as f64);
            more = fit.clamp(2.0, MOST).floor() - 1.0;
        }
        let samples = if long { 1 } else { more as u32 + 1 };
        let Some((turn, trace, threads)) = take(observer, samples, last)? else {
            return Ok(hidden());
        };
        lost += trace.lost;
        let whole = read(&trace, &threads);
        let mut one = difference(&whole, &short);
        if last {
            split(&mut one, &whole);
        }
        figures.extend(one.into_iter().map(|(name, value)| (name, value / more)));
        taken += more;
        if let Turn::Over(over) = turn {
            answer = Some(over);
        }
    }
    let series = match answer {
        Some(Answer::Series(series, _)) => series,
        Some(Answer::Unavailable(why) | Answer::Failed(why)) => return Ok(Told::Unseen(why)),
        None => return Ok(Told::Unseen("it waits for another turn after its last sample".into())),
    };
    let told = series.counters.iter().find(|counter| counter.name == TERM_OPERATIONS);
    let per_sample = told.map_or(series.ops as f64, |counter| counter.value);
    if !per_sample.is_finite() || per_sample == 0.0 {
        return Ok(Told::Unseen("it does not say how many operations it made".into()));
    }
    Ok(Told::Term(Term { per_sample, figures, samples: taken, lost }))
}

fn hidden() -> Told {
    Told::Unseen("it has no processes of its own on this host".into())
}

/// What the longer turn has more than the shorter one.
fn difference(long: &Figures, short: &Figures) -> Figures {
    let names: BTreeMap<&String, ()> = long.keys().chain(short.keys()).map(|n| (n, ())).collect();
    let of = |figures: &Figures, name: &str| figures.get(name).copied().unwrap_or(0.0);
    names.into_keys().map(|name| (name.clone(), of(long, name) - of(short, name))).collect()
}

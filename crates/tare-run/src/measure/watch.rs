//! One row of one layer, watched from outside.

use super::observers::Observers;
use super::turn_length::Lasts;
use super::turning::{Sampled, Turning, WatchedLayer};
use super::whole::{Row, Whole, watch_whole};
use crate::plan::setup::Setup;
use tare_layers::{Answer, Session, SessionError, Turn};
use tare_observe::{Figures, counts, processor};
use tare_proto::counter::TERM_OPERATIONS;
use tare_proto::outside::{LOST, OPERATIONS, RECORD, Seen, UNWATCHED, unsubtracted};
use tare_proto::{Counter, Request};
use tare_store::PlannedProgram;

/// Nanoseconds of a batch: so long that the readings of the clock around it do not count, where each is a call, too.
const BATCH_NS: u64 = 4_000_000;

/// The same of a row whose batches make more records than a ring holds, and of one for which the ring is small besides.
const SHORTER_NS: [u64; 2] = [300_000, 40_000];

/// Time for all turns of a row, in milliseconds: more than they take.
const LIMIT_MS: u64 = 8_000;

/// A layer whose turns last takes so many times as long.
const LASTING: u64 = 4;

/// More runs of a program than all of its turns have.
const RUNS: u32 = 1000;

/// Most terms that a row's value is made of.
const TERMS: u32 = 4;

/// What is watched.
pub(super) struct Watched<'a> {
    pub setup: &'a Setup<'a>,
    pub bench: usize,
    pub layer: WatchedLayer,
}

impl Watched<'_> {
    /// Whether it is a run of a program, which has one term and no batches.
    fn is_program(&self) -> bool {
        self.setup.program(self.bench).is_some()
    }
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

/// The figures of one operation of the row, or why there are none; of a row from which something is subtracted those of the whole operation,
/// too. Only the end of the layer is an error.
pub(super) fn watch_row(
    watched: &Watched,
    session: &mut Session,
    observers: &mut Observers,
    id: &mut u32,
) -> Result<Result<Vec<Counter>, String>, SessionError> {
    if watched.setup.benches[watched.bench].at_once {
        return watch_at_once(watched, session, observers, id);
    }
    let mut told_terms = Vec::new();
    let terms = if watched.is_program() { 1 } else { TERMS };
    for term in 0..terms {
        let mut told = watch_term(watched, session, observers, (id, term), BATCH_NS)?;
        for batch_ns in SHORTER_NS {
            let is_short_of_room = matches!(&told, Told::Term(one) if one.lost > 0);
            if is_short_of_room && !watched.is_program() {
                told = watch_term(watched, session, observers, (id, term), batch_ns)?;
            }
        }
        match told {
            Told::None => break,
            Told::Unseen(why) => return Ok(Err(why)),
            Told::Term(one) => told_terms.push(one),
        }
    }
    Ok(Ok(together(&told_terms)))
}

/// The figures of an operation that consists of these terms, and those of the whole operation where others are subtracted from the first one.
fn together(terms: &[Term]) -> Vec<Counter> {
    let mut all = Figures::new();
    for (at, term) in terms.iter().enumerate() {
        for (name, value) in &term.figures {
            if is_of_operation(name) {
                let each = value / term.per_sample;
                *all.entry(name.clone()).or_default() += each;
                if at == 0 && terms.len() > 1 {
                    all.insert(unsubtracted(name), each);
                }
            } else if at == 0 {
                all.insert(name.clone(), *value); // of what is subtracted it says nothing
            }
        }
    }
    let operations = terms.first().map_or(0.0, |term| term.per_sample.abs() * term.samples);
    counters(&all, operations, terms.iter().map(|term| term.lost).sum())
}

/// The same of a row that takes all its samples at once.
fn watch_at_once(
    watched: &Watched,
    session: &mut Session,
    observers: &mut Observers,
    id: &mut u32,
) -> Result<Result<Vec<Counter>, String>, SessionError> {
    let Observers::Traced(traced) = observers else {
        return Ok(Err(
            "only tracepoints show what it does, since it takes its samples at once".into()
        ));
    };
    let row = Row { setup: watched.setup, bench: watched.bench, layer: &watched.layer };
    let told = watch_whole(&row, session, traced, id)?;
    Ok(told.map(|Whole { figures, operations, lost }| counters(&figures, operations, lost)))
}

/// The figures of an operation, of how many they are, and how many records are missing.
fn counters(all: &Figures, operations: f64, lost: u64) -> Vec<Counter> {
    let told = all.iter().filter(|(_, value)| **value != 0.0);
    let mut counters: Vec<Counter> = told.map(|(name, ns)| Counter::new(name, *ns)).collect();
    counters.push(Counter::new(OPERATIONS, operations));
    if lost > 0 {
        counters.push(Counter::new(LOST, lost as f64));
    }
    counters
}

/// Whether a figure is of an operation, and not of a record or of all operations together.
fn is_of_operation(name: &str) -> bool {
    name != RECORD
        && !matches!(Seen::read(name), Some((Seen::Found | Seen::Functions | Seen::Stacks, ..)))
}

fn watch_term(
    watched: &Watched,
    session: &mut Session,
    observers: &mut Observers,
    (id, term): (&mut u32, u32),
    batch_ns: u64,
) -> Result<Told, SessionError> {
    let Watched { setup, bench, ref layer } = *watched;
    *id += 1;
    let samples = if watched.is_program() { RUNS } else { 2 };
    let whole = setup.request(*id, bench, Some(samples));
    let slower = if layer.lasts == Lasts::Shortly { 1 } else { LASTING };
    let limit_ms = whole.limit_ms.max(slower * LIMIT_MS);
    let request =
        Request { turns: true, term: Some(term), events: false, batch_ns, limit_ms, ..whole };
    let within = setup.within(&request);
    let sample_ns = match session.prepare(&request, within)? {
        Turn::Waiting(sample_ns) => sample_ns,
        Turn::Over(Answer::Unavailable(_)) if term > 0 => return Ok(Told::None),
        Turn::Over(Answer::Unavailable(why) | Answer::Failed(why)) => return Ok(Told::Unseen(why)),
        Turn::Over(Answer::Series(..)) => {
            return Ok(Told::Unseen("the benchmark takes all its samples at once".into()));
        }
    };
    let mut row = Turning::new(session, request, within, layer.clone(), sample_ns);
    let requests = setup.program(bench).and_then(PlannedProgram::requests);
    if requests.is_some() {
        row.unwatched(1.0)?; // the first requests wait until the server is up
    }
    let seen = match observers {
        Observers::Traced(traced) => {
            let counted = row.counted(&mut traced.counts, counts)?;
            let processor = match &mut traced.processor {
                Some(observer) => row.counted(observer, processor)?,
                None => Some(Sampled::default()),
            };
            let timed = row.timed(&mut traced.times, &mut traced.clock)?;
            let took = timed.as_ref().and_then(|timed| timed.figures.get(UNWATCHED)).copied();
            let within = match took.filter(|_| watched.is_program()) {
                Some(ns) => row.within(&mut traced.calls, ns)?,
                None => Some(Sampled::default()),
            };
            vec![counted, processor, timed, within]
        }
        Observers::Tallied => vec![row.tallied()?],
    };
    let Some(seen) = seen.into_iter().collect::<Option<Vec<Sampled>>>() else {
        return row.give_up().map(Told::Unseen);
    };
    let series = match row.over()? {
        Some(Answer::Series(series, _)) => series,
        Some(Answer::Unavailable(why) | Answer::Failed(why)) => return Ok(Told::Unseen(why)),
        None => return Ok(Told::Unseen("its time was over before its last turn".into())),
    };
    let told = series.counters.iter().find(|counter| counter.name == TERM_OPERATIONS);
    let per_sample =
        requests.unwrap_or_else(|| told.map_or(series.ops as f64, |counter| counter.value));
    if !per_sample.is_finite() || per_sample == 0.0 {
        return Ok(Told::Unseen("it does not say how many operations it made".into()));
    }
    let lost = seen.iter().map(|one| one.lost).sum();
    let samples = seen.first().map_or(0.0, |counted| counted.samples);
    let figures = seen.into_iter().flat_map(|one| one.figures).collect();
    Ok(Told::Term(Term { per_sample, figures, samples, lost }))
}

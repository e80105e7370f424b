//! Rows that take all their samples at once, watched from outside: disks, networks, memory. They keep something in flight, so they cannot wait
//! between two samples. A short series and a longer one are watched from their beginning to their end. The difference is of the operations that
//! the longer one has more.

use super::figures::{add, difference, each};
use super::observers::{Traced, not_enabled};
use super::turning::WatchedLayer;
use crate::plan::setup::Setup;
use nix::unistd::gettid;
use std::time::Instant;
use tare_layers::{Answer, Session, SessionError};
use tare_observe::{
    Figures, Observer, Threads, Trace, counts, looks, path, places, processor, shares, split,
};
use tare_proto::Request;
use tare_proto::outside::UNWATCHED;

/// How long a series is, and how many samples it has.
#[derive(Clone, Copy)]
struct Length {
    limit_ms: u64,
    samples: u32,
}

impl Length {
    /// So many times shorter.
    const fn shorter(self, times: u64) -> Length {
        Length { limit_ms: self.limit_ms / times, ..self }
    }
}

const SHORT: Length = Length { limit_ms: 60, samples: 1 };
const LONG: Length = Length { limit_ms: 300, samples: 4 };

/// How many times shorter both are made, one after the other, while rings have no room for all records: others' records of the same CPUs are
/// in them, too, and on a busy host who reads them may come late.
const TIMES_SHORTER: [u64; 2] = [3, 6];

/// The longer series does at least so many times as much, or nothing is told of the difference.
const CLEARLY: f64 = 1.5;

/// What is told where it does not.
const ALIKE: &str = "a longer series of it does no more than a short one";

/// A row of a layer.
pub(super) struct Row<'a> {
    pub setup: &'a Setup<'a>,
    pub bench: usize,
    pub layer: &'a WatchedLayer,
}

/// The figures of one operation.
pub(super) struct Whole {
    pub figures: Figures,
    /// Operations that the figures are of.
    pub operations: f64,
    /// Records that the kernel had no room for.
    pub lost: u64,
}

/// A series that was watched, or not.
struct Taken {
    trace: Trace,
    threads: Threads,
    operations: f64,
    /// What it took by this host's clock, in nanoseconds.
    ns: f64,
}

/// Why there is nothing of a row, in words; or the layer has ended.
enum Missed {
    Row(String),
    Layer(SessionError),
}

impl From<SessionError> for Missed {
    fn from(error: SessionError) -> Missed {
        Missed::Layer(error)
    }
}

/// What a row does for one operation, or why that is not known. Only the end of the layer is an error.
pub(super) fn watch_whole(
    row: &Row,
    session: &mut Session,
    traced: &mut Traced,
    id: &mut u32,
) -> Result<Result<Whole, String>, SessionError> {
    match (Series { row, session, id, lost: 0 }).told(traced) {
        Ok(told) => Ok(Ok(told)),
        Err(Missed::Row(why)) => Ok(Err(why)),
        Err(Missed::Layer(error)) => Err(error),
    }
}

struct Series<'a, 'b> {
    row: &'a Row<'b>,
    session: &'a mut Session,
    id: &'a mut u32,
    lost: u64,
}

impl Series<'_, '_> {
    fn told(mut self, traced: &mut Traced) -> Result<Whole, Missed> {
        let (mut figures, operations) = self.of_one(&mut traced.counts, counts)?;
        if let Some(observer) = &mut traced.processor {
            figures.extend(self.of_one(observer, processor)?.0);
        }
        let [short, long] = [self.take(None, SHORT)?, self.take(None, LONG)?];
        let unwatched = (long.ns - short.ns) / more(&short, &long)?;
        let reader = gettid().as_raw() as u32;
        let on_path = |trace: &Trace, threads: &Threads| path(trace, threads, reader);
        let (mut times, _) = self.of_one(&mut traced.times, on_path)?;
        let clocked = self.take(Some(&mut traced.clock), LONG)?;
        self.lost += clocked.trace.lost;
        let (mut modes, mut found) = (Figures::new(), Figures::new());
        add(&mut modes, looks(&clocked.trace, &clocked.threads));
        add(&mut found, places(&clocked.trace, &clocked.threads, &self.row.layer.files));
        // Two series that wait for a device differ by more than what records take, so that is not taken off.
        split(&mut times, &modes, None);
        times.insert(UNWATCHED.into(), unwatched);
        figures.extend(times);
        figures.extend(shares(found));
        Ok(Whole { figures, operations, lost: self.lost })
    }

    /// What `of` makes of the operations that the longer series has more, for each of them; and how many these are.
    fn of_one(
        &mut self,
        observer: &mut Observer,
        of: impl Fn(&Trace, &Threads) -> Figures,
    ) -> Result<(Figures, f64), Missed> {
        let mut told = self.pair(observer, &of, 1)?;
        for times in TIMES_SHORTER {
            if told.lost == 0 {
                break;
            }
            match self.pair(observer, &of, times) {
                Ok(shorter) => told = shorter,
                Err(Missed::Row(_)) => break, // too short for it to do anything
                Err(missed) => return Err(missed),
            }
        }
        self.lost += told.lost;
        Ok((told.figures, told.operations))
    }

    /// The same of both lengths, so many times shorter.
    fn pair(
        &mut self,
        observer: &mut Observer,
        of: impl Fn(&Trace, &Threads) -> Figures,
        times: u64,
    ) -> Result<Whole, Missed> {
        let short = self.take(Some(observer), SHORT.shorter(times))?;
        let long = self.take(Some(observer), LONG.shorter(times))?;
        let operations = more(&short, &long)?;
        let [less, all] = [&short, &long].map(|one| of(&one.trace, &one.threads));
        let figures = each(difference(&all, &less), operations);
        Ok(Whole { figures, operations, lost: short.trace.lost + long.trace.lost })
    }

    /// A series, under the eyes of an observer or of nobody.
    fn take(&mut self, observer: Option<&mut Observer>, length: Length) -> Result<Taken, Missed> {
        let Row { setup, bench, layer } = *self.row;
        *self.id += 1;
        let Length { limit_ms, samples } = length;
        let whole = setup.request(*self.id, bench, Some(samples));
        let request = Request { events: false, limit_ms, ..whole };
        let within = setup.within(&request);
        let known = self.session.parts(layer.whose).filter(|known| !known.is_empty());
        let known = known
            .ok_or_else(|| Missed::Row("it has no processes of its own on this host".into()))?;
        let begin = Instant::now();
        let (answer, trace) = match observer {
            Some(observer) => {
                let watched = observer.watch(true, || self.session.measure(&request, within));
                watched.map_err(|error| Missed::Row(not_enabled(&error)))?
            }
            None => (self.session.measure(&request, within), Trace::default()),
        };
        let ns = begin.elapsed().as_nanos() as f64;
        let series = match answer? {
            Answer::Series(series, _) => series,
            Answer::Unavailable(why) | Answer::Failed(why) => return Err(Missed::Row(why)),
        };
        let mut threads = Threads::new(known);
        threads.follow(&trace);
        let all = series.samples.len() as f64 + f64::from(series.warmup);
        Ok(Taken { trace, threads, operations: series.ops as f64 * all, ns })
    }
}

/// How many more operations the `long` series has.
fn more(short: &Taken, long: &Taken) -> Result<f64, Missed> {
    match long.operations > CLEARLY * short.operations {
        true => Ok(long.operations - short.operations),
        false => Err(Missed::Row(ALIKE.into())),
    }
}

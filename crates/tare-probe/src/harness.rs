//! The harness: calibrates a batch, throws the warm-up away by rule, and times every sample.
//!
//! Inside a timed batch runs the operation and nothing else: no allocation, no lock, no message.

use crate::bench::{Batch, Bench, Kind, Measured, Op, Own, Refusal, Taken, Term, repeat};
use crate::budget::{self, Budget};
use crate::clock::{CpuTime, now_ns, resolution};
use crate::copies;
use crate::costs::Costs;
use crate::sampling::{Fitted, fit, take};
use crate::turns::{Dropped, Turns};
use crate::watch::Watch;
use crate::{balloon, caught, handicap, mark, perf};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tare_proto::counter::{ACTIVE_NS, HARDWARE_ERRNO, TERM_OPERATIONS};
use tare_proto::{Counter, Request, Series};

/// A batch must last this many times the clock's resolution, and the cost of reading it, which is
/// subtracted: what is left of either is far below the noise of any machine.
const RESOLUTIONS: u64 = 100;

/// One batch takes at most this part of the time.
const BATCH_SHARE: u64 = 10;

/// Share of the wanted samples that is thrown away first, beside the calibration.
const WARMUP_SHARE: u32 = 10;

/// Samples of all turns together that a slow clock may cut a series to.
const LEAST_OF_TURNS: u32 = 30;

/// Batches that perf events are counted over.
const EVENT_BATCHES: u64 = 3;

/// Why a measurement has no series that the host has given up.
const GIVEN_UP: &str = "given up by the host";

/// Set while a benchmark runs: a panic is then the benchmark's failure, not the probe's.
static MEASURING: AtomicBool = AtomicBool::new(false);

/// Whether a benchmark is running.
pub fn measuring() -> bool {
    MEASURING.load(Ordering::Relaxed)
}

/// Measures `bench` at `load` as `request` asks, in `turns`. A panic inside the benchmark becomes
/// [`Refusal::Failed`].
pub fn measure(
    bench: &Bench,
    load: u32,
    request: &Request,
    turns: Turns,
) -> Result<Series, Refusal> {
    let begin = now_ns();
    guarded(request, || match bench.kind {
        Kind::Loop(prepare) if load > 1 => {
            copies::measure(prepare, load, request, begin, &turns).map(|costs| costs.series(0.0))
        }
        Kind::Loop(prepare) => {
            let loop_ns = empty_loop_ns();
            let op = wanted(prepare()?, request.term)?;
            measure_loop(op, request, begin, &turns).map(|costs| costs.series(loop_ns))
        }
        Kind::Own(_) if request.term.is_some_and(|term| term > 0) => Err(no_such_term()),
        Kind::Own(run) => {
            of_its_own(run, load, request, if bench.waits { turns } else { Turns::none() })
        }
    })
}

/// Takes a series for `request` by `take`, and completes it. A panic in it becomes [`Refusal::Failed`].
pub fn guarded(
    request: &Request,
    take: impl FnOnce() -> Result<Series, Refusal>,
) -> Result<Series, Refusal> {
    let begin = now_ns();
    budget::begin();
    let cpu = CpuTime::now();
    let out = balloon::moved();
    MEASURING.store(true, Ordering::Relaxed);
    let measured = catch_unwind(AssertUnwindSafe(take));
    MEASURING.store(false, Ordering::Relaxed);
    let mut series = measured.unwrap_or_else(|panic| {
        let given_up = panic.is::<Dropped>();
        let why = if given_up { GIVEN_UP.into() } else { caught::panic_text(&*panic) };
        Err(Refusal::Failed(why))
    })?;
    series.id = request.id;
    series.elapsed_ns = now_ns() - begin;
    let active_ns = series.elapsed_ns - budget::paused();
    series.counters.extend(cpu.shares_since(active_ns));
    series.counters.push(Counter::new(ACTIVE_NS, active_ns as f64));
    series.counters.extend(balloon::counted(out, series.elapsed_ns));
    Ok(series)
}

/// What a benchmark measured that takes its own samples. Perf events are counted in a run of their own, of one
/// sample, since they would disturb the others.
fn of_its_own(
    run: fn(&Own) -> Taken,
    load: u32,
    request: &Request,
    turns: Turns,
) -> Result<Series, Refusal> {
    let limit = Duration::from_millis(request.limit_ms);
    let watch = Watch::marking(request.id, turns);
    let taken = run(&Own { load, samples: request.samples.max(1), limit, watch: &watch });
    mark::end_of_series();
    let Measured { samples, ops, warmup, mut counters } = taken?;
    let turns = watch.turns(samples.len());
    let mut note = String::new();
    if request.events {
        let (counted, why_none) = caught::counted(|| {
            let watch = Watch::events();
            run(&Own { load, samples: 1, limit, watch: &watch })?;
            Ok::<_, Refusal>(watch.counters())
        });
        counters.extend(counted);
        note = why_none;
    }
    Ok(Series { samples, turns, ops: ops.max(1), warmup, counters, note, ..Series::default() })
}

/// The whole operation, or the one term of it that is asked for.
fn wanted(mut op: Op, term: Option<u32>) -> Result<Op, Refusal> {
    let Some(at) = term else { return Ok(op) };
    if at as usize >= op.terms.len() {
        return Err(no_such_term());
    }
    op.terms = vec![op.terms.swap_remove(at as usize)];
    Ok(op)
}

fn no_such_term() -> Refusal {
    Refusal::Unavailable("the benchmark has no such term".into())
}

fn measure_loop(op: Op, request: &Request, begin: u64, turns: &Turns) -> Result<Costs, Refusal> {
    let budget = Budget::new(begin, request.limit_ms);
    let (step, reading) = resolution();
    let floor = RESOLUTIONS * step.max(reading as u64).max(1);
    let wanted = request.samples.max(1);
    let for_terms = budget.limit / op.terms.len() as u64;
    // A clock that is slow to read asks for long batches; all samples in time go before that. Turns become shorter then.
    let least = if turns.are_granted() { wanted.min(LEAST_OF_TURNS) } else { wanted };
    let target = request.batch_ns.max(floor.min(for_terms / (2 * u64::from(least))));
    let target = target.min(for_terms / BATCH_SHARE);
    let calibrate = |mut term: Term| {
        let fitted = fit(target, true, |ops| Ok(time(&mut term.batch, ops)))?;
        Ok(Calibrated { term, fitted })
    };
    let mut terms: Vec<Calibrated> =
        op.terms.into_iter().map(calibrate).collect::<Result<_, Refusal>>()?;
    let warmup = take(wanted.div_ceil(WARMUP_SHARE), &budget.warmup(), &Turns::none(), || {
        Ok(sample(&mut terms, reading))
    })?;
    mark::series(request.id, op.per);
    turns.prepared(terms.iter().map(|one| one.fitted.ns).sum());
    let taken = take(wanted, &budget, turns, || Ok(sample(&mut terms, reading)))?;
    let turns = turns.taken(taken.len());
    mark::end_of_series();
    let mut counters = op.counters;
    if request.term.is_some() {
        let operations = terms[0].term.sign * terms[0].fitted.ops as f64 * op.per;
        counters.push(Counter::new(TERM_OPERATIONS, operations));
    }
    let mut note = String::new();
    if request.events {
        let (counted, why_none) = caught::counted(|| Ok::<_, Refusal>(count(&mut terms, op.per)));
        counters.extend(counted);
        note = why_none;
    }
    Ok(Costs {
        taken,
        signs: terms.iter().map(|one| one.term.sign).collect(),
        per: op.per,
        ops: terms[0].fitted.ops,
        warmup: terms[0].fitted.tries + warmup.len() as u32 + turns.len() as u32,
        turns,
        short_batch: terms.iter().any(|term| term.fitted.ns < floor),
        counters,
        note,
    })
}

/// Perf events of one operation: of batches of their own, after the samples, which they would disturb.
fn count(terms: &mut [Calibrated], per: f64) -> Vec<Counter> {
    let mut sums: Vec<Counter> = Vec::new();
    for one in terms {
        let events = perf::Events::open();
        (0..EVENT_BATCHES).for_each(|_| (one.term.batch)(one.fitted.ops));
        let operations = (EVENT_BATCHES * one.fitted.ops) as f64 * per;
        for Counter { name, value } in events.counted(operations) {
            let signed = if name == HARDWARE_ERRNO { value } else { one.term.sign * value };
            match sums.iter_mut().find(|sum| sum.name == name) {
                Some(sum) if name == HARDWARE_ERRNO => sum.value = value,
                Some(sum) => sum.value += signed,
                None => sums.push(Counter { name, value: signed }),
            }
        }
    }
    sums
}

/// A term with its batch size.
struct Calibrated {
    term: Term,
    fitted: Fitted,
}

/// Times every term once: the nanoseconds of one operation of each, without the `reading` of the
/// clock that ends a batch. A machine is faster at one moment than at the next, so what is subtracted is timed next to what it is
/// subtracted from.
fn sample(terms: &mut [Calibrated], reading: f64) -> Vec<f64> {
    let mut costs = vec![0.0; terms.len()];
    for (at, (cost, one)) in costs.iter_mut().zip(terms).enumerate() {
        let ops = one.fitted.ops;
        mark::batch(at, one.term.sign, ops);
        let ns = time(&mut one.term.batch, ops) as f64 - reading;
        *cost = ns.max(0.0) / ops as f64;
    }
    costs
}

/// Nanoseconds that `ops` operations take.
#[inline(never)]
pub fn time(batch: &mut Batch, ops: u64) -> u64 {
    let start = now_ns();
    mark::begin();
    batch(ops);
    mark::end();
    handicap::draw_out(start);
    now_ns() - start
}

/// The middle one of `samples`, of which there is at least one.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Cost of the loop around an operation that does nothing, in nanoseconds per operation: the best
/// of five, since noise only adds.
fn empty_loop_ns() -> f64 {
    const OPS: u64 = 100_000;
    let mut counter = 0u64;
    let mut empty = repeat(move || counter = black_box(counter + 1));
    let best = (0..5).map(|_| time(&mut empty, OPS)).min().unwrap_or(0);
    best as f64 / OPS as f64
}

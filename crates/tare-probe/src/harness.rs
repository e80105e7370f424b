//! The harness: calibrates a batch, throws the warm-up away by rule, and times every sample.
//!
//! Inside a timed batch runs the operation and nothing else: no allocation, no lock, no message.

use crate::bench::{Batch, Bench, Kind, Op, Refusal, Term, repeat};
use crate::clock::{now_ns, resolution};
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use tare_proto::{Request, Series};

/// A batch must last this many times the clock's resolution, and the cost of reading it, which is
/// subtracted: what is left of either is far below the noise of any machine.
const RESOLUTIONS: u64 = 100;

/// One batch takes at most this part of the time.
const BATCH_SHARE: u64 = 10;

/// Share of the wanted samples that is thrown away first, beside the calibration.
const WARMUP_SHARE: usize = 10;

/// The warm-up takes at most this part of the time.
const WARMUP_TIME_SHARE: u64 = 5;

/// Fewest samples a series holds, even when its time is over.
const FEWEST: usize = 3;

/// A correction is the mean of the best of this part of its costs, as `best-18-of-30` reduces the
/// samples that it corrects: noise only adds, to both alike.
const CORRECTION_KEEPS: f64 = 0.6;

/// Set while a benchmark runs: a panic is then the benchmark's failure, not the probe's.
static MEASURING: AtomicBool = AtomicBool::new(false);

/// Whether a benchmark is running.
pub fn measuring() -> bool {
    MEASURING.load(Ordering::Relaxed)
}

/// Measures `bench` as `request` asks. A panic inside the benchmark becomes [`Refusal::Failed`].
pub fn measure(bench: &Bench, request: &Request) -> Result<Series, Refusal> {
    let begin = now_ns();
    MEASURING.store(true, Ordering::Relaxed);
    let measured = catch_unwind(AssertUnwindSafe(|| match bench.kind {
        Kind::Loop(prepare) => prepare().map(|op| measure_loop(op, request, begin)),
        Kind::Own(run) => run(request).map(|samples| Series { samples, ops: 1, ..blank(request) }),
    }));
    MEASURING.store(false, Ordering::Relaxed);
    let mut series = measured.unwrap_or_else(|panic| Err(Refusal::Failed(panic_text(&*panic))))?;
    series.elapsed_ns = now_ns() - begin;
    Ok(series)
}

fn blank(request: &Request) -> Series {
    Series {
        id: request.id,
        samples: Vec::new(),
        ops: 0,
        warmup: 0,
        loop_ns: 0.0,
        subtracted: 0.0,
        elapsed_ns: 0,
        short_batch: false,
    }
}

fn measure_loop(op: Op, request: &Request, begin: u64) -> Series {
    let loop_ns = empty_loop_ns();
    let budget = Budget::new(begin, request.limit_ms);
    let (step, reading) = resolution();
    let floor = RESOLUTIONS * step.max(reading as u64).max(1);
    let wanted = request.samples.max(1) as usize;
    let for_terms = budget.limit / op.terms.len() as u64;
    // A clock that is slow to read asks for long batches; all samples in time go before that.
    let target = request.batch_ns.max(floor.min(for_terms / (2 * wanted as u64)));
    let target = target.min(for_terms / BATCH_SHARE);
    let mut terms: Vec<Calibrated> =
        op.terms.into_iter().map(|term| calibrate(term, target)).collect();
    let warmup = wanted.div_ceil(WARMUP_SHARE);
    let warmup = take(&mut terms, 1..=warmup, &budget.warmup(), reading);
    let taken = take(&mut terms, FEWEST.min(wanted)..=wanted, &budget, reading);
    let correction: f64 = (1..terms.len())
        .map(|at| terms[at].term.sign * best_mean(taken.iter().map(|costs| costs[at]).collect()))
        .sum();
    Series {
        samples: taken.iter().map(|costs| (costs[0] + correction) / op.per).collect(),
        subtracted: 0.0 - correction / op.per,
        ops: terms[0].ops,
        warmup: terms[0].tries + warmup.len() as u32,
        loop_ns,
        short_batch: terms.iter().any(|term| term.ns < floor),
        ..blank(request)
    }
}

/// The time that a measurement may take, by the probe's clock.
struct Budget {
    limit: u64,
    end: u64,
}

impl Budget {
    fn new(begin: u64, limit_ms: u64) -> Budget {
        let limit = limit_ms.saturating_mul(1_000_000).max(1);
        Budget { limit, end: begin.saturating_add(limit) }
    }

    /// The part of it for the warm-up, from now on.
    fn warmup(&self) -> Budget {
        let limit = self.limit / WARMUP_TIME_SHARE;
        Budget { limit, end: self.end.min(now_ns() + limit) }
    }

    /// Whether another `ns` nanoseconds are left.
    fn fits(&self, ns: u64) -> bool {
        now_ns() + ns <= self.end
    }
}

/// A term with its batch size.
struct Calibrated {
    term: Term,
    ops: u64,
    ns: u64,
    tries: u32,
}

/// Finds how many operations last `target` nanoseconds. The first batch of a size is cold, so a
/// size is taken only when a second one is long enough too.
fn calibrate(term: Term, target: u64) -> Calibrated {
    let mut found = Calibrated { term, ops: 1, ns: 0, tries: 0 };
    while found.tries < 64 {
        found.ns = time(&mut found.term.batch, found.ops);
        found.tries += 1;
        if found.ns >= target {
            found.ns = found.ns.min(time(&mut found.term.batch, found.ops));
            found.tries += 1;
        }
        if found.ns >= target {
            break;
        }
        // Aim a little over the target, but trust a short batch only so far.
        let factor = (target as f64 * 1.2 / found.ns.max(1) as f64).clamp(1.2, 10.0);
        found.ops = (found.ops as f64 * factor).ceil() as u64;
    }
    found
}

/// Takes as many samples as `count` allows; fewer, down to its start, when another one like the
/// last would end after the budget.
fn take(
    terms: &mut [Calibrated],
    count: RangeInclusive<usize>,
    budget: &Budget,
    reading: f64,
) -> Vec<Vec<f64>> {
    let mut samples = Vec::with_capacity(*count.end());
    let mut last = 0;
    while samples.len() < *count.end() && (samples.len() < *count.start() || budget.fits(last)) {
        let start = now_ns();
        samples.push(sample(terms, reading));
        last = now_ns() - start;
    }
    samples
}

/// Times every term once: the nanoseconds of one operation of each, without the `reading` of the
/// clock that ends a batch. The machine's mood changes from
/// one moment to the next, so what is subtracted is timed next to what it is subtracted from.
fn sample(terms: &mut [Calibrated], reading: f64) -> Vec<f64> {
    let mut costs = vec![0.0; terms.len()];
    for (cost, one) in costs.iter_mut().zip(terms) {
        let ns = time(&mut one.term.batch, one.ops) as f64 - reading;
        *cost = ns.max(0.0) / one.ops as f64;
    }
    costs
}

/// Nanoseconds that `ops` operations take.
#[inline(never)]
pub fn time(batch: &mut Batch, ops: u64) -> u64 {
    let start = now_ns();
    batch(ops);
    now_ns() - start
}

/// The middle one of `samples`, of which there is at least one.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The mean of the cheapest [`CORRECTION_KEEPS`] of `costs`, of which there is at least one.
fn best_mean(mut costs: Vec<f64>) -> f64 {
    costs.sort_by(f64::total_cmp);
    let kept = (costs.len() as f64 * CORRECTION_KEEPS).ceil() as usize;
    costs[..kept].iter().sum::<f64>() / kept as f64
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

/// The text of a caught panic.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panicked").to_owned()
}

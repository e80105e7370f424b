//! The harness: calibrates a batch, throws the warm-up away by rule, and times every sample.
//!
//! Inside a timed batch runs the operation and nothing else: no allocation, no lock, no message.

use crate::bench::{Batch, Bench, Kind, Op, Refusal, repeat};
use crate::clock::{now_ns, resolution};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use tare_proto::{Request, Series};

/// A batch must last this many times the clock's resolution.
const RESOLUTIONS: u64 = 1000;

/// Share of the wanted samples that is thrown away first, beside the calibration.
const WARMUP_SHARE: u32 = 10;

/// Fewest samples a series holds, even when its time is over.
const FEWEST: u32 = 3;

/// Samples that the cost subtracted from every sample is the median of.
const OVERHEAD_SAMPLES: usize = 9;

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
        Kind::Loop(prepare) => prepare().map(|op| measure_loop(op, request)),
        Kind::Own(run) => run(request).map(|samples| Series { samples, ..blank(request) }),
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
        ops: 1,
        warmup: 0,
        loop_ns: 0.0,
        subtracted: 0.0,
        elapsed_ns: 0,
        short_batch: false,
    }
}

fn measure_loop(mut op: Op, request: &Request) -> Series {
    let (step, cost) = resolution();
    let floor = RESOLUTIONS * step.max(cost as u64).max(1);
    let budget = Budget::new(request.limit_ms);
    let target = request.batch_ns.max(floor);
    let batch = calibrate(&mut op.batch, target, budget.share(10));
    let wanted = request.samples.max(1);
    let subtracted = match &mut op.overhead {
        Some(overhead) => subtraction(overhead, target, &budget) / op.per,
        None => 0.0,
    };
    let warmup = wanted.div_ceil(WARMUP_SHARE);
    // Everything below is allocated before the first timed batch.
    let mut samples = Vec::with_capacity(wanted as usize);
    for _ in 0..warmup {
        time(&mut op.batch, batch.ops);
        if budget.used(4) {
            break;
        }
    }
    for taken in 0..wanted {
        if taken >= FEWEST && budget.used(1) {
            break;
        }
        let ns = time(&mut op.batch, batch.ops);
        samples.push(ns as f64 / batch.ops as f64 / op.per - subtracted);
    }
    Series {
        samples,
        ops: batch.ops,
        warmup: warmup + batch.tries,
        loop_ns: empty_loop_ns(),
        subtracted,
        short_batch: batch.ns < floor,
        ..blank(request)
    }
}

/// The time that a measurement may take, by the probe's clock.
struct Budget {
    start: u64,
    limit: u64,
}

impl Budget {
    fn new(limit_ms: u64) -> Budget {
        Budget { start: now_ns(), limit: limit_ms.saturating_mul(1_000_000).max(1) }
    }

    /// Whether one `part`-th of the time is over.
    fn used(&self, part: u64) -> bool {
        now_ns() - self.start >= self.limit / part
    }

    /// One `part`-th of the whole time, in nanoseconds.
    fn share(&self, part: u64) -> u64 {
        self.limit / part
    }
}

/// A batch size and how it was found.
struct Calibration {
    ops: u64,
    ns: u64,
    tries: u32,
}

/// Finds the operations that last `target` nanoseconds, without one batch over `most` if it can be
/// helped.
fn calibrate(batch: &mut Batch, target: u64, most: u64) -> Calibration {
    let target = target.min(most.max(1));
    let mut found = Calibration { ops: 1, ns: 0, tries: 0 };
    loop {
        found.ns = time(batch, found.ops);
        found.tries += 1;
        if found.ns >= target || found.tries >= 64 {
            return found;
        }
        // Aim a little over the target, but trust a short first batch only so far.
        let factor = (target as f64 * 1.2 / found.ns.max(1) as f64).clamp(1.2, 10.0);
        found.ops = ((found.ops as f64 * factor).ceil() as u64).max(found.ops + 1);
    }
}

/// Nanoseconds that `ops` operations take.
#[inline(never)]
fn time(batch: &mut Batch, ops: u64) -> u64 {
    let start = now_ns();
    batch(ops);
    now_ns() - start
}

/// Median cost of the operation that is subtracted, in nanoseconds.
fn subtraction(overhead: &mut Batch, target: u64, budget: &Budget) -> f64 {
    let ops = calibrate(overhead, target, budget.share(20)).ops;
    let mut samples = [0.0; OVERHEAD_SAMPLES];
    for sample in &mut samples {
        *sample = time(overhead, ops) as f64 / ops as f64;
    }
    samples.sort_by(f64::total_cmp);
    samples[OVERHEAD_SAMPLES / 2]
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

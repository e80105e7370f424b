//! The STREAM family: J. D. McCalpin's four loops over arrays that no cache holds, written afresh.
//!
//! A load of N is N threads, each with its own part of the arrays, which it touches first. An array is
//! four times the last-level cache, as the original asks for, or as much as memory allows (counters
//! `array_bytes` and `cache_bytes` say which). A sample is the rate of one pass by the original's count
//! of bytes, from the start of the first thread to the end of the last; the first pass is not counted
//! and the best is the result. Every array is checked afterwards, element by element.

pub mod add;
pub mod copy;
pub mod scale;
pub mod triad;
pub mod triad_basepage;
pub mod triad_hugepage;

use crate::bench::{Bench, Measured, Own, Refusal};
use crate::budget::{Budget, enough};
use crate::cache;
use crate::clock::now_ns;
use crate::free;
use crate::memory::{Mapping, Pages};
use crate::window::no_thread;
use std::thread;
use tare_proto::{Counter, Unit};

/// An array is this many last-level caches.
const CACHES: u64 = 4;

/// All three arrays take at most this part of the memory that is free.
const SHARE: u64 = 2;

/// The scalar of Scale and Triad.
const SCALAR: f64 = 3.0;

/// The values of the two arrays that are read.
const SOURCES: [f64; 2] = [1.0, 2.0];

/// A row of the family.
const fn row(
    name: &'static str,
    about: &'static str,
    run: fn(&Own) -> Result<Measured, Refusal>,
) -> Bench {
    Bench {
        unit: Unit::BytesPerSecond,
        estimator: "best-1-of-10",
        load: "threads",
        loads: &[0],
        waits: false,
        ..Bench::own(name, about, "stream", run)
    }
}

/// One loop: what it does to a part of the target and of the two sources, arrays that count for it,
/// and what every element of the target is afterwards.
struct Loop {
    pass: fn(&mut [f64], &[f64], &[f64]),
    arrays: u64,
    result: f64,
}

fn measure(own: &Own, kernel: &Loop, pages: Pages) -> Result<Measured, Refusal> {
    let count = elements(own.load)?;
    let mut arrays = [(); 3].map(|()| Mapping::anonymous(count * size_of::<f64>(), pages));
    let [target, one, two] = &mut arrays;
    let mut parts: Vec<Part> = {
        let of = |array| split(array, count / own.load as usize);
        let (target, one, two) = (of(target)?, of(one)?, of(two)?);
        target.zip(one).zip(two).map(|((target, one), two)| Part { target, one, two }).collect()
    };
    together(&mut parts, |part| {
        part.one.fill(SOURCES[0]);
        part.two.fill(SOURCES[1]);
        part.target.fill(0.0);
    })?;
    let budget = Budget::new(now_ns(), own.limit.as_millis() as u64);
    let pass = |part: &mut Part| (kernel.pass)(part.target, part.one, part.two);
    let mut last = together(&mut parts, pass)?;
    let mut samples = Vec::with_capacity(own.samples as usize);
    while !enough(samples.len(), own.samples, &budget, last, now_ns()) {
        (last, _) =
            own.watch.sample(|| Ok::<_, Refusal>((together(&mut parts, pass)?, count as u64)))?;
        samples.push((kernel.arrays * count as u64 * 8) as f64 * 1e9 / last.max(1) as f64);
    }
    let wrong = parts.iter().flat_map(|part| part.target.iter()).find(|x| **x != kernel.result);
    if let Some(wrong) = wrong {
        let right = kernel.result;
        return Err(Refusal::Failed(format!("an element is {wrong}, and should be {right}")));
    }
    let counters = counters(&arrays, count, pages)?;
    Ok(Measured { samples, ops: count as u64, warmup: 1, counters })
}

/// Elements of an array, a multiple of the threads.
fn elements(threads: u32) -> Result<usize, Refusal> {
    let free = free::memory().unwrap_or(256 << 20);
    let bytes = (CACHES * cache::last_level()).min(free / SHARE / 3);
    if bytes < 1 << 20 {
        let why = format!("{} MiB of memory are free, too little for three arrays", free >> 20);
        return Err(Refusal::Unavailable(why));
    }
    // Whole pages for every thread.
    let step = 4096 / size_of::<f64>() * threads as usize;
    Ok((bytes as usize / size_of::<f64>() / step).max(1) * step)
}

/// A thread's part of the three arrays.
struct Part<'a> {
    target: &'a mut [f64],
    one: &'a mut [f64],
    two: &'a mut [f64],
}

fn split(
    array: &mut Result<Mapping, Refusal>,
    part: usize,
) -> Result<std::slice::ChunksMut<'_, f64>, Refusal> {
    match array {
        // SAFETY: any bytes are a number.
        Ok(array) => Ok(unsafe { array.values::<f64>() }.chunks_mut(part)),
        Err(Refusal::Unavailable(why)) => Err(Refusal::Unavailable(why.clone())),
        Err(Refusal::Failed(why)) => Err(Refusal::Failed(why.clone())),
    }
}

/// Does `work` on every part at once; nanoseconds from the first start to the last end.
fn together<'a>(
    parts: &mut [Part<'a>],
    work: impl Fn(&mut Part<'a>) + Sync,
) -> Result<u64, Refusal> {
    let timed = |part: &mut Part<'a>| {
        let start = now_ns();
        work(part);
        (start, now_ns())
    };
    if let [alone] = parts {
        let (start, end) = timed(alone);
        return Ok(end - start);
    }
    thread::scope(|scope| {
        let start = |part| thread::Builder::new().spawn_scoped(scope, || timed(part));
        let threads =
            parts.iter_mut().map(start).collect::<Result<Vec<_>, _>>().map_err(no_thread)?;
        let times: Vec<(u64, u64)> = threads.into_iter().flat_map(|thread| thread.join()).collect();
        let first = times.iter().map(|(start, _)| *start).min().unwrap_or(0);
        let last = times.iter().map(|(_, end)| *end).max().unwrap_or(0);
        Ok(last - first)
    })
}

/// What stands beside the rates; refuses when huge pages were asked for and none were given.
fn counters(
    arrays: &[Result<Mapping, Refusal>; 3],
    count: usize,
    pages: Pages,
) -> Result<Vec<Counter>, Refusal> {
    let huge = arrays.iter().flatten().map(Mapping::huge).sum::<Option<u64>>();
    let array = (count * size_of::<f64>()) as u64;
    if pages == Pages::Huge && huge.unwrap_or(0) < array {
        let why = "huge pages were asked for, and this layer gives none or does not say so";
        return Err(Refusal::Unavailable(why.into()));
    }
    let mut counters = vec![
        Counter::new("array_bytes", array as f64),
        Counter::new("cache_bytes", cache::last_level() as f64),
    ];
    counters
        .extend(huge.map(|huge| Counter::new("huge_page_share", huge as f64 / (3 * array) as f64)));
    Ok(counters)
}

/// c = a.
const COPY: Loop = Loop { pass: |c, a, _| c.copy_from_slice(a), arrays: 2, result: SOURCES[0] };

/// b = 3 c.
const SCALE: Loop = Loop {
    pass: |b, c, _| b.iter_mut().zip(c).for_each(|(b, c)| *b = SCALAR * c),
    arrays: 2,
    result: SCALAR * SOURCES[0],
};

/// c = a + b.
const ADD: Loop = Loop {
    pass: |c, a, b| c.iter_mut().zip(a).zip(b).for_each(|((c, a), b)| *c = a + b),
    arrays: 3,
    result: SOURCES[0] + SOURCES[1],
};

/// a = b + 3 c.
const TRIAD: Loop = Loop {
    pass: |a, b, c| a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + SCALAR * c),
    arrays: 3,
    result: SOURCES[0] + SCALAR * SOURCES[1],
};

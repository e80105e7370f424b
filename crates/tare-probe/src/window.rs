//! Rates: workers repeat an operation, each on its own, for as long as a window of time lasts.
//!
//! A sample is the sum of their rates over one window, each by its own clock: what UnixBench makes
//! of its copies and sysbench of its threads. A worker looks at the clock between chunks that it
//! sizes itself, so nothing but the operation runs in all but a thousandth of the window.

use crate::bench::{Batch, Measured, Op, Own, Refusal};
use crate::budget::Budget;
use crate::caught::panic_text;
use crate::clock::now_ns;
use crate::crew::{Member, Post};
use crate::free;
use crate::sampling::take;
use crate::turns::Turns;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// Most workers: what a probe may start on an untried layer without asking.
const MOST: u32 = 512;

/// A chunk between two looks at the clock lasts about this part of the window.
const CHUNKS: u64 = 100;

/// Numbers of an answer: operations, nanoseconds, and the reason when there are no operations.
const ANSWER: usize = 32;

/// A worker's stack: none of them recurses.
const STACK: usize = 256 << 10;

/// Rates of `own.load` processes that each repeat what `prepare` makes; times [`Op::per`].
pub fn processes(own: &Own, prepare: fn() -> Result<Op, Refusal>) -> Result<Measured, Refusal> {
    bounded(own.load)?;
    free::memory_for(own.load, "copies", free::PROCESS)?;
    let per = prepare()?.per; // what cannot be prepared is known before processes are made
    let crew = (0..own.load)
        .map(|_| Member::start(|post| obey(post, prepare)))
        .collect::<Result<Vec<_>, _>>()?;
    let measured = windows(own, |ns| {
        crew.iter().try_for_each(|worker| worker.order([ns]))?;
        let answers = crew.iter().map(did).collect::<Result<Vec<Did>, _>>()?;
        let rate = answers.iter().map(|did| did.rate()).sum::<f64>() * per;
        Ok((rate, operations(&answers)))
    })?;
    crew.into_iter().rev().for_each(Member::finish);
    Ok(measured)
}

/// Rates of one thread for each of `states`, which repeats `work` on it; `work` does as many
/// operations as it is told to.
pub fn threads<S: Send>(
    own: &Own,
    states: Vec<S>,
    work: impl Fn(&mut S, u64) + Sync,
) -> Result<Measured, Refusal> {
    bounded(own.load)?;
    let mut states: Vec<(S, u64)> = states.into_iter().map(|state| (state, 1)).collect();
    windows(own, |ns| {
        let work = &work;
        thread::scope(|scope| {
            let running: Result<Vec<_>, Refusal> = states
                .iter_mut()
                .map(|(state, chunk)| {
                    let turn = move || fill(|n| work(state, n), chunk, ns);
                    thread::Builder::new()
                        .stack_size(STACK)
                        .spawn_scoped(scope, turn)
                        .map_err(no_thread)
                })
                .collect();
            let did: Vec<Did> = running?
                .into_iter()
                .map(|thread| thread.join().map_err(|panic| Refusal::Failed(panic_text(&*panic))))
                .collect::<Result<_, _>>()?;
            Ok((did.iter().map(Did::rate).sum(), operations(&did)))
        })
    })
}

/// A thread that cannot be had is this layer's limit.
pub fn no_thread(error: std::io::Error) -> Refusal {
    Refusal::Unavailable(format!("no thread: {error}"))
}

fn bounded(load: u32) -> Result<(), Refusal> {
    if load > MOST {
        return Err(Refusal::Unavailable(format!("a load of {load} is more than {MOST}")));
    }
    Ok(())
}

/// As many windows as are wanted after one that warms up; `one` gives a window's rate and the
/// operations in it.
fn windows(
    own: &Own,
    mut one: impl FnMut(u64) -> Result<(f64, u64), Refusal>,
) -> Result<Measured, Refusal> {
    let limit = own.limit.as_nanos() as u64;
    let budget = Budget::new(now_ns(), own.limit.as_millis() as u64);
    let ns = (limit / (u64::from(own.samples) + 1)).max(1);
    one(ns)?;
    // The watch waits for turns, none of which begins cold: a window is long.
    let taken = take(own.samples, &budget, &Turns::none(), || own.watch.sample(|| one(ns)))?;
    let ops = taken.last().map_or(0, |(_, ops)| *ops);
    let samples = taken.into_iter().map(|(rate, _)| rate).collect();
    Ok(Measured { samples, ops, warmup: 1, ..Measured::default() })
}

/// What one worker did in a window.
#[derive(Clone, Copy)]
struct Did {
    ops: u64,
    ns: u64,
}

impl Did {
    /// Operations per second.
    fn rate(&self) -> f64 {
        self.ops as f64 * 1e9 / self.ns.max(1) as f64
    }
}

/// Operations of all workers in a window.
fn operations(all: &[Did]) -> u64 {
    all.iter().map(|did| did.ops).sum()
}

/// Repeats `batch` until `window` nanoseconds are over, in chunks that follow its speed.
fn fill(mut batch: impl FnMut(u64), chunk: &mut u64, window: u64) -> Did {
    let begin = now_ns();
    let mut ops = 0;
    let mut last = begin;
    loop {
        batch(*chunk);
        ops += *chunk;
        let now = now_ns();
        if now - begin >= window {
            return Did { ops, ns: now - begin };
        }
        let took = now - last;
        let wanted = window / CHUNKS;
        if took < wanted / 2 {
            *chunk *= 2;
        } else if took > wanted * 2 {
            *chunk = (*chunk / 2).max(1);
        }
        last = now;
    }
}

/// What a worker has done in its window, once that is over.
fn did(worker: &Member) -> Result<Did, Refusal> {
    let answer: [u64; ANSWER] = worker.answer()?;
    match answer {
        [0, _, why @ ..] => {
            let why: Vec<u8> = why.iter().flat_map(|number| number.to_ne_bytes()).collect();
            let why = String::from_utf8_lossy(&why);
            Err(Refusal::Failed(why.trim_end_matches('\0').to_owned()))
        }
        [ops, ns, ..] => Ok(Did { ops, ns }),
    }
}

/// A worker: fills windows when it is told to.
fn obey(post: &Post, prepare: fn() -> Result<Op, Refusal>) -> i32 {
    let mut ready: Result<Batch, String> = match prepare() {
        Ok(mut op) => op.terms.pop().map(|term| term.batch).ok_or_else(|| "no operation".into()),
        Err(refusal) => Err(refusal.to_string()),
    };
    let mut chunk = 1;
    while let Some([window]) = post.order() {
        let filled = ready.as_mut().map_err(|why| why.clone()).and_then(|batch| {
            catch_unwind(AssertUnwindSafe(|| fill(batch, &mut chunk, window)))
                .map_err(|panic| panic_text(&*panic))
        });
        if post.answer(answer(filled)).is_none() {
            return 0;
        }
    }
    0
}

fn answer(filled: Result<Did, String>) -> [u64; ANSWER] {
    let mut answer = [0; ANSWER];
    match filled {
        Ok(did) => [answer[0], answer[1]] = [did.ops, did.ns],
        Err(why) => {
            for (number, bytes) in answer[2..].iter_mut().zip(why.as_bytes().chunks(8)) {
                let mut whole = [0; 8];
                whole[..bytes.len()].copy_from_slice(bytes);
                *number = u64::from_ne_bytes(whole);
            }
        }
    }
    answer
}

//! Rates: workers repeat an operation, each on its own, for as long as a window of time lasts.
//!
//! A sample is the sum of their rates over one window, each by its own clock: what UnixBench makes
//! of its copies and sysbench of its threads. A worker looks at the clock between chunks that it
//! sizes itself, so nothing but the operation runs in all but a thousandth of the window.

use crate::bench::{Batch, Measured, Op, Own, Refusal};
use crate::clock::now_ns;
use crate::free;
use crate::harness::{Budget, enough, panic_text};
use crate::process::Child;
use crate::sys::pipe;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// Most workers: what a probe may start on an untried layer without asking.
const MOST: u32 = 512;

/// A chunk between two looks at the clock lasts about this part of the window.
const CHUNKS: u64 = 100;

/// Bytes of an answer: operations, nanoseconds, and the reason when there are no operations.
const ANSWER: usize = 256;

/// A worker's stack: none of them recurses.
const STACK: usize = 256 << 10;

/// Rates of `own.load` processes that each repeat what `prepare` makes; times [`Op::per`].
pub fn processes(own: &Own, prepare: fn() -> Result<Op, Refusal>) -> Result<Measured, Refusal> {
    bounded(own.load)?;
    free::memory_for(own.load, "copies", free::PROCESS)?;
    let per = prepare()?.per; // what cannot be prepared is known before processes are made
    let crew = (0..own.load).map(|_| Worker::start(prepare)).collect::<Result<Vec<_>, _>>()?;
    let measured = windows(own, |ns| {
        crew.iter().try_for_each(|worker| worker.begin(ns))?;
        let answers = crew.iter().map(Worker::end).collect::<Result<Vec<Did>, _>>()?;
        let rate = answers.iter().map(|did| did.rate()).sum::<f64>() * per;
        Ok((rate, operations(&answers)))
    })?;
    // The last first: every worker holds the writing ends of those before it.
    crew.into_iter().rev().for_each(Worker::finish);
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
    let mut measured = Measured { warmup: 1, ..Measured::default() };
    one(ns)?;
    let mut last = 0;
    while !enough(measured.samples.len(), own.samples, &budget, last) {
        let start = now_ns();
        let (rate, ops) = own.watch.sample(|| one(ns))?;
        measured.samples.push(rate);
        measured.ops = ops;
        last = now_ns() - start;
    }
    Ok(measured)
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
    let (mut ops, mut last) = (0, begin);
    loop {
        batch(*chunk);
        ops += *chunk;
        let now = now_ns();
        if now - begin >= window {
            return Did { ops, ns: now - begin };
        }
        let (took, wanted) = (now - last, window / CHUNKS);
        if took < wanted / 2 {
            *chunk *= 2;
        } else if took > wanted * 2 {
            *chunk = (*chunk / 2).max(1);
        }
        last = now;
    }
}

/// A process that fills windows when it is told to. Dropping it kills it.
struct Worker {
    orders: File,
    answers: File,
    process: Child,
}

impl Worker {
    fn start(prepare: fn() -> Result<Op, Refusal>) -> Result<Worker, Refusal> {
        let ((theirs, orders), (answers, told)) = (pipe()?, pipe()?);
        let (orders, answers) = (File::from(orders), File::from(answers));
        let process = Child::start(|| {
            // SAFETY: this process has its own copy of the descriptor, which it does not use:
            // the end of the orders must be seen when the parent closes its own.
            unsafe { libc::close(orders.as_raw_fd()) };
            obey(theirs.into(), told.into(), prepare)
        })?;
        Ok(Worker { orders, answers, process })
    }

    fn begin(&self, window: u64) -> Result<(), Refusal> {
        Ok((&self.orders).write_all(&window.to_ne_bytes())?)
    }

    fn end(&self) -> Result<Did, Refusal> {
        let mut answer = [0; ANSWER];
        let read = (&self.answers).read_exact(&mut answer);
        read.map_err(|_| Refusal::Failed("a copy ended early".into()))?;
        let number = |at: usize| u64::from_ne_bytes(std::array::from_fn(|i| answer[at + i]));
        match (number(0), number(8)) {
            (0, _) => {
                let why = String::from_utf8_lossy(&answer[16..]);
                Err(Refusal::Failed(why.trim_end_matches('\0').to_owned()))
            }
            (ops, ns) => Ok(Did { ops, ns }),
        }
    }

    /// Lets it end by itself, with its files removed.
    fn finish(self) {
        drop(self.orders);
        let _ = self.process.finish(); // what it had to say, it said
    }
}

fn obey(mut orders: File, mut answers: File, prepare: fn() -> Result<Op, Refusal>) -> i32 {
    let mut ready: Result<Batch, String> = match prepare() {
        Ok(mut op) => op.terms.pop().map(|term| term.batch).ok_or_else(|| "no operation".into()),
        Err(refusal) => Err(refusal.to_string()),
    };
    let (mut chunk, mut order) = (1, [0; 8]);
    while orders.read_exact(&mut order).is_ok() {
        let window = u64::from_ne_bytes(order);
        let filled = ready.as_mut().map_err(|why| why.clone()).and_then(|batch| {
            catch_unwind(AssertUnwindSafe(|| fill(batch, &mut chunk, window)))
                .map_err(|panic| panic_text(&*panic))
        });
        if answers.write_all(&answer(filled)).is_err() {
            return 0;
        }
    }
    0
}

fn answer(filled: Result<Did, String>) -> [u8; ANSWER] {
    let mut answer = [0; ANSWER];
    match filled {
        Ok(did) => {
            answer[..8].copy_from_slice(&did.ops.to_ne_bytes());
            answer[8..16].copy_from_slice(&did.ns.to_ne_bytes());
        }
        Err(why) => {
            let text = &why.as_bytes()[..why.len().min(ANSWER - 16)];
            answer[16..16 + text.len()].copy_from_slice(text);
        }
    }
    answer
}

//! The load itself: a queue that is kept full, cut into samples of equal time.

use super::Job;
use super::buffers::Buffers;
use super::choice;
use super::engine::{Done, Engine};
use super::target::Disk;
use crate::bench::{Measured, Own, Refusal};
use crate::clock::now_ns;
use crate::latency::Latencies;
use crate::numbers;
use crate::slices::Slices;
use tare_proto::Counter;

/// Deepest queue.
const DEEPEST: u32 = 64;

/// Which block comes next.
struct Places {
    blocks: u64,
    block: u64,
    next: u64,
    random: Option<u64>,
}

impl Places {
    fn next(&mut self) -> u64 {
        let at = match &mut self.random {
            Some(state) => numbers::next(state) % self.blocks,
            None => {
                let following = (self.next + 1) % self.blocks;
                std::mem::replace(&mut self.next, following)
            }
        };
        at * self.block
    }
}

/// Measures `job` with `own.load` requests at once.
pub fn run(own: &Own, job: &Job) -> Result<Measured, Refusal> {
    if own.load > DEEPEST {
        let why = format!("a queue of {} is deeper than {DEEPEST}", own.load);
        return Err(Refusal::Unavailable(why));
    }
    let depth = own.load as usize;
    let disk = Disk::open(job.write)?;
    let mut buffers = Buffers::new(depth, job.block);
    let engine = choice::choose(&disk, job, &mut buffers, depth)?;
    let block = job.block as u64;
    let random = job.random.then_some(0x2545_f491_4f6c_dd1d);
    let places = Places { blocks: disk.bytes / block, block, next: 0, random };
    let (started, done) = (vec![0; depth], Vec::new());
    let before = disk.requests();
    let queue = Queue { engine, places, started, under_way: 0, job: *job, done };
    let (mut measured, asked) = queue.run(own)?;
    // A disk in memory is a device that counts nothing.
    if let (Some(before), Some(after @ 1..)) = (before, disk.requests()) {
        let each = after.saturating_sub(before) as f64 / asked as f64;
        measured.counters.push(Counter::new("device_requests", each));
    }
    Ok(measured)
}

struct Queue {
    engine: Box<dyn Engine>,
    places: Places,
    started: Vec<u64>,
    under_way: usize,
    job: Job,
    done: Vec<Done>,
}

impl Queue {
    /// What was measured, and how many requests were made in all.
    fn run(mut self, own: &Own) -> Result<(Measured, u64), Refusal> {
        let mut latencies = Latencies::new();
        let (mut requests, block) = (0u64, self.job.block as u64);
        let value = if self.job.random { 1 } else { block };
        let mut slices = Slices::begin(own, value);
        (0..self.started.len()).try_for_each(|slot| self.start(slot))?;
        while !slices.full() {
            let (warm, mut ended) = (slices.warm(), 0);
            let now = self.next(|ns| {
                ended += 1;
                if warm {
                    latencies.add(ns);
                }
            })?;
            requests += ended;
            slices.add(ended * value, now);
        }
        requests += self.finish()?;
        let (_, samples) = slices.end();
        let mut counters = latencies.counters();
        counters.push(Counter::new(&format!("engine/{}", self.engine.name()), 1.0));
        counters.push(Counter::new("bytes", (requests * block) as f64));
        let ops = requests / (samples.len() as u64 + 1);
        Ok((Measured { ops, samples, warmup: 1, counters }, requests))
    }

    fn start(&mut self, slot: usize) -> Result<(), Refusal> {
        let place = self.places.next();
        self.started[slot] = now_ns();
        self.engine.push(slot, place)?;
        self.under_way += 1;
        Ok(())
    }

    /// Waits, gives each latency to `ended`, and starts as many requests as have ended. The time.
    fn next(&mut self, mut ended: impl FnMut(u64)) -> Result<u64, Refusal> {
        let mut done = std::mem::take(&mut self.done);
        self.engine.wait(&mut done)?;
        let now = now_ns();
        self.under_way -= done.len();
        for (slot, result) in done.drain(..) {
            self.check(result)?;
            ended(now.saturating_sub(self.started[slot]));
            self.start(slot)?;
        }
        self.done = done;
        Ok(now)
    }

    /// Waits for what is under way; how many requests that were.
    fn finish(&mut self) -> Result<u64, Refusal> {
        let mut done = Vec::new();
        while self.under_way > done.len() {
            self.engine.wait(&mut done)?;
        }
        self.under_way = 0;
        done.iter().try_for_each(|(_, result)| self.check(*result))?;
        Ok(done.len() as u64)
    }

    fn check(&self, result: i64) -> Result<(), Refusal> {
        let what = if self.job.write { "write" } else { "read" };
        match result {
            bytes if bytes == self.job.block as i64 => Ok(()),
            error if error < 0 => {
                let error = std::io::Error::from_raw_os_error(-error as i32);
                Err(Refusal::Failed(format!("a {what}: {error}")))
            }
            bytes => {
                Err(Refusal::Failed(format!("a {what} of {} bytes did {bytes}", self.job.block)))
            }
        }
    }
}

/// Buffers must not go while the disk still uses them, whatever has failed.
impl Drop for Queue {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

//! What a visit measures beside neighbours: one layer does some work alone, beside others of its kind that are idle, and beside the
//! same while these are busy. The values are how many times as long the work takes.

use super::crowd::Crowd;
use super::start::{Failed, Starter, Up};
use super::visit::{Done, Interrupted, Visit};
use crate::plan::sandbox_benches::{BUSY, IDLE};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tare_proto::{Better, Request, at_load};
use tare_store::Neighbours;

/// The work is measured for so long each time, in batches that hold many of the scheduler's turns together.
const WORK_MS: u64 = 300;
const SAMPLES: u32 = 20;
const BATCH_NS: u64 = 5_000_000;

/// A busy neighbour is asked again and again for so long each time.
const BUSY_MS: u64 = 200;

/// Time for busy neighbours to be at it.
const SETTLE: Duration = Duration::from_millis(100);

/// Neighbours that are busy for longer stop by themselves.
const LONGEST: Duration = Duration::from_secs(60);

/// What the work took, each time.
struct Times {
    alone: [f64; 2],
    idle: f64,
    busy: f64,
}

impl Visit {
    /// Measures the work of one layer beside `count` others.
    pub(super) fn beside(
        &mut self,
        count: u32,
        work: Option<&Neighbours>,
        starter: &Starter,
        number: &mut dyn FnMut() -> u32,
    ) -> Done {
        let rows = [IDLE, BUSY].map(|row| at_load(row, count));
        let room = self.room(count + 1);
        let possible =
            room.and_then(|()| work.ok_or_else(|| "no workload given (--beside)".to_owned()));
        let work = match possible {
            Ok(work) => work,
            Err(why) => {
                rows.iter().for_each(|row| self.ledger.lacks(row, &why));
                return Ok(());
            }
        };
        let [idle, busy] = &rows;
        let Some(mut one) = self.up(idle, starter, number())? else {
            self.ledger.failed(busy, self.why.clone());
            return Ok(());
        };
        if let Some((told_idle, told_busy)) = one.session.told(idle).zip(one.session.told(busy)) {
            self.ledger.add(idle, told_idle);
            self.ledger.add(busy, told_busy);
            self.left.extend(one.stop().left);
            return Ok(());
        }
        let numbers: Vec<u32> = (0..count).map(|_| number()).collect();
        let times = measured(&mut one, work, starter, &numbers, &mut self.left);
        self.left.extend(one.stop().left);
        match times {
            Ok(times) => self.note(&rows, work, &times),
            Err(Failed::Interrupted) => return Err(Interrupted),
            Err(Failed::Start(why)) => {
                rows.iter().for_each(|row| self.ledger.failed(row, why.clone()));
            }
        }
        Ok(())
    }

    fn note(&mut self, rows: &[String; 2], work: &Neighbours, times: &Times) {
        let alone = (times.alone[0] + times.alone[1]) / 2.0;
        for (row, beside) in rows.iter().zip([times.idle, times.busy]) {
            self.ledger.add(row, as_long(work.better, alone, beside));
            self.ledger.count(row, "alone", alone);
            self.ledger.count(row, "beside", beside);
        }
    }
}

/// Measures the work of `one` before, beside and after neighbours, in that order, so that what drifts cancels. What is not removed
/// of these goes to `left`.
fn measured(
    one: &mut Up,
    work: &Neighbours,
    starter: &Starter,
    numbers: &[u32],
    left: &mut Vec<String>,
) -> Result<Times, Failed> {
    let mut time = || one.work(work.measured.raw());
    let before = time()?;
    let mut crowd = Crowd::start(starter, numbers).map_err(|Interrupted| Failed::Interrupted)?;
    let beside = match crowd.failed.first() {
        Some(why) => Err(Failed::Start(format!("a neighbour did not start: {why}"))),
        None => {
            time().and_then(|idle| Ok((idle, busily(&mut crowd.up, work.busy.raw(), &mut time)?)))
        }
    };
    left.extend(crowd.stop().into_iter().flat_map(|stopped| stopped.left));
    let (idle, busy) = beside?;
    Ok(Times { alone: [before, time()?], idle, busy })
}

/// What `measure` gives while `neighbours` are busy with `bench`.
fn busily(
    neighbours: &mut [Up],
    bench: &str,
    measure: &mut dyn FnMut() -> Result<f64, Failed>,
) -> Result<f64, Failed> {
    let over = AtomicBool::new(false);
    let until = Instant::now() + LONGEST;
    let busy = |up: &mut Up| -> Result<(), Failed> {
        while !over.load(Ordering::Relaxed) && Instant::now() < until {
            up.ask(bench, BUSY_MS)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let busy = &busy;
        let working: Vec<_> =
            neighbours.iter_mut().map(|up| scope.spawn(move || busy(up))).collect();
        thread::sleep(SETTLE);
        let done = measure();
        over.store(true, Ordering::Relaxed);
        for neighbour in working {
            let panicked = |_| Err(Failed::Start("tare failed to keep it busy".into()));
            match neighbour.join().unwrap_or_else(panicked) {
                Err(Failed::Start(why)) => {
                    return Err(Failed::Start(format!(
                        "a neighbour that should run {bench} failed: {why}"
                    )));
                }
                other => other?,
            }
        }
        done
    })
}

impl Up {
    /// What the work takes, in the unit of its benchmark: the mean, since what neighbours take comes in bursts.
    fn work(&mut self, bench: &str) -> Result<f64, Failed> {
        let request = Request {
            id: 1,
            bench: bench.to_owned(),
            samples: SAMPLES,
            batch_ns: BATCH_NS,
            limit_ms: WORK_MS,
            ..Request::default()
        };
        let samples = self.samples(&request)?;
        Ok(samples.iter().sum::<f64>() / samples.len() as f64)
    }
}

/// How many times as long the work takes `beside` neighbours as `alone`.
fn as_long(better: Better, alone: f64, beside: f64) -> f64 {
    match better {
        Better::Lower => beside / alone,
        Better::Higher => alone / beside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_rate_is_twice_as_long() {
        assert_eq!(as_long(Better::Higher, 100.0, 50.0), 2.0);
        assert_eq!(as_long(Better::Lower, 10.0, 15.0), 1.5);
    }
}

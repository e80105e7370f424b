//! Many starts at once.

use super::start::{Failed, Starter, Stopped, Up};
use std::sync::Barrier;
use std::thread;

/// What came of them.
pub(crate) struct Crowd {
    /// The layers that have greeted.
    pub up: Vec<Up>,
    /// Why the others have not.
    pub failed: Vec<String>,
}

/// The campaign is interrupted; what had been started has been ended.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl Crowd {
    /// Starts a layer for each of `numbers`, all at the same moment, and waits until each has greeted or failed.
    pub fn start(starter: &Starter, numbers: &[u32]) -> Result<Crowd, Interrupted> {
        Crowd::start_as(starter, numbers, &|number| starter.start_now(number))
    }

    /// The same with layers that start in another way.
    pub fn start_as(
        starter: &Starter,
        numbers: &[u32],
        start: &(dyn Fn(u32) -> Result<Up, Failed> + Sync),
    ) -> Result<Crowd, Interrupted> {
        let gate = Barrier::new(numbers.len());
        let prepared = starter.prepare(numbers.len());
        let one = |number: u32| {
            gate.wait();
            start(number)
        };
        if let Err(Failed::Start(why)) = prepared {
            return Ok(Crowd { up: Vec::new(), failed: vec![why; numbers.len()] });
        }
        let came: Vec<Result<Up, Failed>> = thread::scope(|scope| {
            let one = &one;
            let running: Vec<_> =
                numbers.iter().map(|&number| scope.spawn(move || one(number))).collect();
            let panicked = |_| Err(Failed::Start("tare failed to start it".into()));
            running.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        });
        let mut crowd = Crowd { up: Vec::new(), failed: Vec::new() };
        let mut interrupted = false;
        for one in came {
            match one {
                Ok(up) => crowd.up.push(up),
                Err(Failed::Start(why)) => crowd.failed.push(why),
                Err(Failed::Interrupted) => interrupted = true,
            }
        }
        if interrupted { Err(Interrupted) } else { Ok(crowd) }
    }

    /// Starts a second; `None` when none has greeted.
    pub fn rate(&self) -> Option<f64> {
        rate(&self.up.iter().map(|up| up.start_ns).collect::<Vec<_>>())
    }

    /// Ends all at once.
    pub fn stop(self) -> Vec<Stopped> {
        thread::scope(|scope| {
            let ending: Vec<_> =
                self.up.into_iter().map(|up| scope.spawn(move || up.stop())).collect();
            ending.into_iter().filter_map(|thread| thread.join().ok()).collect()
        })
    }
}

/// Starts a second, of those that took these nanoseconds and began together: all of them in the time of the slowest.
fn rate(starts_ns: &[f64]) -> Option<f64> {
    let slowest = starts_ns.iter().copied().fold(0.0, f64::max);
    (slowest > 0.0).then(|| starts_ns.len() as f64 * 1e9 / slowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_all_until_the_slowest() {
        assert_eq!(rate(&[2e8, 5e8, 4e8, 1e8]), Some(8.0));
        assert_eq!(rate(&[]), None);
    }
}

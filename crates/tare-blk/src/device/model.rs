//! A device of limited speed, by arithmetic: when it would have answered.

use super::{Begun, Device, Io};
use crate::settings::Model;
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a modelled device does when, shared by its queues. Times are in nanoseconds.
#[derive(Debug)]
pub struct Timeline {
    model: Model,
    /// When each request that is being served will have been.
    busy: BinaryHeap<Reverse<u64>>,
    /// When the bus will be free.
    bus: u64,
}

impl Timeline {
    /// A device that has nothing to do.
    pub fn new(model: Model) -> Self {
        Self { model, busy: BinaryHeap::new(), bus: 0 }
    }

    /// When a request of `bytes` bytes that is made now will have been answered.
    pub fn end(&mut self, now: u64, bytes: u32) -> u64 {
        while self.busy.peek().is_some_and(|end| end.0 <= now) {
            self.busy.pop();
        }
        let mut start = now;
        if self.busy.len() >= self.model.depth as usize {
            // It waits for the first of those before it.
            start = self.busy.pop().map_or(now, |end| end.0);
        }
        let transfer = u128::from(bytes) * 1_000_000_000 / u128::from(self.model.bandwidth);
        let end = (start + self.model.latency).max(self.bus) + transfer as u64;
        self.bus = end;
        self.busy.push(Reverse(end));
        end
    }
}

pub struct Modelled {
    line: Arc<Mutex<Timeline>>,
    ends: BinaryHeap<Reverse<(u64, u32)>>,
    timer: TimerFd,
    armed: Option<u64>,
}

impl Modelled {
    /// A queue of the device that `line` describes.
    pub fn new(line: Arc<Mutex<Timeline>>) -> io::Result<Self> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        Ok(Self { line, ends: BinaryHeap::new(), timer, armed: None })
    }
}

impl Device for Modelled {
    unsafe fn begin(&mut self, token: u32, io: &Io<'_>) -> Begun {
        let Ok(now) = now() else { return Begun::Done(false) };
        let end = self.line.lock().unwrap_or_else(PoisonError::into_inner).end(now, io.bytes);
        self.ends.push(Reverse((end, token)));
        Begun::Later
    }

    fn flush(&mut self) -> io::Result<()> {
        let first = self.ends.peek().map(|end| end.0.0);
        if first.is_some() && first != self.armed {
            let at = TimeSpec::from_duration(Duration::from_nanos(first.unwrap_or(0)));
            self.timer.set(Expiration::OneShot(at), TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
            self.armed = first;
        }
        Ok(())
    }

    fn finished(&mut self, into: &mut Vec<(u32, bool)>) -> io::Result<()> {
        let now = now()?;
        while let Some(&Reverse((end, token))) = self.ends.peek()
            && end <= now
        {
            self.ends.pop();
            into.push((token, true));
        }
        if self.armed.is_some_and(|at| at <= now) {
            // Setting it again also takes back that it has run out.
            self.armed = None;
            self.timer.unset()?;
        }
        self.flush()
    }

    fn event(&self) -> Option<BorrowedFd<'_>> {
        Some(self.timer.as_fd())
    }
}

fn now() -> io::Result<u64> {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC)?;
    Ok(Duration::from(time).as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(depth: u32) -> Timeline {
        Timeline::new(Model { bandwidth: 1_000_000_000, latency: 1_000, depth })
    }

    #[test]
    fn a_single_request_takes_its_latency_and_its_bytes() {
        assert_eq!(line(8).end(50, 4096), 50 + 1_000 + 4096);
    }

    #[test]
    fn latencies_overlap_and_the_bus_does_not() {
        let mut line = line(8);
        let ends: Vec<u64> = (0..4).map(|_| line.end(0, 500)).collect();
        assert_eq!(ends, [1_500, 2_000, 2_500, 3_000]);
    }

    #[test]
    fn more_requests_than_the_depth_wait_for_those_before_them() {
        let mut line = line(2);
        let ends: Vec<u64> = (0..4).map(|_| line.end(0, 100)).collect();
        assert_eq!(ends, [1_100, 1_200, 2_200, 2_300]);
        assert_eq!(line.end(10_000, 100), 11_100, "and a later one for nobody");
    }
}

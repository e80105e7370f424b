//! The one clock that times batches, and what it can resolve.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tare_proto::{Counter, counter};

/// A monotonic clock in nanoseconds since an arbitrary origin (`CLOCK_MONOTONIC`).
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the kernel (or vDSO) to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// When the probe's first instructions ran, by the same clock; 0 before [`note_main`].
static MAIN_NS: AtomicU64 = AtomicU64::new(0);

/// Notes that the probe's first instructions run now.
pub fn note_main() {
    MAIN_NS.store(now_ns(), Ordering::Relaxed);
}

/// When they ran.
pub fn main_ns() -> u64 {
    MAIN_NS.load(Ordering::Relaxed)
}

/// What the clock can tell apart, measured: `(smallest step, cost of one reading)` in nanoseconds.
pub fn resolution() -> (u64, f64) {
    const READINGS: u32 = 2000;
    let start = Instant::now();
    let mut step = u64::MAX;
    let mut last = now_ns();
    for _ in 0..READINGS {
        let now = now_ns();
        if now > last {
            step = step.min(now - last);
        }
        last = now;
    }
    let cost = start.elapsed().as_nanos() as f64 / f64::from(READINGS);
    (if step == u64::MAX { 0 } else { step }, cost)
}

/// CPU time of this process and of its children that have been waited for.
pub struct CpuTime {
    user: Duration,
    system: Duration,
}

impl CpuTime {
    /// What has been used so far.
    pub fn now() -> CpuTime {
        let [own, children] = [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN].map(|whose| {
            let mut usage = MaybeUninit::<libc::rusage>::zeroed();
            // SAFETY: `usage` is a valid place to write to.
            unsafe { libc::getrusage(whose, usage.as_mut_ptr()) };
            // SAFETY: zeroed bytes are a valid `rusage`, and the kernel has filled it since.
            unsafe { usage.assume_init() }
        });
        CpuTime {
            user: duration(own.ru_utime) + duration(children.ru_utime),
            system: duration(own.ru_stime) + duration(children.ru_stime),
        }
    }

    /// The CPUs that were busy in user and in kernel mode since then, on average over `elapsed_ns`.
    pub fn shares_since(&self, elapsed_ns: u64) -> [Counter; 2] {
        let now = CpuTime::now();
        let share = |now: Duration, then: Duration| {
            now.saturating_sub(then).as_nanos() as f64 / elapsed_ns.max(1) as f64
        };
        [
            Counter::new(counter::CPU_USER, share(now.user, self.user)),
            Counter::new(counter::CPU_SYSTEM, share(now.system, self.system)),
        ]
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::from_micros(time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64)
}

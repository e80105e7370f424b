//! Layers that are alive and idle: what they take of the host.

use super::start::Up;
use crate::host::memory::HostMemory;
use crate::plan::sandbox_benches::{IDLE_CPU, MEMORY, PSS};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};
use tare_layers::Processes;
use tare_proto::Counter;

/// How long layers are left alone before they are looked at, and how long they are watched.
pub(crate) const SETTLE: Duration = Duration::from_millis(200);
pub(crate) const WATCH: Duration = Duration::from_secs(1);

/// How often the host shall have looked for equal pages, and how long that is waited for.
const SCANS: u64 = 3;
const MERGE: Duration = Duration::from_secs(20);

/// So many layers alive, and what they have taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub alive: usize,
    /// What the host's available memory lost, without what tare's keepers hold, in bytes.
    pub lost: f64,
    /// Proportional memory of all their processes, in bytes.
    pub pss: f64,
}

/// What layers take, or why nobody knows.
pub(crate) struct Taken {
    pub point: Result<Point, String>,
    /// CPU time that each took in a second of doing nothing, in nanoseconds; `None` where nobody watched or nobody knows.
    pub idle_ns: Option<f64>,
    pub counters: Vec<Counter>,
    /// A script says it.
    pub scripted: bool,
}

impl Taken {
    /// The same when these layers have gone: what the host had `before` them it should have again. Where it has not, something else
    /// has taken or given memory meanwhile, half of it before it was looked at.
    pub fn after(mut self, before: Option<HostMemory>) -> Taken {
        if self.scripted {
            return self;
        }
        thread::sleep(SETTLE);
        if let (Ok(point), Some((before, back))) = (&mut self.point, before.zip(HostMemory::now()))
        {
            point.lost -= drift(before.available, back.available);
        }
        self
    }
}

/// The memory that others have taken until halfway between two moments.
fn drift(before: f64, after: f64) -> f64 {
    (before - after) / 2.0
}

/// Looks at layers that are `up`, with the host's memory as it was `before` the first of them.
pub(crate) fn look(up: &[Up], before: Option<HostMemory>, watch: bool) -> Taken {
    let mut counters = Vec::new();
    if let Some(point) = scripted(up) {
        let idle_ns = up.first().and_then(|up| up.session.told(IDLE_CPU)).filter(|_| watch);
        return Taken { point: Ok(point), idle_ns, counters, scripted: true };
    }
    thread::sleep(SETTLE);
    if up.iter().any(|up| up.session.merged()) {
        counters.push(Counter::new("ksm_scans", merged(full_scans)));
    }
    let now = Processes::now();
    let after = HostMemory::now();
    let pss: Option<u64> = up.iter().map(|up| up.session.proportional(&now)).sum();
    let point = match (before.zip(after), pss) {
        (Some((before, after)), Some(pss)) if pss > 0 => {
            let each = |of: fn(&HostMemory) -> f64| (of(&after) - of(&before)) / up.len() as f64;
            counters.push(Counter::new("page_tables", each(|memory| memory.page_tables)));
            counters.push(Counter::new("slab", each(|memory| memory.slab)));
            counters.push(Counter::new("shared", each(|memory| memory.shared)));
            let keepers: u64 = up.iter().map(|up| up.session.keeper_bytes()).sum();
            counters.push(Counter::new("keeper", keepers as f64 / up.len() as f64));
            let lost = before.available - after.available - keepers as f64;
            Ok(Point { alive: up.len(), lost, pss: pss as f64 })
        }
        (None, _) => Err("this host does not say what memory is available".into()),
        _ => Err(why_unknown(up)),
    };
    let mut idle_ns = None;
    if watch && point.is_ok() {
        let (cpu, wakeups) = idle(up);
        counters.extend(cpu.map(|share| Counter::new("idle_cpu", 100.0 * share)));
        counters.extend(wakeups.map(|each| Counter::new("idle_wakeups", each)));
        idle_ns = cpu.map(|share| 1e9 * share);
    }
    Taken { point, idle_ns, counters, scripted: false }
}

/// How often the host looks through all pages that it may merge, from now on, until that is enough or the time is over: it merges a
/// page that it has found unchanged, and the scan that goes on has begun before.
fn merged(scans: fn() -> Option<u64>) -> f64 {
    let (begin, Some(before)) = (Instant::now(), scans()) else { return 0.0 };
    loop {
        let done = scans().unwrap_or(before).saturating_sub(before);
        if done >= SCANS || begin.elapsed() >= MERGE {
            return done as f64;
        }
        thread::sleep(SETTLE);
    }
}

/// How often the host has looked through all pages that it may merge.
fn full_scans() -> Option<u64> {
    fs::read_to_string("/sys/kernel/mm/ksm/full_scans").ok()?.trim().parse().ok()
}

fn why_unknown(up: &[Up]) -> String {
    let why = up.first().and_then(|up| up.session.out_of_sight());
    why.unwrap_or("it has no processes on this host that this user can read").to_owned()
}

/// The sums of what scripted layers say that they take.
fn scripted(up: &[Up]) -> Option<Point> {
    let sum = |row| up.iter().map(|up| up.session.told(row)).sum::<Option<f64>>();
    let lost = sum(MEMORY)?;
    let pss = sum(PSS)?;
    (!up.is_empty()).then_some(Point { alive: up.len(), lost, pss })
}

/// The share of a CPU that each layer takes while it has nothing to do, and how often it wakes up a second.
pub(crate) fn idle(up: &[Up]) -> (Option<f64>, Option<f64>) {
    let used = || {
        let now = Processes::now();
        let ran: Option<Duration> = up.iter().map(|up| up.session.cpu_time(&now)).sum();
        let waits = up.iter().map(|up| Some(up.session.threads_and_waits(&now)?.1));
        (Instant::now(), ran, waits.sum::<Option<u64>>())
    };
    let (begin, ran, waits) = used();
    thread::sleep(WATCH);
    let (end, ran_since, waits_since) = used();
    let of_each = up.len() as f64 * (end - begin).as_secs_f64();
    let share = |(before, after): (Duration, Duration)| after.saturating_sub(before).as_secs_f64();
    let wakeups = |(before, after): (u64, u64)| after.saturating_sub(before) as f64;
    (
        ran.zip(ran_since).map(|both| share(both) / of_each),
        waits.zip(waits_since).map(|both| wakeups(both) / of_each),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_take_meanwhile_counts_by_half() {
        assert_eq!(drift(100.0, 90.0), 5.0);
        assert_eq!(drift(90.0, 100.0), -5.0);
    }

    #[test]
    fn merging_is_over_when_the_host_has_looked_often_enough() {
        assert_eq!(merged(|| None), 0.0);
        static SCANS_SO_FAR: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(7);
        let scanning = || Some(SCANS_SO_FAR.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        assert_eq!(merged(scanning), SCANS as f64);
    }
}

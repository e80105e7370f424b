//! Layers that are alive and idle: what they take of the host.

use super::start::Up;
use crate::sandbox_benches::{MEMORY, PSS};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};
use tare_layers::Processes;
use tare_proto::Counter;

/// How long layers are left alone before they are looked at, and how long they are watched.
const SETTLE: Duration = Duration::from_millis(200);
const WATCH: Duration = Duration::from_secs(1);

/// The share of the host's memory that may be gone before no more layers are started.
pub(crate) const MAY_BE_GONE: f64 = 0.75;

/// What the host says of its memory, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct HostMemory {
    pub total: f64,
    pub available: f64,
    page_tables: f64,
    slab: f64,
    shared: f64,
}

impl HostMemory {
    pub fn now() -> Option<HostMemory> {
        HostMemory::read(&fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn read(meminfo: &str) -> Option<HostMemory> {
        let bytes = |key: &str| {
            let line = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
        };
        Some(HostMemory {
            total: bytes("MemTotal:")?,
            available: bytes("MemAvailable:")?,
            page_tables: bytes("PageTables:").unwrap_or(0.0),
            slab: bytes("SUnreclaim:").unwrap_or(0.0),
            shared: bytes("Shmem:").unwrap_or(0.0),
        })
    }

    /// What may still be taken before three quarters of the memory are gone.
    pub fn room(&self) -> f64 {
        (self.available - (1.0 - MAY_BE_GONE) * self.total).max(0.0)
    }
}

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
    pub counters: Vec<Counter>,
}

/// Looks at layers that are `up`, with the host's memory as it was `before` the first of them.
pub(crate) fn look(up: &[Up], before: Option<HostMemory>, watch: bool) -> Taken {
    let mut counters = Vec::new();
    if let Some(point) = scripted(up) {
        return Taken { point: Ok(point), counters };
    }
    thread::sleep(SETTLE);
    let (now, after) = (Processes::now(), HostMemory::now());
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
    if watch && point.is_ok() {
        counters.extend(idle(up));
    }
    Taken { point, counters }
}

fn why_unknown(up: &[Up]) -> String {
    let why = up.first().and_then(|up| up.session.out_of_sight());
    why.unwrap_or("it has no processes on this host that this user can read").to_owned()
}

/// The sums of what scripted layers say that they take.
fn scripted(up: &[Up]) -> Option<Point> {
    let sum = |row| up.iter().map(|up| up.session.told(row)).sum::<Option<f64>>();
    let (lost, pss) = (sum(MEMORY)?, sum(PSS)?);
    (!up.is_empty()).then_some(Point { alive: up.len(), lost, pss })
}

/// The share of a CPU that each layer takes while it has nothing to do, in percent, and how often it wakes up a second.
fn idle(up: &[Up]) -> Vec<Counter> {
    let used = || {
        let now = Processes::now();
        let ran: Option<Duration> = up.iter().map(|up| up.session.run_time(&now)).sum();
        let waits = up.iter().map(|up| Some(up.session.threads_and_waits(&now)?.1));
        (Instant::now(), ran, waits.sum::<Option<u64>>())
    };
    let (begin, ran, waits) = used();
    thread::sleep(WATCH);
    let (end, ran_since, waits_since) = used();
    let of_each = up.len() as f64 * (end - begin).as_secs_f64();
    let mut counters = Vec::new();
    if let Some((before, after)) = ran.zip(ran_since) {
        let percent = 100.0 * after.saturating_sub(before).as_secs_f64() / of_each;
        counters.push(Counter::new("idle_cpu", percent));
    }
    if let Some((before, after)) = waits.zip(waits_since) {
        let each = after.saturating_sub(before) as f64 / of_each;
        counters.push(Counter::new("idle_wakeups", each));
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_what_is_available_beyond_a_quarter() {
        let text = "MemTotal:  8000 kB\nMemFree: 1 kB\nMemAvailable:    5000 kB\nPageTables: 7 kB\n\
                    SUnreclaim: 9 kB\nShmem: 3 kB\n";
        let memory = HostMemory::read(text).unwrap();
        assert_eq!(memory.room(), 3000.0 * 1024.0);
        assert_eq!((memory.page_tables, memory.slab, memory.shared), (7168.0, 9216.0, 3072.0));
        assert_eq!(HostMemory { available: 0.0, ..memory }.room(), 0.0);
        assert_eq!(HostMemory::read("MemTotal: 1 kB\n"), None);
    }
}

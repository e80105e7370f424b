//! The events of all CPUs that a layer may use, and their windows.

use crate::event::{self, Source};
use crate::points::{COUNTED, Missing, Points};
use crate::record::{self, Record};
use crate::refused::{NO_TRACEPOINTS, Refused, remedy};
use crate::ring::Ring;
use crate::tracefs::Tracefs;
use nix::time::ClockId;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

/// What all rings of an observer may hold, in bytes, and what one must.
const ALL_RINGS: usize = 32 << 20;
const LEAST: usize = 256 << 10;

/// Nanoseconds between two looks of the clock: a virtual machine's timer takes some microseconds each time.
const CLOCK: u64 = 500_000;

/// What is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Everything that is counted. A system call costs about twice as much while every one is written down.
    Counts,
    /// What little shows where the time goes: switches, wake-ups, and the clock.
    Times,
}

/// What the clock is called where it is refused.
const CPU_CLOCK: &str = "the CPU's clock";

/// Watches until it is dropped; nothing is enabled between windows.
pub struct Observer {
    cpus: Vec<Cpu>,
    points: Points,
}

struct Cpu {
    ring: Ring,
    leader: OwnedFd,
    _members: Vec<OwnedFd>,
}

/// The records of a window.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// In the order of their time.
    pub records: Vec<Record>,
    /// How many more there were, at least.
    pub lost: u64,
    /// When it began and ended, in nanoseconds of the monotonic clock.
    pub begin: u64,
    /// The end of it.
    pub end: u64,
    /// The share of the fullest ring that was used.
    pub filled: f64,
    /// The names of [`crate::Happened::Other`].
    pub names: Vec<&'static str>,
}

impl Observer {
    /// Opens the events on `cpus`.
    ///
    /// # Errors
    /// The kernel refuses one that is needed.
    pub fn open(what: What, cpus: &[u32]) -> Result<Observer, Refused> {
        let tracefs = Tracefs::open().map_err(|e| {
            let advice = remedy(&e);
            Refused::Tracefs(e, advice)
        })?;
        let counted: &[&'static str] = if what == What::Counts { &COUNTED } else { &[] };
        let points = Points::of(&tracefs, counted)?;
        let mut observer = Observer { cpus: Vec::new(), points };
        for &cpu in cpus {
            let bytes = (ALL_RINGS / cpus.len().max(1)).max(LEAST);
            let one = observer.on_cpu(what, cpu, bytes)?;
            observer.cpus.push(one);
        }
        Ok(observer)
    }

    /// What is not counted, since the kernel lacks its tracepoint or refuses it.
    #[must_use]
    pub fn missing(&self) -> &[Missing] {
        &self.points.missing
    }

    fn on_cpu(&mut self, what: What, cpu: u32, bytes: usize) -> Result<Cpu, Refused> {
        let open = |name: &str, source, leader: Option<&OwnedFd>| {
            event::open(source, cpu, leader).map_err(|e| {
                let advice = remedy(&e);
                Refused::Event(name.to_owned(), e, advice)
            })
        };
        let leader = open("any event", Source::Leader, None)?;
        let ring = Ring::map(&leader, bytes).map_err(|e| {
            let advice = remedy(&e);
            Refused::Event("a ring".into(), e, advice)
        })?;
        let mut sources: Vec<(&'static str, Source)> = Vec::new();
        for (name, known) in self.points.names.iter().zip(&self.points.known) {
            sources.push((name, Source::Tracepoint(known.id)));
        }
        if what == What::Times {
            sources.push((CPU_CLOCK, Source::Clock(CLOCK)));
        }
        let mut members = Vec::new();
        for (name, source) in sources {
            let opened = open(name, source, Some(&leader)).and_then(|event| {
                let shared = event::share_ring(&event, &leader);
                shared.map_err(|e| Refused::Event(name.to_owned(), e, NO_TRACEPOINTS))?;
                Ok(event)
            });
            match opened {
                Ok(event) => members.push(event),
                Err(why) if COUNTED.contains(&name) => self.points.lacks(name, why.to_string()),
                Err(why) => return Err(why),
            }
        }
        Ok(Cpu { ring, leader, _members: members })
    }

    /// Begins a window.
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn begin(&mut self) -> io::Result<u64> {
        for cpu in &mut self.cpus {
            cpu.ring.take();
        }
        self.cpus.iter().try_for_each(|cpu| event::run(&cpu.leader, true))?;
        Ok(now())
    }

    /// Ends the window that began at `begin`.
    pub fn end(&mut self, begin: u64) -> Trace {
        let end = now();
        for cpu in &self.cpus {
            let _ = event::run(&cpu.leader, false); // refused only where it was when it began
        }
        let mut trace = Trace { begin, end, names: self.points.names.clone(), ..Trace::default() };
        for cpu in &mut self.cpus {
            let (bytes, full) = cpu.ring.take();
            let (records, lost) = record::read(&bytes, &self.points.known);
            trace.filled = trace.filled.max(bytes.len() as f64 / cpu.ring.capacity() as f64);
            trace.lost += lost.max(u64::from(full));
            trace.records.extend(records);
        }
        trace.records.retain(|record| (begin..=end).contains(&record.time));
        trace.records.sort_by_key(|record| record.time);
        trace
    }
}

impl Trace {
    /// The name of [`crate::Happened::Other`] at this place.
    pub(crate) fn name_of(&self, place: usize) -> &'static str {
        self.names.get(place).map_or("other", |name| name.rsplit('/').next().unwrap_or(name))
    }
}

/// Nanoseconds of the monotonic clock.
fn now() -> u64 {
    let time = ClockId::CLOCK_MONOTONIC.now().expect("every kernel has this clock");
    Duration::from(time).as_nanos() as u64
}

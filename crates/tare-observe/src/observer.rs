//! The events of all CPUs that a layer may use, and their windows.

use crate::counter::Counter;
use crate::event::{self, Source};
use crate::points::{CALLS, COUNTED, Missing, NEEDED, Points};
use crate::read::{Samples, read};
use crate::record::{Counted, Look, Mapping, Record};
use crate::refused::{NO_TRACEPOINTS, Refused};
use crate::ring::{self, Ring};
use crate::tracefs::Tracefs;
use nix::time::ClockId;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What all rings of an observer hold, in bytes, where the kernel lets it have so much memory.
pub const RINGS: usize = 32 << 20;

/// What one of them holds at least, on however many CPUs.
const ONE: usize = 256 << 10;

/// Nanoseconds between two looks of the clock: a virtual machine's timer takes some microseconds each time.
const CLOCK: u64 = 500_000;

/// How long a reader leaves the rings alone, and how many bytes of records it holds at most.
const BETWEEN: Duration = Duration::from_millis(10);
const MOST_HELD: usize = 256 << 20;

/// What is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Everything that is counted. A system call costs about twice as much while every one is written down.
    Counts,
    /// What little shows where the time goes: switches and wake-ups.
    Times,
    /// Where the CPUs' clock finds the threads. Its interrupts take more of a virtual machine's time than anything else here.
    Clock,
    /// When system calls begin and end, with switches and wake-ups: in which of them the time goes.
    Calls,
    /// What these counters count, read at each switch.
    Counters(&'static [Counter]),
}

impl What {
    /// Tracepoints that it cannot do without.
    const fn needed(self) -> &'static [&'static str] {
        match self {
            What::Clock => &[],
            What::Counters(_) => &["sched/sched_switch"],
            What::Counts | What::Times | What::Calls => &NEEDED,
        }
    }

    /// Tracepoints that it uses where the kernel has them.
    const fn points(self) -> &'static [&'static str] {
        match self {
            What::Counts => &COUNTED,
            What::Times | What::Clock | What::Counters(_) => &[],
            What::Calls => &CALLS,
        }
    }

    /// What it counts without a record of each.
    const fn counters(self) -> &'static [Counter] {
        match self {
            What::Counters(counters) => counters,
            What::Counts | What::Times | What::Clock | What::Calls => &[],
        }
    }
}

/// What the clock is called where it is refused.
const CPU_CLOCK: &str = "the CPU's clock";

/// Watches until it is dropped; nothing is enabled between windows.
pub struct Observer {
    what: What,
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
    /// Where the clock found threads, likewise.
    pub looks: Vec<Look>,
    /// Code that was mapped.
    pub mappings: Vec<Mapping>,
    /// What counters had counted, likewise, by the names of [`Trace::counters`].
    pub counted: Vec<Counted>,
    /// The names of what was counted.
    pub counters: Vec<&'static str>,
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
    /// Opens the events on `cpus`, with rings that hold so many `bytes` together.
    ///
    /// # Errors
    /// The kernel refuses one that is needed, or the memory of the rings ([`Refused::Ring`]).
    pub fn open(what: What, cpus: &[u32], bytes: usize) -> Result<Observer, Refused> {
        let tracefs = Tracefs::open().map_err(Refused::tracefs)?;
        let points = Points::of(&tracefs, what.needed(), what.points())?;
        let mut observer = Observer { what, cpus: Vec::new(), points };
        let least = if bytes < RINGS { ring::LEAST } else { ONE };
        for &cpu in cpus {
            let bytes = (bytes / cpus.len().max(1)).max(least);
            let one = observer.on_cpu(cpu, bytes)?;
            observer.cpus.push(one);
        }
        Ok(observer)
    }

    /// What is not counted, since the kernel lacks its tracepoint or refuses it.
    #[must_use]
    pub fn missing(&self) -> &[Missing] {
        &self.points.missing
    }

    fn on_cpu(&mut self, cpu: u32, bytes: usize) -> Result<Cpu, Refused> {
        let what = self.what;
        let open = |name: &str, source, leader: Option<&OwnedFd>| {
            event::open(source, cpu, leader).map_err(|e| Refused::event(name, e))
        };
        let leads = if what == What::Clock { Source::LeaderOfLooks } else { Source::Leader };
        let leader = open("any event", leads, None)?;
        let ring = Ring::map(&leader, bytes).map_err(Refused::Ring)?;
        let counters = what.counters().iter();
        let mut sources: Vec<(&'static str, Source)> =
            counters.map(|one| (one.name, Source::Counter(one.kind, one.event))).collect();
        let counts = !sources.is_empty();
        for (name, known) in self.points.names.iter().zip(&self.points.known) {
            let point = if counts { Source::CountedPoint } else { Source::Tracepoint };
            sources.push((name, point(known.id)));
        }
        match what {
            What::Clock => sources.push((CPU_CLOCK, Source::Clock(CLOCK))),
            What::Counters(_) => sources.push((CPU_CLOCK, Source::CountedClock(CLOCK))),
            What::Counts | What::Times | What::Calls => {}
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
                Err(why) if what.points().contains(&name) => {
                    self.points.lacks(name, why.to_string())
                }
                Err(why) => return Err(why),
            }
        }
        Ok(Cpu { ring, leader, _members: members })
    }

    /// What `work` makes, and the records of what happened meanwhile. Where the work `lasts`, the rings are emptied before it ends,
    /// which takes little of a CPU; otherwise nobody reads them meanwhile.
    ///
    /// # Errors
    /// The kernel refuses to enable its events.
    pub fn watch<R>(&mut self, lasts: bool, work: impl FnOnce() -> R) -> io::Result<(R, Trace)> {
        self.cpus.iter_mut().for_each(|cpu| _ = cpu.ring.take());
        let enabled = self.cpus.iter().try_for_each(|cpu| event::enable(&cpu.leader));
        if let Err(error) = enabled {
            self.disable();
            return Err(error);
        }
        let begin = now();
        let ends = || (work(), now());
        let ((made, end), emptied) =
            if lasts { self.emptied(ends) } else { (ends(), Emptied::new()) };
        self.disable();
        Ok((made, self.trace(begin, end, emptied)))
    }

    /// Refused only where enabling was.
    fn disable(&self) {
        self.cpus.iter().for_each(|cpu| _ = event::disable(&cpu.leader));
    }

    /// What `work` makes, and what was in the rings while it went on.
    fn emptied<R>(&mut self, work: impl FnOnce() -> R) -> (R, Emptied) {
        let is_over = AtomicBool::new(false);
        let cpus = &mut self.cpus;
        thread::scope(|scope| {
            let reader = scope.spawn(|| empty(cpus, &is_over));
            let made = work();
            is_over.store(true, Ordering::Relaxed);
            reader.thread().unpark();
            (made, reader.join().unwrap_or_default())
        })
    }

    /// The records of a window, some of which were taken out of the rings before.
    fn trace(&mut self, begin: u64, end: u64, mut emptied: Emptied) -> Trace {
        let counters = self.what.counters();
        let mut trace = Trace {
            begin,
            end,
            names: self.points.names.clone(),
            counters: counters.iter().map(|counter| counter.name).collect(),
            ..Trace::default()
        };
        for cpu in &mut self.cpus {
            let (bytes, full) = cpu.ring.take();
            trace.filled = trace.filled.max(bytes.len() as f64 / cpu.ring.capacity() as f64);
            emptied.push((bytes, full));
        }
        let samples = match self.what {
            What::Clock => Samples::Looks,
            What::Counters(counters) => Samples::Counted(counters.len()),
            What::Counts | What::Times | What::Calls => Samples::Points(&self.points.known),
        };
        for (bytes, full) in emptied {
            let held = read(&bytes, samples);
            trace.lost += held.lost.max(u64::from(full));
            trace.records.extend(held.records);
            trace.looks.extend(held.looks);
            trace.mappings.extend(held.mappings);
            trace.counted.extend(held.counted);
        }
        trace.counted.retain(|counted| (begin..=end).contains(&counted.time));
        trace.counted.sort_by_key(|counted| counted.time);
        trace.records.retain(|record| (begin..=end).contains(&record.time));
        trace.looks.retain(|look| (begin..=end).contains(&look.time));
        trace.records.sort_by_key(|record| record.time);
        trace.looks.sort_by_key(|look| look.time);
        trace
    }
}

/// What was in rings, each time: the records, and whether there was no room for another one.
type Emptied = Vec<(Vec<u8>, bool)>;

/// Empties rings that are filled to a part, until the window `is_over` or so many bytes are held that the rest may be lost.
fn empty(cpus: &mut [Cpu], is_over: &AtomicBool) -> Emptied {
    let mut emptied = Emptied::new();
    let mut held = 0;
    while !is_over.load(Ordering::Relaxed) && held < MOST_HELD {
        for cpu in cpus.iter_mut().filter(|cpu| cpu.ring.used() > cpu.ring.capacity() / 4) {
            let (bytes, full) = cpu.ring.take();
            held += bytes.len();
            emptied.push((bytes, full));
        }
        thread::park_timeout(BETWEEN);
    }
    emptied
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

//! The events of all CPUs that a layer may use, and their windows.

use crate::event::{self, Source};
use crate::record::{self, Known, Reads, Record};
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

/// Tracepoints that must be there.
const NEEDED: [&str; 2] = ["sched/sched_switch", "sched/sched_waking"];

/// Tracepoints that are counted where the kernel has them.
const COUNTED: [&str; 9] = [
    "raw_syscalls/sys_enter",
    "signal/signal_deliver",
    "exceptions/page_fault_user",
    "kvm/kvm_exit",
    "kvm/kvm_inj_virq",
    "tlb/tlb_flush",
    "block/block_rq_issue",
    "net/net_dev_xmit",
    "net/netif_receive_skb",
];

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Tracepoints cannot be looked up.
    #[error("the kernel's tracepoints cannot be read ({0}); {1}")]
    Tracefs(io::Error, &'static str),
    /// An event cannot be opened.
    #[error("perf_event_open refuses {0} ({1}); {2}")]
    Event(String, io::Error, &'static str),
}

/// What somebody who is refused can do.
const AS_ROOT: &str = "root may (or CAP_PERFMON, with perf_event_paranoid)";
const NO_TRACEPOINTS: &str =
    "the kernel is built without tracepoints (CONFIG_FTRACE, CONFIG_PERF_EVENTS)";

/// Watches until it is dropped; nothing is enabled between windows.
pub struct Observer {
    cpus: Vec<Cpu>,
    known: Vec<Known>,
    names: Vec<&'static str>,
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
        let mut observer = Observer { cpus: Vec::new(), known: Vec::new(), names: Vec::new() };
        for name in NEEDED.iter().chain(counted).copied() {
            let place = observer.names.len();
            let reads = tracefs.tracepoint(name).and_then(|format| {
                let reads = Reads::of(name, &format, place);
                let reads = reads.ok_or_else(|| io::Error::other("its fields are not known"))?;
                Ok(Known { id: format.id, reads })
            });
            match reads {
                Ok(known) => observer.known.push(known),
                Err(e) if NEEDED.contains(&name) => {
                    let advice = remedy(&e);
                    return Err(Refused::Tracefs(e, advice));
                }
                Err(_) => continue,
            }
            observer.names.push(name);
        }
        for &cpu in cpus {
            let bytes = (ALL_RINGS / cpus.len().max(1)).max(LEAST);
            observer.cpus.push(observer.on_cpu(what, cpu, bytes)?);
        }
        Ok(observer)
    }

    fn on_cpu(&self, what: What, cpu: u32, bytes: usize) -> Result<Cpu, Refused> {
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
        let mut sources: Vec<(&str, Source)> = Vec::new();
        for (name, known) in self.names.iter().zip(&self.known) {
            sources.push((name, Source::Tracepoint(known.id)));
        }
        if what == What::Times {
            sources.push(("the CPU's clock", Source::Clock(CLOCK)));
        }
        let mut members = Vec::new();
        for (name, source) in sources {
            let event = open(name, source, Some(&leader))?;
            event::share_ring(&event, &leader)
                .map_err(|e| Refused::Event(name.to_owned(), e, NO_TRACEPOINTS))?;
            members.push(event);
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
        let mut trace = Trace { begin, end, names: self.names.clone(), ..Trace::default() };
        for cpu in &mut self.cpus {
            let (bytes, full) = cpu.ring.take();
            let (records, lost) = record::read(&bytes, &self.known);
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

fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => AS_ROOT,
        Some(libc::EMFILE | libc::ENFILE) => "raise the limit of open files (ulimit -n)",
        _ => NO_TRACEPOINTS,
    }
}

/// Nanoseconds of the monotonic clock.
fn now() -> u64 {
    let time = ClockId::CLOCK_MONOTONIC.now().expect("every kernel has this clock");
    Duration::from(time).as_nanos() as u64
}

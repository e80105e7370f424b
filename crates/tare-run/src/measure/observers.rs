//! Who watches a layer from outside.

use std::io;
use std::path::Path;
use tare_layers::{Layer, has_hosts_kernel};
use tare_observe::{Files, Missing, Observer, PROCESSOR, RINGS, Refused, What};

/// What the rings of one question hold at least, in bytes: of a few CPUs.
const LEAST_RINGS: usize = 128 << 10;

/// What watches.
pub(super) enum Observers {
    /// The kernel's tracepoints.
    Traced(Box<Traced>),
    /// What `/proc` counts, for those who may not use tracepoints: switches and page faults.
    Tallied,
}

/// What little each question needs.
pub(super) struct Traced {
    /// For counts.
    pub counts: Observer,
    /// For times.
    pub times: Observer,
    /// For modes and code.
    pub clock: Observer,
    /// For the system calls in which the time goes.
    pub calls: Observer,
    /// For what the processor counts, where it has counters that this kernel lets us use. Most virtual machines have none.
    pub processor: Option<Observer>,
}

impl Traced {
    /// Opens all of them on `cpus`, with as much memory for records as the kernel lets them have: others may have used up what a user may
    /// lock. Turns are then shorter.
    fn open(cpus: &[u32]) -> Result<Traced, Refused> {
        let mut bytes = RINGS;
        loop {
            match Traced::with_rings(cpus, bytes) {
                Err(Refused::Ring(_)) if bytes > LEAST_RINGS => bytes /= 2,
                opened => return opened,
            }
        }
    }

    fn with_rings(cpus: &[u32], bytes: usize) -> Result<Traced, Refused> {
        let open = |what| Observer::open(what, cpus, bytes);
        Ok(Traced {
            counts: open(What::Counts)?,
            times: open(What::Times)?,
            clock: open(What::Clock)?,
            calls: open(What::Calls)?,
            processor: match open(What::Counters(PROCESSOR)) {
                Err(Refused::Ring(error)) => return Err(Refused::Ring(error)),
                opened => opened.ok(),
            },
        })
    }
}

impl Observers {
    /// What this user may watch on `cpus`, and why it is not everything.
    pub(super) fn open(cpus: &[u32]) -> (Observers, Option<Refused>) {
        match Traced::open(cpus) {
            Ok(traced) => (Observers::Traced(Box::new(traced)), None),
            Err(why) => (Observers::Tallied, Some(why)),
        }
    }

    /// What is not counted, since the kernel lacks its tracepoint.
    pub(super) fn missing(&self) -> &[Missing] {
        match self {
            Observers::Traced(traced) => traced.counts.missing(),
            Observers::Tallied => &[],
        }
    }
}

/// Which files of `layer` may be opened for the names of their functions: its programs' where they run on this host's own kernel, below the
/// root that they see, and those of its runtime.
pub(super) fn files(layer: &dyn Layer) -> Files {
    let roots = layer.root().into_iter().chain([Path::new("/")]);
    Files {
        of_program: has_hosts_kernel(layer.whose()),
        roots: roots.map(Path::to_owned).collect(),
    }
}

/// Why a window did not begin.
pub(super) fn not_enabled(error: &io::Error) -> String {
    format!("the kernel refuses to enable its events: {error}")
}

//! Who watches a layer from outside.

use std::io;
use std::path::Path;
use tare_layers::{Layer, has_hosts_kernel};
use tare_observe::{Files, Missing, Observer, Refused, What};

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
}

impl Traced {
    /// Opens all of them on `cpus`.
    fn open(cpus: &[u32]) -> Result<Traced, Refused> {
        Ok(Traced {
            counts: Observer::open(What::Counts, cpus)?,
            times: Observer::open(What::Times, cpus)?,
            clock: Observer::open(What::Clock, cpus)?,
            calls: Observer::open(What::Calls, cpus)?,
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

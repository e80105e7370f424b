//! Why nothing can be watched, and what somebody who is refused can do.

use std::io;

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Tracepoints cannot be looked up.
    #[error("the kernel's tracepoints cannot be read ({0}); {1}")]
    Tracefs(io::Error, &'static str),
    /// An event cannot be opened.
    #[error("perf_event_open refuses {0} ({1}); {2}")]
    Event(String, io::Error, &'static str),
    /// There is no memory for the records.
    #[error(
        "the kernel refuses memory for records ({0}); raise kernel.perf_event_mlock_kb or the limit of locked memory (ulimit -l), or give \
         tare CAP_IPC_LOCK"
    )]
    Ring(io::Error),
}

const AS_ROOT: &str = "root may (or CAP_PERFMON, with perf_event_paranoid)";
pub(crate) const NO_TRACEPOINTS: &str =
    "the kernel is built without tracepoints (CONFIG_FTRACE, CONFIG_PERF_EVENTS)";

impl Refused {
    /// That tracepoints cannot be looked up, and what to do.
    pub(crate) fn tracefs(error: io::Error) -> Refused {
        let advice = remedy(&error);
        Refused::Tracefs(error, advice)
    }

    /// That the event `name` cannot be opened, and what to do.
    pub(crate) fn event(name: &str, error: io::Error) -> Refused {
        let advice = remedy(&error);
        Refused::Event(name.to_owned(), error, advice)
    }
}

/// What somebody who is refused can do.
fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => AS_ROOT,
        Some(libc::EMFILE | libc::ENFILE) => "raise the limit of open files (ulimit -n)",
        _ => NO_TRACEPOINTS,
    }
}

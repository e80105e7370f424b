//! What a boot is called, and what it answers.

use crate::session::phases::Phases;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tare_proto::{Hello, Request, Series};

/// The probe's greeting.
#[derive(Debug)]
pub struct Greeting {
    /// What it says.
    pub hello: Hello,
    /// From the start of the layer's first process to the greeting.
    pub start: Duration,
    /// When it was read.
    pub at: Instant,
    /// Where the time of the start went, from when it was asked for.
    pub phases: Phases,
}

/// What came of one request.
#[derive(Debug)]
pub enum Answer {
    /// Samples, and how long the measurement took by the host's clock; `None` for a scripted layer, whose
    /// answers come when they come.
    Series(Series, Option<Duration>),
    /// The benchmark cannot run there, and why.
    Unavailable(String),
    /// The benchmark failed, and why.
    Failed(String),
}

/// Where a measurement stands after its preparation or a turn.
#[derive(Debug)]
pub enum Turn {
    /// It waits for its next turn; how long a sample takes, in nanoseconds by the probe's clock, 0 where nobody knows.
    Waiting(u64),
    /// This came of it.
    Over(Answer),
}

/// How a boot ended.
#[derive(Debug)]
pub struct Ended {
    /// What the keeper could not remove; empty when the boot left nothing.
    pub left: Vec<String>,
    /// When the last process, mount and folder had gone.
    pub at: Instant,
}

/// A name that no other boot has, on this host or another, in this PID namespace or another.
pub fn fresh_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // The standard library takes the key of such a hash from the kernel's random numbers.
    let random = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!("tare-{random:016x}")
}

/// What a boot is called.
#[derive(Debug, Clone, Default)]
pub struct BootName {
    /// See [`crate::BootSpec::id`].
    pub id: String,
    /// See [`crate::BootSpec::number`].
    pub number: u32,
    /// See [`crate::BootSpec::counts`].
    pub counts: Option<PathBuf>,
    /// See [`crate::BootSpec::script`].
    pub script: Vec<Request>,
    /// See [`crate::BootSpec::perturbation`].
    pub perturbation: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_boot_is_called_like_another() {
        let all: BTreeSet<String> = (0..1000).map(|_| fresh_id()).collect();
        assert_eq!(all.len(), 1000);
        assert!(all.iter().all(|id| id.len() == 21 && crate::keeper::estate::is_id(id)));
    }
}

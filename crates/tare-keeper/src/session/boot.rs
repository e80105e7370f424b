//! What a boot answers.

use crate::session::phases::Phases;
use std::time::{Duration, Instant};
use tare_proto::{Hello, Series};

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

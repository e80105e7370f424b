//! What the suite `sandbox` says of each layer: how its starts are spread, where their time goes, what one more of it costs and how
//! many this host would hold.

use crate::figures::Ratio;
use serde::Serialize;
use tare_proto::Untrusted;
use tare_stats::QuantileInterval;

/// The tails of a row whose samples are whole starts, each a replicate of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tails {
    /// How many starts there are.
    pub starts: usize,
    /// The median.
    pub p50: QuantileInterval,
    /// What 95 of 100 starts do not exceed.
    pub p95: QuantileInterval,
    /// What 99 of 100 starts do not exceed.
    pub p99: QuantileInterval,
    /// The slowest start: what a quantile comes to that so few starts cannot tell.
    pub slowest: f64,
}

/// A value with its confidence interval, which takes two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// A part of a start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Phase {
    /// `host`, `runtime`, `kernel` or `probe`.
    pub name: &'static str,
    /// Its mean in nanoseconds.
    pub ns: Option<f64>,
    /// Why it is not known.
    pub why: Option<Untrusted>,
}

/// What so many idle layers took of the host's available memory, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Alive {
    /// How many were alive.
    pub count: u32,
    /// What they took.
    pub lost: Estimate,
}

/// How many times as long the same work takes beside so many layers of the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Beside {
    /// How many there are.
    pub neighbours: u32,
    /// Beside idle ones.
    pub idle: Option<f64>,
    /// Beside busy ones.
    pub busy: Option<f64>,
}

/// A fresh layer until it has answered a request, and a restored one, with the same state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtState {
    /// What the layer holds of the probe's memory, in MiB; nothing of a command that it holds.
    pub state_mib: Option<u32>,
    /// The median of the fresh one, in nanoseconds.
    pub started: f64,
    /// The median of the restored one, in nanoseconds.
    pub restored: f64,
    /// Whether restoring is cheaper; nothing where the intervals of the medians overlap, or have an open end.
    pub cheaper: Option<bool>,
}

/// Whether a layer is restored faster than it starts, and of two sizes of its state from which on, by a straight line through them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pays {
    /// At every size that was measured.
    Always,
    /// At none.
    Never,
    /// At the larger size; at the smaller one nobody can tell.
    Larger,
    /// Nobody can tell.
    Unknown,
    /// From so many MiB on.
    From(f64),
    /// Up to so many MiB.
    UpTo(f64),
}

/// What saving and restoring a layer costs. Times are in nanoseconds, sizes in bytes; what was not measured is empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Restored {
    /// The command that it holds, where it is not the probe's memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Untrusted>,
    /// A fresh layer until it has answered a request.
    pub started: Option<Tails>,
    /// A restored one until the same point.
    pub ready: Option<Tails>,
    /// The same with the image on the disk alone.
    pub cold: Option<Tails>,
    /// Writing into each page of the state, after a restore, and before the layer was saved.
    pub touch: Option<f64>,
    /// The same before.
    pub touch_before: Option<f64>,
    /// The 99th percentile of the first 1,000 requests.
    pub tail: Option<f64>,
    /// The same before.
    pub tail_before: Option<f64>,
    /// Saving the layer.
    pub save: Option<f64>,
    /// How long it stood still for that.
    pub still: Option<f64>,
    /// What the image takes of the disk.
    pub size: Option<f64>,
    /// What one more of an image takes of the host's memory, restored.
    pub clone_memory: Option<f64>,
    /// The same when it has written into its state.
    pub clone_written: Option<f64>,
    /// Both with little state and with the usual state; with a command, of that.
    pub pairs: Vec<AtState>,
    /// What follows from the pairs.
    pub pays: Option<Pays>,
}

/// What the suite says of one layer. What was not measured is empty.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sandbox {
    /// The layer's name.
    pub layer: Untrusted,
    /// Its warm starts.
    pub start: Option<Tails>,
    /// Those over the baseline's.
    pub ratio: Option<Ratio>,
    /// Its cold starts.
    pub cold: Option<Tails>,
    /// Where the time of a warm start goes.
    pub phases: Vec<Phase>,
    /// What one more idle layer takes of the host's available memory, in bytes.
    pub one_more: Option<Estimate>,
    /// How many of them there would be when three quarters of the host's memory are gone.
    pub fits: Option<Estimate>,
    /// What was taken by how many, upwards.
    pub alive: Vec<Alive>,
    /// The share of a CPU that one takes while it is idle, in percent.
    pub idle_cpu: Option<Estimate>,
    /// How often one wakes up a second while it is idle.
    pub idle_wakeups: Option<Estimate>,
    /// What neighbours do to it, by how many they are, upwards.
    pub beside: Vec<Beside>,
    /// What it costs restored; nothing of a layer that was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
}

impl Estimate {
    /// How many of such a size there are in `room`.
    pub(crate) fn how_many_in(&self, room: f64) -> Estimate {
        let many = |size: f64| (room / size).floor();
        let positive = self.low.filter(|low| *low > 0.0);
        Estimate { value: many(self.value), low: self.high.map(many), high: positive.map(many) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_fit_as_a_size_goes_into_the_room() {
        let size = Estimate { value: 50.0, low: Some(40.0), high: Some(60.0) };
        let many = size.how_many_in(1000.0);
        assert_eq!((many.value, many.low, many.high), (20.0, Some(16.0), Some(25.0)));
        let unsure = Estimate { low: Some(-1.0), ..size };
        assert_eq!(unsure.how_many_in(1000.0).high, None);
    }
}

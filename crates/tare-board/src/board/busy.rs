//! What others on the machine did to the measurement, which the first line of every form says.

use crate::value::values::Values;
use serde::Serialize;
use tare_stats::median;

/// A layer that waited for a CPU for less than this share of its time was hardly disturbed.
const HARDLY: f64 = 0.02;

/// How the machine's other work shows in the series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Busy {
    /// Median over the series: the share of its time in which a layer was ready to run and had no CPU.
    pub waited: f64,
    /// Series that are withheld since their layer waited for longer than the campaign allows.
    pub withheld: usize,
    /// Series of which it is known how long their layer waited.
    pub of: usize,
}

impl Busy {
    /// What `values` say; `None` on a machine that left the layers their CPUs, and where nobody knows.
    pub(crate) fn of(values: &Values) -> Option<Busy> {
        let waits: Vec<f64> = values.waited.clone();
        let waited = median(&waits).ok()?;
        let withheld = waits.iter().filter(|waited| **waited > values.most_waited).count();
        (waited > HARDLY || withheld > 0).then_some(Busy { waited, withheld, of: waits.len() })
    }
}

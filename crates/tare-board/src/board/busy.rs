//! What others on the machine did to the measurement, which the first line of every form says.

use crate::value::measured::waited;
use serde::Serialize;
use tare_stats::mean;
use tare_store::Campaign;

/// Layers that waited for a CPU for less than this share of their time were hardly disturbed; and so is a campaign of which less than
/// this share is withheld.
const HARDLY: f64 = 0.01;

/// How the machine's other work shows in the series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Busy {
    /// Mean over the series: the share of its time in which a layer was ready to run and had no CPU.
    pub waited: f64,
    /// Series that are withheld since their layer waited for longer than the campaign allows.
    pub withheld: usize,
    /// Series of which it is known how long their layer waited.
    pub of: usize,
    /// The largest share with which a series counts.
    pub most_waited: f64,
}

impl Busy {
    /// What the series of `campaign` say; `None` on a machine that left the layers their CPUs, and where nobody knows.
    pub(crate) fn of(campaign: &Campaign) -> Option<Busy> {
        let most_waited = campaign.plan.most_waited();
        let waits: Vec<f64> =
            campaign.series.iter().filter_map(|row| waited(&row.counters)).collect();
        let waited = mean(&waits).ok()?;
        let withheld = waits.iter().filter(|waited| **waited > most_waited).count();
        let is_busy = waited > HARDLY || withheld as f64 > HARDLY * waits.len() as f64;
        is_busy.then_some(Busy { waited, withheld, of: waits.len(), most_waited })
    }
}

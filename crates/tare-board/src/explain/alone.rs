//! What a row executes on a simulated machine where no other layer is beside it.

use super::counted::Counted;
use super::{Executed, Table, functions, simulated};
use serde::Serialize;
use tare_proto::Untrusted;
use tare_store::Campaign;

/// What an operation executes on the only layer of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alone {
    /// The benchmark.
    pub benchmark: Untrusted,
    /// The layer.
    pub layer: Untrusted,
    /// Counts by place, by function and by what is entered: of each line `baseline` is the layer's, and `layer` is 0.
    pub tables: Vec<Table>,
    /// Who called what, where the calls were followed: `baseline` is the layer's share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<Executed>,
}

/// What was counted of benchmark number `bench` on the baseline; `None` where no simulated machine counted.
#[must_use]
pub fn alone(campaign: &Campaign, bench: usize) -> Option<Alone> {
    let benchmark = &campaign.benchmarks.get(bench)?.name;
    let baseline = campaign.baseline()?;
    let counted = Counted::alone(campaign, bench, baseline);
    counted.baseline.is_simulated().then(|| Alone {
        benchmark: benchmark.clone().into(),
        layer: campaign.layers[baseline].name.clone(),
        tables: simulated::alone(&counted),
        executed: functions::executed(&counted),
    })
}

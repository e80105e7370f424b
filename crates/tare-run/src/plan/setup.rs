//! What a campaign runs: the plan, its layers and its benchmarks, and what the host gives them.

use super::host_benches::HOST_BENCHES;
use crate::host::cpus::allowed_cpus;
use tare_layers::{Host, Keeper, Layer};
use tare_proto::BenchInfo;
use tare_store::Plan;

/// A layer of the campaign that can be booted.
pub struct CampaignLayer {
    /// Its name.
    pub name: String,
    /// How it starts.
    pub layer: Box<dyn Layer>,
    /// Seconds that a boot takes without measuring; `None` when the layer cannot run here.
    pub trial_s: Option<f64>,
}

/// What a campaign runs. Nothing of it changes while it does.
pub struct Setup<'a> {
    /// What was asked for.
    pub plan: Plan,
    /// Every layer, in the scoreboard's order, the baseline among them.
    pub layers: Vec<CampaignLayer>,
    /// Every benchmark, in the scoreboard's order.
    pub benches: Vec<BenchInfo>,
    /// What layers may use of this host.
    pub host: &'a Host,
    /// How keepers are started.
    pub keeper: &'a Keeper,
    /// Asked between steps and while waiting.
    pub interrupted: fn() -> bool,
}

impl Setup<'_> {
    pub(crate) fn baseline(&self) -> usize {
        self.layers.iter().position(|layer| layer.name == self.plan.baseline).unwrap_or(0)
    }

    /// The layers that can run here.
    pub(crate) fn able(&self) -> Vec<usize> {
        (0..self.layers.len()).filter(|&layer| self.layers[layer].trial_s.is_some()).collect()
    }

    /// How many CPUs a layer may use.
    pub(crate) fn cpus(&self) -> usize {
        match self.plan.cpus.len() {
            0 => allowed_cpus().len(),
            pinned => pinned,
        }
    }

    /// Why `layer` takes a whole series at once where others take turns.
    pub(crate) fn whole_series(&self, layer: usize) -> Option<&'static str> {
        self.layers[layer].layer.whole_series()
    }

    /// Whether a benchmark is known of every boot, without asking its probe.
    pub(crate) fn is_of_host(&self, bench: usize) -> bool {
        HOST_BENCHES.iter().any(|host| host.name == self.benches[bench].name)
    }

    /// Time for one series of a benchmark, in milliseconds: its own, or the plan's.
    pub(crate) fn limit_ms(&self, bench: usize) -> u64 {
        match self.benches[bench].series_ms {
            0 => self.plan.series_ms,
            own => own,
        }
    }
}

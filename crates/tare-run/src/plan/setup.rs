//! What a campaign runs: the plan, its layers and its benchmarks, and what the host gives them.

use super::host_benches::HOST_BENCHES;
use crate::host::cpus::usable;
use tare_layers::{Cpus, Host, Keeper, Layer};
use tare_proto::BenchInfo;
use tare_store::{Plan, Role};

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

    /// Boots of a layer in a block: the baseline has a second one, for the floor.
    pub(crate) fn boots(&self, layer: usize) -> f64 {
        if layer == self.baseline() { 2.0 } else { 1.0 }
    }

    /// The layers that can run here.
    pub(crate) fn able(&self) -> Vec<usize> {
        (0..self.layers.len()).filter(|&layer| self.layers[layer].trial_s.is_some()).collect()
    }

    /// The CPUs that a boot of `layer` is pinned to; empty when it is not.
    pub(crate) fn cpus(&self, layer: usize, role: Role) -> &[u32] {
        let all = self.plan.all_cpus();
        let first = |number: usize| &all[..number.min(all.len())];
        match (role, self.layers[layer].layer.cpus()) {
            (Role::OneCpu, _) => first(1),
            (_, Cpus::Only(number)) => first(number),
            (_, Cpus::AtLeast(number)) => first(number.max(self.plan.cpus.len())),
            (_, Cpus::Usual) if self.whole_series(layer).is_some() => all,
            (_, Cpus::Usual) => &self.plan.cpus,
        }
    }

    /// Whether a layer runs on more CPUs than the others.
    pub(crate) fn is_wide(&self, layer: usize) -> bool {
        self.cpus(layer, Role::Weigh).len() > self.plan.cpus.len()
    }

    /// Whether a layer works in several ways on the CPUs that it has, which only series that last meet.
    pub(crate) fn has_modes(&self, layer: usize) -> bool {
        usable(self.cpus(layer, Role::Weigh)) > 1 && self.layers[layer].layer.has_modes()
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

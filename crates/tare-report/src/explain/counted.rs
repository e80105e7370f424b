//! The counters of one benchmark on two layers: means over the boots.

use std::collections::BTreeMap;
use tare_store::Campaign;

/// The counters of both sides, by name.
pub(super) struct Counted {
    baseline: BTreeMap<String, f64>,
    layer: BTreeMap<String, f64>,
}

impl Counted {
    /// `None` when a layer is not of the campaign.
    pub(super) fn of(campaign: &Campaign, bench: usize, layer: &str) -> Option<Counted> {
        let at = campaign.layers.iter().position(|row| row.name == layer)?;
        let baseline = means(campaign, bench, campaign.baseline()?);
        Some(Counted { baseline, layer: means(campaign, bench, at) })
    }

    /// The baseline's and the layer's; what was not counted is 0.
    pub(super) fn both(&self, name: &str) -> (f64, f64) {
        let of = |side: &BTreeMap<String, f64>| side.get(name).copied().unwrap_or(0.0);
        (of(&self.baseline), of(&self.layer))
    }

    /// The same, but what was not counted is not a number.
    pub(super) fn both_if_counted(&self, name: &str) -> (f64, f64) {
        let of = |side: &BTreeMap<String, f64>| side.get(name).copied().unwrap_or(f64::NAN);
        (of(&self.baseline), of(&self.layer))
    }

    /// The sum of several.
    pub(super) fn sum(&self, names: &[String]) -> (f64, f64) {
        let both = names.iter().map(|name| self.both(name));
        both.fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d))
    }

    /// Whether both sides have it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.baseline.contains_key(name) && self.layer.contains_key(name)
    }

    /// Whether any side has it.
    pub(super) fn has_any(&self, name: &str) -> bool {
        self.baseline.contains_key(name) || self.layer.contains_key(name)
    }

    /// The names that begin with `prefix`, of either side.
    pub(super) fn names(&self, prefix: &str) -> Vec<&str> {
        let all = self.baseline.keys().chain(self.layer.keys());
        let mut names: Vec<&str> =
            all.map(String::as_str).filter(|name| name.starts_with(prefix)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn means(campaign: &Campaign, bench: usize, layer: usize) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    let mut boots = 0.0;
    let of_layer = |boot: usize| campaign.boots.get(boot).is_some_and(|boot| boot.layer == layer);
    let series = campaign.series.iter().filter(|s| s.benchmark == bench && of_layer(s.boot));
    // A counter that a boot did not count was not counted at all, or was 0 there.
    for series in series.filter(|series| !series.counters.is_empty()) {
        boots += 1.0;
        for counter in &series.counters {
            *sums.entry(counter.name.clone()).or_insert(0.0) += counter.value;
        }
    }
    sums.into_iter().map(|(name, sum)| (name, sum / boots)).collect()
}

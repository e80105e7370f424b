//! The counters of one benchmark on two layers: means over the boots.

use super::series::series_of;
use std::collections::BTreeMap;
use tare_store::Campaign;

/// The counters of both sides, by name.
pub(super) struct Counted {
    pub(super) baseline: One,
    pub(super) layer: One,
}

impl Counted {
    /// `None` when a layer is not of the campaign.
    pub(super) fn of(campaign: &Campaign, bench: usize, layer: &str) -> Option<Counted> {
        let at = campaign.layers.iter().position(|row| row.name == layer)?;
        let baseline = One::of(campaign, bench, campaign.baseline()?);
        Some(Counted { baseline, layer: One::of(campaign, bench, at) })
    }

    /// Of layer number `layer`, in the baseline's place and beside nothing.
    pub(super) fn alone(campaign: &Campaign, bench: usize, layer: usize) -> Counted {
        Counted { baseline: One::of(campaign, bench, layer), layer: One(BTreeMap::new()) }
    }

    /// The baseline's and the layer's; what was not counted is 0.
    pub(super) fn both(&self, name: &str) -> (f64, f64) {
        self.sum([name])
    }

    /// The same, but what was not counted is not a number.
    pub(super) fn both_if_counted(&self, name: &str) -> (f64, f64) {
        let of = |side: &One| side.get(name).unwrap_or(f64::NAN);
        (of(&self.baseline), of(&self.layer))
    }

    /// Whether every boot of one side counted more of it than every boot of the other one.
    pub(super) fn is_apart(&self, name: &str) -> bool {
        let [a, b] = [&self.baseline, &self.layer].map(|side| side.range(name));
        a.1 < b.0 || b.1 < a.0
    }

    /// The sum of several.
    pub(super) fn sum<S: AsRef<str>>(&self, names: impl AsRef<[S]>) -> (f64, f64) {
        let of = |side: &One| side.sum(names.as_ref()).unwrap_or(0.0);
        (of(&self.baseline), of(&self.layer))
    }

    /// Whether both sides have it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.baseline.has(name) && self.layer.has(name)
    }

    /// Whether any side has it.
    pub(super) fn has_any(&self, name: &str) -> bool {
        self.baseline.has(name) || self.layer.has(name)
    }

    /// The names that begin with `prefix`, of either side.
    pub(super) fn names(&self, prefix: &str) -> Vec<&str> {
        let mut names = [self.baseline.names(prefix), self.layer.names(prefix)].concat();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The counters of one layer, by name.
pub(super) struct One(BTreeMap<String, Values>);

/// What the boots counted.
struct Values {
    mean: f64,
    least: f64,
    most: f64,
}

impl One {
    /// Of layer number `layer`.
    pub(super) fn of(campaign: &Campaign, bench: usize, layer: usize) -> One {
        One(values(campaign, bench, layer))
    }

    /// Whether instructions or events were counted.
    pub(super) fn is_counted(&self) -> bool {
        self.is_simulated() || !self.names("perf/").is_empty()
    }

    /// Whether a plugin counted.
    pub(super) fn is_simulated(&self) -> bool {
        self.has("kernel/instructions")
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).map(|values| values.mean)
    }

    /// The least and the most that a boot counted; 0 of what was not counted.
    fn range(&self, name: &str) -> (f64, f64) {
        self.0.get(name).map_or((0.0, 0.0), |values| (values.least, values.most))
    }

    /// The sum of those that were counted, if any was.
    pub(super) fn sum<S: AsRef<str>>(&self, names: impl AsRef<[S]>) -> Option<f64> {
        let counted = names.as_ref().iter().filter_map(|name| self.get(name.as_ref()));
        counted.fold(None, |sum, value| Some(sum.unwrap_or(0.0) + value))
    }

    /// The names that begin with `prefix`.
    pub(super) fn names(&self, prefix: &str) -> Vec<&str> {
        self.0.keys().map(String::as_str).filter(|name| name.starts_with(prefix)).collect()
    }
}

fn values(campaign: &Campaign, bench: usize, layer: usize) -> BTreeMap<String, Values> {
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut boots = 0;
    for series in series_of(campaign, bench, layer).filter(|series| !series.counters.is_empty()) {
        boots += 1;
        for counter in &series.counters {
            all.entry(counter.name.clone()).or_default().push(counter.value);
        }
    }
    let summary = |counted: Vec<f64>| {
        // A counter that a boot did not count was not counted at all, or was 0 there.
        let missing = (counted.len() < boots).then_some(0.0);
        let range = || counted.iter().copied().chain(missing);
        Values {
            mean: counted.iter().sum::<f64>() / boots as f64,
            least: range().fold(f64::INFINITY, f64::min),
            most: range().fold(f64::NEG_INFINITY, f64::max),
        }
    };
    all.into_iter().map(|(name, counted)| (name, summary(counted))).collect()
}

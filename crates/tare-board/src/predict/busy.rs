//! What is predicted: time by the clock, or the CPU time of this host that all processes of a layer use. What a layer does beside
//! its program is no time for the program and CPU time all the same; what waits is time and no CPU time.

use crate::extras::counted;
use std::collections::BTreeMap;
use tare_proto::counter::CPU_HOST;
use tare_store::Campaign;

/// CPUs beyond these are a clock's error.
const FEWEST: f64 = 0.01;

/// What prices are in.
#[derive(Clone, Copy)]
pub(super) enum Of<'a> {
    /// Time by the clock.
    Time,
    /// CPU time of the host.
    Cpu(&'a Busy),
}

impl Of<'_> {
    /// CPUs that the baseline and the layer keep busy during row `name`, which its time is multiplied by.
    pub fn cpus(self, name: &str) -> (f64, f64) {
        match self {
            Of::Time => (1.0, 1.0),
            Of::Cpu(busy) => busy.rows.get(name).copied().unwrap_or((1.0, 1.0)),
        }
    }
}

/// By row: CPUs that the baseline and a layer keep busy, the mean over their boots.
pub(super) struct Busy {
    rows: BTreeMap<String, (f64, f64)>,
}

impl Busy {
    /// Of `layer`; `None` where nobody knows what the layer or the baseline uses of this host.
    pub fn of(campaign: &Campaign, layer: &str) -> Option<Busy> {
        let layer = campaign.layers.iter().position(|row| row.name == layer)?;
        let (baseline, counted) = (campaign.baseline()?, counted(campaign));
        let mean = |row: usize, layer: usize| {
            let values = counted.get(&(row, layer, CPU_HOST))?;
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            Some(mean).filter(|mean| *mean > FEWEST)
        };
        let both = |(at, bench): (usize, &tare_proto::BenchInfo)| {
            Some((bench.name.clone(), (mean(at, baseline)?, mean(at, layer)?)))
        };
        let rows: BTreeMap<_, _> =
            campaign.benchmarks.iter().enumerate().filter_map(both).collect();
        (!rows.is_empty()).then_some(Busy { rows })
    }

    /// How many times as many CPUs the layer keeps busy as the baseline does during row `name`.
    pub fn ratio(&self, name: &str) -> Option<f64> {
        self.rows.get(name).map(|(here, there)| there / here)
    }
}

//! A campaign's samples by benchmark and layer, as the figures need them.

use std::borrow::Cow;
use tare_store::{Campaign, Outcome, Role};

/// One boot's samples of one benchmark, in the order taken.
pub(crate) struct BootSamples<'a> {
    pub(crate) block: u32,
    pub(crate) role: Role,
    pub(crate) values: Cow<'a, [f64]>,
}

/// One layer's samples of one benchmark.
pub(crate) struct LayerSamples<'a> {
    /// Its place in colours and shapes: 0 for the baseline, then the others in order.
    pub(crate) series: usize,
    pub(crate) name: &'a str,
    /// Its boots in the order made.
    pub(crate) boots: Vec<BootSamples<'a>>,
    /// All samples, sorted.
    pub(crate) sorted: Vec<f64>,
    /// Samples that are no times, rates or sizes (after subtraction some may lie below 0) and so are not drawn.
    pub(crate) dropped: usize,
}

impl<'a> LayerSamples<'a> {
    fn add(&mut self, block: u32, role: Role, samples: &'a [f64]) {
        let usable = |v: &f64| *v > 1e-300 && *v < 1e300;
        let values = match samples.iter().all(usable) {
            true => Cow::Borrowed(samples),
            false => Cow::Owned(samples.iter().copied().filter(usable).collect()),
        };
        self.dropped += samples.len() - values.len();
        if !values.is_empty() {
            self.sorted.extend(&*values);
            self.boots.push(BootSamples { block, role, values });
        }
    }

    pub(crate) fn median(&self) -> f64 {
        super::bins::at_quantile(&self.sorted, 0.5)
    }
}

/// Series numbers of a campaign's layers: 0 for the baseline.
pub(crate) fn numbers(campaign: &Campaign) -> Vec<usize> {
    let baseline = campaign.baseline();
    let mut next = 0;
    let number = |layer| match Some(layer) == baseline {
        true => 0,
        false => {
            next += 1;
            next
        }
    };
    (0..campaign.layers.len()).map(number).collect()
}

/// The layers that measured `benchmark`, with what they measured.
pub(crate) fn of_benchmark(campaign: &Campaign, benchmark: usize) -> Vec<LayerSamples<'_>> {
    let named = numbers(campaign).into_iter().zip(&campaign.layers);
    let mut layers: Vec<LayerSamples> = Vec::new();
    for (series, row) in named {
        let (boots, sorted, dropped) = (Vec::new(), Vec::new(), 0);
        layers.push(LayerSamples { series, name: &row.name, boots, sorted, dropped });
    }
    for row in &campaign.series {
        let Some(boot) = campaign.boots.get(row.boot) else { continue };
        let Some(layer) = layers.get_mut(boot.layer) else { continue };
        if row.benchmark == benchmark && row.outcome == Outcome::Measured {
            layer.add(boot.block, boot.role, &row.samples);
        }
    }
    layers.retain(|layer| !layer.sorted.is_empty());
    layers.iter_mut().for_each(|layer| layer.sorted.sort_unstable_by(f64::total_cmp));
    layers
}

//! A campaign's samples by benchmark and layer, as the figures need them.

use tare_board::{BootSamples, Counted, SampleSummary};
use tare_store::Campaign;

pub(crate) struct LayerSamples<'a> {
    /// Its place in colours and shapes: 0 for the baseline, then the others in order.
    pub(crate) series: usize,
    pub(crate) name: &'a str,
    pub(crate) boots: Vec<BootSamples<'a>>,
    /// All samples, sorted; there is at least one.
    pub(crate) sorted: Vec<f64>,
    /// The same in figures, as the board has them.
    pub(crate) figures: SampleSummary,
}

impl LayerSamples<'_> {
    /// How far a value lies from the median, as a part of it.
    pub(crate) fn relative(&self, value: f64) -> f64 {
        let median = self.figures.median;
        let away = (value - median) / median.abs();
        if away.is_finite() { away } else { 0.0 }
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

pub(crate) fn of_benchmark<'a>(
    campaign: &'a Campaign,
    counted: &Counted<'a>,
    benchmark: usize,
) -> Vec<LayerSamples<'a>> {
    let named = numbers(campaign).into_iter().zip(&campaign.layers).enumerate();
    let one = |(layer, (series, row)): (usize, (usize, &'a tare_store::LayerRow))| {
        let boots = counted.boots(layer, benchmark);
        let figures = counted.summary(layer, benchmark)?;
        let mut sorted: Vec<f64> = boots.iter().flat_map(|boot| boot.values).copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        Some(LayerSamples { series, name: row.name.raw(), boots, sorted, figures })
    };
    named.filter_map(one).collect()
}

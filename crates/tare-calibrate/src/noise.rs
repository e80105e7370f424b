//! Noise whose truth is known: how boots differ from each other, and rows of a scoreboard.

use std::fmt;
use tare_stats::rng::Rng;

/// How boots differ from each other. `sigma` is the scale of a boot's log effect, about 0.02 on a quiet machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Noise {
    /// Times vary normally: `1 + sigma·z`.
    Normal,
    /// Times vary log-normally and five times as much: `exp(5·sigma·z)`.
    LogNormal,
    /// Log times follow Student's t with 3 degrees of freedom, scaled to standard deviation `sigma`.
    HeavyTail,
    /// Three boots in ten are slower by `4·sigma` (page colouring, NUMA placement), each with `sigma/4` of its own.
    BimodalBoots,
    /// The host slows by `10·sigma` from the first boot of the campaign to the last, on top of normal noise.
    Drift,
    /// Boots resemble the boot before: AR(1) with coefficient 0.8, standard deviation `sigma`.
    Autocorrelated,
}

impl Noise {
    /// All noise models.
    pub const ALL: [Self; 6] = [
        Self::Normal,
        Self::LogNormal,
        Self::HeavyTail,
        Self::BimodalBoots,
        Self::Drift,
        Self::Autocorrelated,
    ];

    /// Log effects of one benchmark's boots, `effects[block][layer]`, each block's boots in shuffled order.
    pub(crate) fn boots(
        self,
        sigma: f64,
        blocks: usize,
        layers: usize,
        rng: &mut Rng,
    ) -> Vec<Vec<f64>> {
        let total = (blocks * layers).max(2);
        let mut before = sigma * rng.normal();
        let mut nth = 0;
        let mut effects = Vec::with_capacity(blocks);
        for _ in 0..blocks {
            let mut block = vec![0.0; layers];
            for layer in rng.order(layers) {
                let progress = nth as f64 / (total - 1) as f64;
                before = self.boot(sigma, before, progress, rng);
                block[layer] = before;
                nth += 1;
            }
            effects.push(block);
        }
        effects
    }

    fn boot(self, sigma: f64, before: f64, progress: f64, rng: &mut Rng) -> f64 {
        let z = rng.normal();
        match self {
            Self::Normal => (1.0 + sigma * z).max(0.01).ln(),
            Self::LogNormal => 5.0 * sigma * z,
            Self::HeavyTail => {
                let chi2: f64 = (0..3).map(|_| rng.normal().powi(2)).sum();
                // t has variance 3, so z / sqrt(chi2 / 3) is divided by sqrt(3).
                sigma * z / chi2.max(1e-12).sqrt()
            }
            Self::BimodalBoots => sigma * (z / 4.0 + if rng.uniform() < 0.3 { 4.0 } else { 0.0 }),
            Self::Drift => sigma * (z + 10.0 * progress),
            Self::Autocorrelated => 0.8 * before + 0.6 * sigma * z,
        }
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Normal => "normal",
            Self::LogNormal => "log-normal",
            Self::HeavyTail => "heavy tail",
            Self::BimodalBoots => "bimodal between boots",
            Self::Drift => "drift",
            Self::Autocorrelated => "autocorrelated",
        })
    }
}

/// How the rows of a scoreboard differ in noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rows {
    /// All rows have `sigma` 2%.
    Alike,
    /// `sigma` log-uniform from 0.2% to 20%, benchmark by benchmark.
    Varied,
    /// Nineteen benchmarks in twenty have 1%, the others 20%.
    FewLoud,
    /// All rows have `sigma` 0.4%: quiet enough to show equivalence within 2%.
    Quiet,
}

impl Rows {
    pub(crate) fn sigma(self, rng: &mut Rng) -> f64 {
        let u = rng.uniform();
        match self {
            Self::Alike => 0.02,
            Self::Quiet => 0.004,
            Self::Varied => 0.002 * 100.0_f64.powf(u),
            Self::FewLoud => {
                if u < 0.05 {
                    0.20
                } else {
                    0.01
                }
            }
        }
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Alike => "all 2%",
            Self::Quiet => "all 0.4%",
            Self::Varied => "0.2% to 20%",
            Self::FewLoud => "1%, few 20%",
        })
    }
}

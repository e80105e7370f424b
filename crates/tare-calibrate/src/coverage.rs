//! The experiments on intervals: how often they hold the true ratio.

use crate::figure::{Figure, Goal, Simulation};
use crate::judge::{CONFIDENCE, holds};
use crate::noise::Noise;
use tare_stats::rng::Rng;
use tare_stats::{
    Best, BlockSamples, Estimator, bootstrap_ratio, disagree, paired_ratio, suite_geomean,
    unpaired_ratio,
};

/// The layer's true ratio to its baseline.
const TRUTH: f64 = 1.1;

/// How often the intervals hold a true ratio of 1.10, with 20 samples of 3% noise per boot and boots of 2%.
pub fn coverage(simulation: &Simulation) -> Vec<Figure> {
    let Simulation { noise, blocks, seed, .. } = *simulation;
    let goal = if blocks >= 5 { Goal::Between(0.93, 0.97) } else { Goal::Reported };
    let figures = [
        ("t interval holds the true ratio", goal),
        ("bootstrap interval holds the true ratio", Goal::Reported),
        ("unpaired interval holds the true ratio", Goal::Reported),
        ("geomean interval holds the true ratio", goal),
        ("t and bootstrap are said to disagree", Goal::Reported),
    ]
    .map(|(what, goal)| simulation.figure(what, "true ratio 1.10", goal));
    let mut rng = Rng::new(seed ^ 0xC0);
    simulation.count(figures, |repeat| {
        Series::draw(noise, blocks, &mut rng).outcome(seed.wrapping_add(repeat), &mut rng)
    })
}

struct Sessions {
    name: &'static str,
    /// Runs of the baseline for each of the layer.
    times: usize,
    /// How much the layer's runs vary; the baseline's vary by 2%.
    sigma: f64,
}

const SESSIONS: [Sessions; 2] = [
    Sessions { name: "as many runs of the baseline", times: 1, sigma: 0.02 },
    Sessions { name: "three times as many, 5 times calmer", times: 3, sigma: 0.1 },
];

/// How often the interval of unrelated runs holds a true ratio of 1.10: two sessions apart from each other, as imports
/// are, `blocks` runs of the layer.
pub fn imports(simulation: &Simulation) -> Vec<Figure> {
    let Simulation { noise, blocks: runs, seed, .. } = *simulation;
    let figures = |sessions: &Sessions| {
        let mut rng = Rng::new(seed ^ 0x1A);
        let mut session = |sigma, runs, center: f64| -> Vec<f64> {
            let boots = noise.boots(sigma, runs, 1, &mut rng);
            boots.iter().map(|boot| center * boot[0].exp()).collect()
        };
        // Sessions that are not alike within themselves differ by more than their runs show: told, not promised.
        let alike = matches!(noise, Noise::Normal | Noise::HeavyTail);
        let goal = if runs >= 5 && alike { Goal::Between(0.93, 0.97) } else { Goal::Reported };
        let what = "an import's interval holds the true ratio";
        simulation.count([simulation.figure(what, sessions.name, goal)], |_| {
            let base = session(0.02, sessions.times * runs, 100.0);
            let layer = session(sessions.sigma, runs, 100.0 * TRUTH);
            [unpaired_ratio(&base, &layer, CONFIDENCE).is_ok_and(|i| holds(&i, TRUTH))]
        })
    };
    // Drift and modes move a session's mean by their size, so that unequal ones have another true ratio.
    let centered = !matches!(noise, Noise::Drift | Noise::BimodalBoots);
    SESSIONS.iter().filter(|sessions| centered || sessions.times == 1).flat_map(figures).collect()
}

/// The samples of one simulated row: `[block][sample]` of the baseline and of the layer.
struct Series {
    baseline: Vec<Vec<f64>>,
    layer: Vec<Vec<f64>>,
    /// Four more rows of log ratios, which share half their boots' variance, for the suite's geometric mean.
    suite: Vec<Vec<f64>>,
}

impl Series {
    fn draw(noise: Noise, blocks: usize, rng: &mut Rng) -> Self {
        let boots = noise.boots(0.02, blocks, 2, rng);
        let mut samples = |center: f64| -> Vec<f64> {
            (0..20).map(|_| center * (1.0 + 0.03 * rng.normal()).max(0.01)).collect()
        };
        let baseline = boots.iter().map(|b| samples(100.0 * b[0].exp())).collect();
        let layer = boots.iter().map(|b| samples(100.0 * TRUTH * b[1].exp())).collect();
        let suite = (0..4)
            .map(|_| {
                let own = noise.boots(0.02, blocks, 2, rng);
                own.iter()
                    .zip(&boots)
                    .map(|(o, s)| TRUTH.ln() + o[1] - o[0] + s[1] - s[0])
                    .collect()
            })
            .collect();
        Self { baseline, layer, suite }
    }

    /// Whether t, bootstrap, Welch and geomean hold the truth, and whether the first two are said to disagree.
    fn outcome(&self, seed: u64, rng: &mut Rng) -> [bool; 5] {
        let reduce = |boots: &[Vec<f64>]| -> Vec<f64> {
            boots.iter().filter_map(|b| Estimator::Mean.reduce(b, Best::Lowest).ok()).collect()
        };
        let baseline = reduce(&self.baseline);
        let layer = reduce(&self.layer);
        let order = rng.order(layer.len());
        let unrelated: Vec<f64> = order.iter().map(|&i| layer[i]).collect();
        let blocks: Vec<BlockSamples> = self
            .baseline
            .iter()
            .zip(&self.layer)
            .map(|(b, l)| BlockSamples { baseline: b, layer: l })
            .collect();
        let Ok(t) = paired_ratio(&baseline, &layer, CONFIDENCE) else { return [false; 5] };
        let Ok(b) =
            bootstrap_ratio(&blocks, &Estimator::Mean, Best::Lowest, CONFIDENCE, 1000, seed)
        else {
            return [false; 5];
        };
        let welch = unpaired_ratio(&baseline, &unrelated, CONFIDENCE);
        let suite = suite_geomean(&self.suite, CONFIDENCE);
        [
            holds(&t, TRUTH),
            b.low <= TRUTH && TRUTH <= b.high,
            welch.is_ok_and(|welch| holds(&welch, TRUTH)),
            suite.is_ok_and(|suite| holds(&suite.interval, TRUTH)),
            disagree(&t, &b).is_some(),
        ]
    }
}

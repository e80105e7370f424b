//! The experiments on many hosts: how often the mean over hosts lies in its interval, and how often hosts that are the same are said
//! to differ.

use crate::figure::{Figure, Goal, Simulation};
use crate::judge::CONFIDENCE;
use crate::noise::Noise;
use tare_stats::rng::Rng;
use tare_stats::{LogRatio, Study, p_of_same, pool, share_variances};

/// How much a boot varies, and the standard deviation between hosts where they differ.
const SIGMA: f64 = 0.02;

/// How hosts differ in noise: all alike, or the first five times as loud as the others.
const LOUDER: [(&str, f64); 2] = [("alike", 1.0), ("one 5 times as loud", 5.0)];

/// How often the interval of a mean over so many hosts of so many blocks holds it, where hosts have one ratio and where their ratios
/// vary as much as boots do; and how often hosts of one ratio are said to differ.
pub fn merged(simulation: &Simulation, hosts: usize) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (name, louder) in LOUDER {
        for (between, ratios) in [(0.0, "one ratio"), (SIGMA, "several ratios")] {
            let setting = format!("{hosts} hosts of {ratios}, {name}");
            let held = "a merged interval holds the mean over hosts";
            let differ = "hosts of one ratio are said to differ";
            // Two blocks tell neither noise that is another on each host nor boots that have modes.
            let tells = simulation.noise == Noise::Normal && louder == 1.0;
            let most = if tells { Goal::AtMost(0.05) } else { Goal::Reported };
            let both = [
                simulation.figure(held, setting.clone(), Goal::NoLess(0.93)),
                simulation.figure(differ, setting, most),
            ];
            let mut rng = Rng::new(simulation.seed ^ 0x4057);
            let counted = simulation.count(both, |_| {
                let fleet = Fleet::draw(simulation, hosts, between, louder, &mut rng);
                [
                    fleet.holds(),
                    p_of_same(&fleet.studies, &fleet.df, &fleet.blocks).is_ok_and(|p| p <= 0.05),
                ]
            });
            // Where hosts do differ, saying so is no error.
            figures.extend(counted.into_iter().take(if between == 0.0 { 2 } else { 1 }));
        }
    }
    figures
}

/// What hosts say of one ratio, whose mean over hosts is 0.
struct Fleet {
    studies: Vec<Study>,
    df: Vec<f64>,
    blocks: Vec<usize>,
}

impl Fleet {
    fn draw(
        simulation: &Simulation,
        hosts: usize,
        between: f64,
        louder: f64,
        rng: &mut Rng,
    ) -> Fleet {
        let Simulation { noise, blocks, .. } = *simulation;
        let study = |host: usize| {
            let sigma = if host == 0 { louder * SIGMA } else { SIGMA };
            let boots = noise.boots(sigma, blocks, 2, rng);
            let logs: Vec<f64> = boots.iter().map(|boot| boot[1] - boot[0]).collect();
            let log = LogRatio::of_blocks(&logs);
            Study {
                effect: log.mean + between * rng.normal(),
                variance: log.error.powi(2).max(f64::MIN_POSITIVE),
            }
        };
        let studies = (0..hosts).map(study).collect();
        Fleet { studies, df: vec![blocks as f64 - 1.0; hosts], blocks: vec![blocks; hosts] }
    }

    fn holds(&self) -> bool {
        let shared = share_variances(&self.studies, &self.df, &self.blocks, 0.0);
        let pooled = shared.and_then(|studies| pool(&studies, CONFIDENCE));
        pooled.is_ok_and(|pooled| pooled.low <= 0.0 && 0.0 <= pooled.high)
    }
}

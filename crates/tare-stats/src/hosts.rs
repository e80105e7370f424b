//! The experiments on many hosts: how often the mean over hosts lies in its interval, and how often hosts that are the same are said
//! to differ.

use crate::experiment::share;
use crate::goal::{CalibrationRow, Goal};
use crate::meta::{Study, p_of_same, pool, share_variances};
use crate::ratio::Parts;
use crate::rng::Rng;
use crate::simulate::Noise;

/// How much a boot varies, and the standard deviation between hosts where they differ.
const SIGMA: f64 = 0.02;

/// How hosts differ in noise: all alike, or the first five times as loud as the others.
const LOUDER: [(&str, f64); 2] = [("alike", 1.0), ("one 5 times as loud", 5.0)];

/// How often the interval of a mean over so many hosts of so many blocks holds it, where hosts have one ratio and where their ratios
/// vary as much as boots do; and how often hosts of one ratio are said to differ.
#[must_use]
pub fn merged(
    noise: Noise,
    hosts: usize,
    blocks: usize,
    repeats: usize,
    seed: u64,
) -> Vec<CalibrationRow> {
    let mut rows = Vec::new();
    for (name, louder) in LOUDER {
        for between in [0.0, SIGMA] {
            let mut rng = Rng::new(seed ^ 0x4057);
            let (mut held, mut differ) = (0, 0);
            for _ in 0..repeats {
                let fleet = Fleet::draw(noise, (hosts, blocks), between, louder, &mut rng);
                held += usize::from(fleet.holds());
                differ += usize::from(fleet.differs());
            }
            let spread =
                if between > 0.0 { "hosts of several ratios" } else { "hosts of one ratio" };
            let setting = format!("{hosts} {spread}, {name}");
            let row = |what, count, goal| CalibrationRow {
                what,
                noise,
                setting: setting.clone(),
                blocks,
                share: share(count, repeats),
                repeats,
                goal,
            };
            rows.push(row("a merged interval holds the mean over hosts", held, Goal::NoLess(0.93)));
            if between == 0.0 {
                // Two blocks tell neither noise that is another on each host nor boots that have modes.
                let tells = noise == Noise::Normal && louder == 1.0;
                let most = if tells { Goal::AtMost(0.05) } else { Goal::Reported };
                rows.push(row("hosts of one ratio are said to differ", differ, most));
            }
        }
    }
    rows
}

/// What hosts say of one ratio, whose mean over hosts is 0.
struct Fleet {
    studies: Vec<Study>,
    df: Vec<f64>,
    blocks: Vec<usize>,
}

impl Fleet {
    fn draw(
        noise: Noise,
        (hosts, blocks): (usize, usize),
        between: f64,
        louder: f64,
        rng: &mut Rng,
    ) -> Fleet {
        let study = |host: usize| {
            let sigma = if host == 0 { louder * SIGMA } else { SIGMA };
            let boots = noise.boots(sigma, blocks, 2, rng);
            let logs: Vec<f64> = boots.iter().map(|boot| boot[1] - boot[0]).collect();
            let parts = Parts::of_blocks(&logs);
            Study {
                effect: parts.mean + between * rng.normal(),
                variance: parts.error.powi(2).max(f64::MIN_POSITIVE),
            }
        };
        let studies = (0..hosts).map(study).collect();
        Fleet { studies, df: vec![blocks as f64 - 1.0; hosts], blocks: vec![blocks; hosts] }
    }

    fn holds(&self) -> bool {
        let shared = share_variances(&self.studies, &self.df, &self.blocks, 0.0);
        let pooled = shared.and_then(|studies| pool(&studies, 0.95));
        pooled.is_ok_and(|pooled| pooled.low <= 0.0 && 0.0 <= pooled.high)
    }

    fn differs(&self) -> bool {
        p_of_same(&self.studies, &self.df, &self.blocks).is_ok_and(|p| p <= 0.05)
    }
}

//! The experiments on campaigns whose time is allocated: rows end when their intervals have been narrow for long enough, so
//! a suite's rows, and the floor's, end after different numbers of blocks.

use crate::correct::Correction;
use crate::dist::t_factor;
use crate::estimator::Best;
use crate::experiment::{MARGIN, is_difference, share};
use crate::geomean::suite_geomean_sparse;
use crate::goal::{CalibrationRow, Goal};
use crate::input::RowInput;
use crate::ratio::{Parts, RatioInterval};
use crate::rng::Rng;
use crate::simulate::{Noise, Rows};
use crate::verdict::{VarianceModel, VerdictRules, claims};
use crate::width::narrow_enough;

/// Rows of the suite.
const ROWS: usize = 24;

/// How rows differ, the half width at which they are narrow, and the scale of what all rows of a boot share.
const SETTINGS: [(Rows, f64, f64); 3] =
    [(Rows::Alike, 0.015, 0.01), (Rows::Varied, 0.02, 0.005), (Rows::FewLoud, 0.01, 0.01)];

/// How often a campaign of rows that end by themselves, at the latest after `most` blocks, is right about what is truly
/// equal: its rows' intervals, its geometric mean and its floor over all rows hold 1, and no row is called different.
#[must_use]
pub fn allocated(noise: Noise, most: usize, repeats: usize, seed: u64) -> Vec<CalibrationRow> {
    let factors: Vec<f64> = (0..=most)
        .map(|n| if n < 2 { f64::INFINITY } else { t_factor(0.95, n as f64 - 1.0) })
        .collect();
    let setting = |(rows, target, shared): (Rows, f64, f64)| {
        let mut rng = Rng::new(seed ^ 0xAD);
        let mut counts = [0_usize; 4];
        let campaign = Campaign { noise, rows, target, shared, factors: &factors };
        for _ in 0..repeats {
            for (count, yes) in counts.iter_mut().zip(campaign.outcome(&mut rng)) {
                *count += usize::from(yes);
            }
        }
        let name = format!("{ROWS} rows, {rows}; narrow at ±{}%", 100.0 * target);
        figures(noise, &name, most, counts, repeats)
    };
    SETTINGS.into_iter().flat_map(setting).collect()
}

fn figures(
    noise: Noise,
    setting: &str,
    blocks: usize,
    counts: [usize; 4],
    repeats: usize,
) -> Vec<CalibrationRow> {
    let held = Goal::Between(0.93, 0.97);
    let what = [
        ("the interval of a row that ends when it is narrow holds the truth", held),
        ("the geomean's interval holds the truth, rows ending when they are narrow", held),
        ("the overall floor's interval holds 1, rows ending when they are narrow", held),
        (
            "an A/A scoreboard has any slower or faster, rows ending when they are narrow",
            Goal::AtMost(0.05),
        ),
    ];
    let row = |((what, goal), count)| CalibrationRow {
        what,
        noise,
        setting: setting.to_owned(),
        blocks,
        share: share(count, repeats),
        repeats,
        goal,
    };
    what.into_iter().zip(counts).map(row).collect()
}

/// One layer, truly equal to its baseline.
struct Campaign<'a> {
    noise: Noise,
    rows: Rows,
    target: f64,
    shared: f64,
    /// The factor of Student's t by number of blocks, to the most that there are.
    factors: &'a [f64],
}

impl Campaign<'_> {
    fn outcome(&self, rng: &mut Rng) -> [bool; 4] {
        let most = self.factors.len() - 1;
        let together = self.noise.boots(self.shared, most, 3, rng);
        let (mut ratios, mut pairs, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROWS {
            let boots = self.noise.boots(self.rows.sigma(rng), most, 3, rng);
            let boot = |block: usize, at: usize| boots[block][at] + together[block][at];
            // As in a campaign: the baseline's value is the mean of its two boots, which are the floor as well.
            let logs: Vec<f64> =
                (0..most).map(|b| boot(b, 2) - f64::midpoint(boot(b, 0), boot(b, 1))).collect();
            let aa: Vec<f64> = (0..most).map(|b| boot(b, 1) - boot(b, 0)).collect();
            let end = self.end(&logs);
            let (interval, floor) = (self.interval(&logs[..end]), self.interval(&aa[..end]));
            let floor = floor.log_ratio.abs() + self.factors[end] * floor.std_error;
            inputs.push(RowInput { interval, margin: MARGIN, floor, best: Best::Lowest, layer: 0 });
            ratios.push(until(&logs, end));
            pairs.push(until(&aa, end));
        }
        let rules = VerdictRules {
            correction: Correction::Holm,
            alpha: 0.05,
            variance: VarianceModel::Auto,
        };
        let holds = |i: &RatioInterval| i.low <= 1.0 && 1.0 <= i.high;
        let mean = |rows: &[Vec<Option<f64>>]| {
            suite_geomean_sparse(rows, 0.95).is_ok_and(|suite| holds(&suite.interval))
        };
        [
            holds(&inputs[0].interval),
            mean(&ratios),
            mean(&pairs),
            claims(&inputs, &rules).iter().any(|answer| is_difference(answer.verdict)),
        ]
    }

    /// The blocks after which a row is narrow enough.
    fn end(&self, logs: &[f64]) -> usize {
        let widths: Vec<f64> = (0..=logs.len())
            .map(|n| if n < 2 { f64::INFINITY } else { self.half_width(&logs[..n]) })
            .collect();
        let done = |n: &usize| narrow_enough(*n, self.target, |n| widths[n]);
        (2..logs.len()).find(done).unwrap_or(logs.len())
    }

    fn half_width(&self, logs: &[f64]) -> f64 {
        self.factors[logs.len()] * Parts::of_blocks(logs).error
    }

    fn interval(&self, logs: &[f64]) -> RatioInterval {
        RatioInterval::with_factor(Parts::of_blocks(logs), 0.95, self.factors[logs.len()])
    }
}

/// The first `end` blocks of a row; the others were not measured.
fn until(logs: &[f64], end: usize) -> Vec<Option<f64>> {
    logs.iter().enumerate().map(|(block, log)| (block < end).then_some(*log)).collect()
}

//! The experiments on campaigns whose time is allocated: rows end when their intervals have been narrow for long enough, so
//! a suite's rows, and the floor's, end after different numbers of blocks.

use crate::figure::{Figure, Goal, Simulation};
use crate::judge::{CONFIDENCE, Intervals, any_difference, holds, judged, row};
use crate::noise::{Noise, Rows};
use tare_stats::rng::Rng;
use tare_stats::{VarianceModel, narrow_enough, suite_geomean_sparse};

/// Rows of the suite.
const ROWS: usize = 24;

/// A suite whose rows end by themselves.
struct Suite {
    rows: Rows,
    /// The half width at which they are narrow.
    target: f64,
    /// The scale of what all rows of a boot share.
    shared: f64,
}

const SUITES: [Suite; 3] = [
    Suite { rows: Rows::Alike, target: 0.015, shared: 0.01 },
    Suite { rows: Rows::Varied, target: 0.02, shared: 0.005 },
    Suite { rows: Rows::FewLoud, target: 0.01, shared: 0.01 },
];

/// How often a campaign of rows that end by themselves, at the latest after so many blocks, is right about what is truly
/// equal: its rows' intervals, its geometric mean and its floor over all rows hold 1, and no row is called different.
pub fn allocated(simulation: &Simulation) -> Vec<Figure> {
    let intervals = Intervals::up_to(simulation.blocks);
    let figures = |suite: &Suite| {
        let setting = format!("{ROWS} rows, {}; narrow at ±{}%", suite.rows, 100.0 * suite.target);
        let held = Goal::Between(0.93, 0.97);
        let figures = [
            ("the interval of a row that ends when it is narrow holds the truth", held),
            ("the geomean's interval holds the truth, rows ending when they are narrow", held),
            ("the overall floor's interval holds 1, rows ending when they are narrow", held),
            (
                "an A/A scoreboard has any slower or faster, rows ending when they are narrow",
                Goal::AtMost(0.05),
            ),
        ]
        .map(|(what, goal)| simulation.figure(what, setting.clone(), goal));
        let mut rng = Rng::new(simulation.seed ^ 0xAD);
        simulation.count(figures, |_| {
            suite.outcome(simulation.noise, simulation.blocks, &intervals, &mut rng)
        })
    };
    SUITES.iter().flat_map(figures).collect()
}

impl Suite {
    /// One campaign of a layer that is truly equal to its baseline.
    fn outcome(
        &self,
        noise: Noise,
        most: usize,
        intervals: &Intervals,
        rng: &mut Rng,
    ) -> [bool; 4] {
        let together = noise.boots(self.shared, most, 3, rng);
        let mut ratios = Vec::new();
        let mut pairs = Vec::new();
        let mut inputs = Vec::new();
        for _ in 0..ROWS {
            let boots = noise.boots(self.rows.sigma(rng), most, 3, rng);
            let boot = |block: usize, at: usize| boots[block][at] + together[block][at];
            // As in a campaign: the baseline's value is the mean of its two boots, which are the floor as well.
            let logs: Vec<f64> =
                (0..most).map(|b| boot(b, 2) - f64::midpoint(boot(b, 0), boot(b, 1))).collect();
            let aa: Vec<f64> = (0..most).map(|b| boot(b, 1) - boot(b, 0)).collect();
            let end = self.end(&logs, intervals);
            inputs.push(row(intervals.interval(&logs[..end]), intervals.floor(&aa[..end])));
            ratios.push(until(&logs, end));
            pairs.push(until(&aa, end));
        }
        let mean_holds = |rows: &[Vec<Option<f64>>]| {
            suite_geomean_sparse(rows, CONFIDENCE).is_ok_and(|suite| holds(&suite.interval, 1.0))
        };
        [
            holds(&inputs[0].interval, 1.0),
            mean_holds(&ratios),
            mean_holds(&pairs),
            any_difference(&judged(&inputs, VarianceModel::Auto)),
        ]
    }

    /// The blocks after which a row is narrow enough.
    fn end(&self, logs: &[f64], intervals: &Intervals) -> usize {
        let widths: Vec<f64> = (0..=logs.len()).map(|n| intervals.half_width(&logs[..n])).collect();
        let done = |n: &usize| narrow_enough(*n, self.target, |n| widths[n]);
        (2..logs.len()).find(done).unwrap_or(logs.len())
    }
}

/// The first `end` blocks of a row; the others were not measured.
fn until(logs: &[f64], end: usize) -> Vec<Option<f64>> {
    logs.iter().enumerate().map(|(block, log)| (block < end).then_some(*log)).collect()
}

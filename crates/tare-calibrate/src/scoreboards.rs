//! The experiments on whole scoreboards: how often verdicts are false, and how often they find a difference.

use crate::figure::{Figure, Goal, Simulation};
use crate::judge::{Intervals, MARGIN, any_difference, judged, row};
use crate::noise::{Noise, Rows};
use tare_stats::rng::Rng;
use tare_stats::{LogRatio, RowInput, RowVerdict, VarianceModel, Verdict};

struct Way {
    name: &'static str,
    variance: VarianceModel,
    floor: bool,
    /// It is a default, and so has a goal to meet; the others are reported for comparison.
    default: bool,
}

const WAYS: [Way; 5] = [
    Way {
        name: "own variance, no floor (default without A/A)",
        variance: VarianceModel::PerRow,
        floor: false,
        default: true,
    },
    Way {
        name: "moderated, no floor",
        variance: VarianceModel::Moderated,
        floor: false,
        default: false,
    },
    Way {
        name: "own variance, floor",
        variance: VarianceModel::PerRow,
        floor: true,
        default: false,
    },
    Way {
        name: "moderated, floor",
        variance: VarianceModel::Moderated,
        floor: true,
        default: false,
    },
    Way {
        name: "automatic, floor (default with A/A)",
        variance: VarianceModel::Auto,
        floor: true,
        default: true,
    },
];

/// How many rows a scoreboard has: one for each benchmark and layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Benchmarks.
    pub benchmarks: usize,
    /// Layers beside the baseline.
    pub layers: usize,
}

/// How often a scoreboard whose rows are all truly equal shows any difference under Holm at 5%.
pub fn false_verdicts(simulation: &Simulation, rows: Rows, size: Size) -> Vec<Figure> {
    let board = Board { rows, size, salt: 0xAA };
    let what = "an A/A scoreboard has any slower or faster";
    board.count(simulation, what, Goal::AtMost(0.05), |_, _| 0.0, any_difference)
}

/// How often any claim is false when both kinds of claim can be: half the benchmarks have ratio 1 and half lie exactly
/// on the margin, in quiet rows.
pub fn false_claims(simulation: &Simulation) -> Vec<Figure> {
    let size = Size { benchmarks: 20, layers: 2 };
    let board = Board { rows: Rows::Quiet, size, salt: 0xFC };
    let what = "any claim is false, half the rows at 1 and half at the margin";
    let on_margin = |benchmark: usize| benchmark % 2 == 1;
    let shift = |benchmark, _| if on_margin(benchmark) { MARGIN.ln_1p() } else { 0.0 };
    let wrong = |answers: &[RowVerdict]| {
        answers.iter().enumerate().any(|(row, answer)| match answer.verdict {
            Verdict::Slower => !on_margin(row / size.layers),
            Verdict::Faster => true,
            Verdict::Equivalent => on_margin(row / size.layers),
            _ => false,
        })
    };
    board.count(simulation, what, Goal::AtMost(0.05), shift, wrong)
}

/// How often the one row that is truly 5% slower is called so, among rows that are equal; boots vary by 2%.
pub fn power(simulation: &Simulation, size: Size) -> Vec<Figure> {
    let board = Board { rows: Rows::Alike, size, salt: 0x50 };
    let shift = |benchmark, layer| if benchmark + layer == 0 { 0.05_f64.ln_1p() } else { 0.0 };
    let found =
        |answers: &[RowVerdict]| answers.first().is_some_and(|a| a.verdict == Verdict::Slower);
    let goal = if simulation.blocks >= 10 { Goal::AtLeast(0.9) } else { Goal::Reported };
    let mut figures = board.count(simulation, "a true +5% is called slower", goal, shift, found);
    // Without A/A pairs the promise is for a row on its own: Holm over many rows costs more than 10 blocks give.
    for figure in &mut figures {
        if figure.setting.contains("no floor") && size.benchmarks * size.layers > 1 {
            figure.goal = Goal::Reported;
        }
    }
    figures
}

/// A simulated scoreboard: all layers are divided by the same baseline boots.
struct Board {
    rows: Rows,
    size: Size,
    /// What makes this experiment's random numbers others than those of the rest.
    salt: u64,
}

impl Board {
    /// Draws scoreboards and counts, for each of [`WAYS`], those whose verdicts fulfil `counted`. `shift` is the true log ratio of a
    /// benchmark on a layer.
    fn count(
        &self,
        simulation: &Simulation,
        what: &'static str,
        goal: Goal,
        shift: impl Fn(usize, usize) -> f64,
        counted: impl Fn(&[RowVerdict]) -> bool,
    ) -> Vec<Figure> {
        let rows = self.size.benchmarks * self.size.layers;
        let figures = WAYS.each_ref().map(|way| {
            let setting = format!("{rows} rows, {}; {}", self.rows, way.name);
            simulation.figure(what, setting, if way.default { goal } else { Goal::Reported })
        });
        let mut rng = Rng::new(simulation.seed ^ self.salt);
        let intervals = Intervals::up_to(simulation.blocks);
        simulation.count(figures, |_| {
            let with_floor =
                self.draw(simulation.noise, simulation.blocks, &intervals, &shift, &mut rng);
            let without: Vec<RowInput> =
                with_floor.iter().map(|row| RowInput { floor: 0.0, ..*row }).collect();
            WAYS.each_ref().map(|way| {
                counted(&judged(if way.floor { &with_floor } else { &without }, way.variance))
            })
        })
    }

    /// The rows of one campaign, benchmark by benchmark, with the floor of each benchmark.
    fn draw(
        &self,
        noise: Noise,
        blocks: usize,
        intervals: &Intervals,
        shift: &impl Fn(usize, usize) -> f64,
        rng: &mut Rng,
    ) -> Vec<RowInput> {
        let mut inputs = Vec::new();
        for benchmark in 0..self.size.benchmarks {
            let sigma = self.rows.sigma(rng);
            // The baseline boots twice, for the floor.
            let boots = noise.boots(sigma, blocks, self.size.layers + 2, rng);
            let against_first = |boot: usize| -> Vec<f64> {
                boots.iter().map(|block| block[boot] - block[0]).collect()
            };
            let floor = intervals.floor(&against_first(1));
            for layer in 0..self.size.layers {
                let mut log = LogRatio::of_blocks(&against_first(layer + 2));
                log.mean += shift(benchmark, layer);
                inputs.push(RowInput { layer, ..row(intervals.interval_of_log(log), floor) });
            }
        }
        inputs
    }
}

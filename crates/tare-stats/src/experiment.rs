//! The experiments that [`crate::calibrate()`] is made of: each simulates campaigns and counts what the method says.

use crate::bootstrap::{BlockSamples, bootstrap_ratio, disagree};
use crate::correct::Correction;
use crate::dist::t_factor;
use crate::estimator::{Best, Estimator};
use crate::geomean::suite_geomean;
use crate::goal::{CalibrationRow, Goal};
use crate::input::RowInput;
use crate::ratio::{Parts, RatioInterval, paired_ratio, unpaired_ratio};
use crate::rng::Rng;
use crate::simulate::{Board, Drawn, Noise, Rows};
use crate::verdict::{RowVerdict, VarianceModel, Verdict, VerdictRules, claims};

/// The margin of the simulated scoreboards.
pub(crate) const MARGIN: f64 = 0.02;

/// How a scoreboard may be decided: whose variance is used, whether the noise floor was measured, and whether the result has
/// a goal to meet (because it is a default) or is only reported for comparison.
const WAYS: [(&str, VarianceModel, bool, bool); 5] = [
    ("own variance, no floor (default without A/A)", VarianceModel::PerRow, false, true),
    ("moderated, no floor", VarianceModel::Moderated, false, false),
    ("own variance, floor", VarianceModel::PerRow, true, false),
    ("moderated, floor", VarianceModel::Moderated, true, false),
    ("automatic, floor (default with A/A)", VarianceModel::Auto, true, true),
];

/// How often the intervals hold a true ratio of 1.10, with 20 samples of 3% noise per boot and boots of 2%.
#[must_use]
pub fn coverage(noise: Noise, blocks: usize, repeats: usize, seed: u64) -> Vec<CalibrationRow> {
    let mut rng = Rng::new(seed ^ 0xC0);
    let mut held = [0_usize; 5];
    for repeat in 0..repeats {
        let drawn = Series::draw(noise, blocks, 1.10, &mut rng);
        let outcome = drawn.outcome(1.10, seed.wrapping_add(repeat as u64), &mut rng);
        for (count, yes) in held.iter_mut().zip(outcome) {
            *count += usize::from(yes);
        }
    }
    let goal = if blocks >= 5 { Goal::Between(0.93, 0.97) } else { Goal::Reported };
    let what = [
        ("t interval holds the true ratio", goal),
        ("bootstrap interval holds the true ratio", Goal::Reported),
        ("unpaired interval holds the true ratio", Goal::Reported),
        ("geomean interval holds the true ratio", goal),
        ("t and bootstrap are said to disagree", Goal::Reported),
    ];
    let row = |((what, goal), count)| CalibrationRow {
        what,
        noise,
        setting: "true ratio 1.10".to_owned(),
        blocks,
        share: share(count, repeats),
        repeats,
        goal,
    };
    what.into_iter().zip(held).map(row).collect()
}

/// How often the interval of unrelated runs holds a true ratio of 1.10: two sessions apart from each other, as imports
/// are, `runs` of the layer; runs vary by 2%, or the layer's by 10% against three times as many of the baseline.
#[must_use]
pub fn imports(noise: Noise, runs: usize, repeats: usize, seed: u64) -> Vec<CalibrationRow> {
    let settings = [
        ("as many runs of the baseline", 1, 0.02),
        ("three times as many, 5 times calmer", 3, 0.1),
    ];
    let row = |(name, times, sigma): (&str, usize, f64)| {
        let mut rng = Rng::new(seed ^ 0x1A);
        let mut session = |sigma, runs, center: f64| -> Vec<f64> {
            let boots = noise.boots(sigma, runs, 1, &mut rng);
            boots.iter().map(|boot| center * boot[0].exp()).collect()
        };
        let mut held = 0;
        for _ in 0..repeats {
            let (base, layer) = (session(0.02, times * runs, 100.0), session(sigma, runs, 110.0));
            let interval = unpaired_ratio(&base, &layer, 0.95);
            held += usize::from(interval.is_ok_and(|i| i.low <= 1.1 && 1.1 <= i.high));
        }
        // Sessions that are not alike within themselves differ by more than their runs show: told, not promised.
        let alike = matches!(noise, Noise::Normal | Noise::HeavyTail);
        let goal = if runs >= 5 && alike { Goal::Between(0.93, 0.97) } else { Goal::Reported };
        let what = "an import's interval holds the true ratio";
        let share = share(held, repeats);
        CalibrationRow { what, noise, setting: name.into(), blocks: runs, share, repeats, goal }
    };
    // Drift and modes move a session's mean by their size, so that unequal ones have another true ratio.
    let centered = !matches!(noise, Noise::Drift | Noise::BimodalBoots);
    settings.into_iter().filter(|(_, times, _)| centered || *times == 1).map(row).collect()
}

/// How often a scoreboard of `benchmarks × layers`, all truly equal, shows any difference under Holm at 5%.
#[must_use]
pub fn false_verdicts(
    noise: Noise,
    rows: Rows,
    (benchmarks, layers): (usize, usize),
    blocks: usize,
    repeats: usize,
    seed: u64,
) -> Vec<CalibrationRow> {
    let board = Board { noise, rows, benchmarks, layers, blocks };
    let what = "an A/A scoreboard has any slower or faster";
    let wrong = |answers: &[RowVerdict]| answers.iter().any(|a| is_difference(a.verdict));
    let goal = Goal::AtMost(0.05);
    count(what, &board, |_, _| 0.0, wrong, goal, repeats, seed ^ 0xAA)
}

/// How often any claim is false when both kinds of claim can be: half the benchmarks have ratio 1 and half sit exactly
/// on the margin, in quiet rows.
#[must_use]
pub fn false_claims(noise: Noise, blocks: usize, repeats: usize, seed: u64) -> Vec<CalibrationRow> {
    let board = Board { noise, rows: Rows::Quiet, benchmarks: 20, layers: 2, blocks };
    let what = "any claim is false, half the rows at 1 and half at the margin";
    let on_margin = |row: usize| (row / 2) % 2 == 1;
    let wrong = |answers: &[RowVerdict]| {
        answers.iter().enumerate().any(|(row, answer)| match answer.verdict {
            Verdict::Slower => !on_margin(row),
            Verdict::Faster => true,
            Verdict::Equivalent => on_margin(row),
            _ => false,
        })
    };
    let shift = |benchmark, _| if benchmark % 2 == 1 { MARGIN.ln_1p() } else { 0.0 };
    count(what, &board, shift, wrong, Goal::AtMost(0.05), repeats, seed ^ 0xFC)
}

/// How often the one row that is truly 5% slower is called so, among rows that are equal; boots vary by 2%.
#[must_use]
pub fn power(
    noise: Noise,
    (benchmarks, layers): (usize, usize),
    blocks: usize,
    repeats: usize,
    seed: u64,
) -> Vec<CalibrationRow> {
    let board = Board { noise, rows: Rows::Alike, benchmarks, layers, blocks };
    let shift = |benchmark, layer| if benchmark + layer == 0 { 0.05_f64.ln_1p() } else { 0.0 };
    let found =
        |answers: &[RowVerdict]| answers.first().is_some_and(|a| a.verdict == Verdict::Slower);
    let goal = if blocks >= 10 { Goal::AtLeast(0.9) } else { Goal::Reported };
    let mut rows =
        count("a true +5% is called slower", &board, shift, found, goal, repeats, seed ^ 0x50);
    // Without A/A pairs the promise is for a row on its own: Holm over many rows costs more than 10 blocks give.
    for row in &mut rows {
        if row.setting.contains("no floor") && benchmarks * layers > 1 {
            row.goal = Goal::Reported;
        }
    }
    rows
}

/// Draws `repeats` scoreboards and counts, for each of [`WAYS`], those whose verdicts fulfil `counted`.
fn count(
    what: &'static str,
    board: &Board,
    shift: impl Fn(usize, usize) -> f64,
    counted: impl Fn(&[RowVerdict]) -> bool,
    goal: Goal,
    repeats: usize,
    seed: u64,
) -> Vec<CalibrationRow> {
    let mut rng = Rng::new(seed);
    let mut counts = [0_usize; WAYS.len()];
    for _ in 0..repeats {
        let with_floor = inputs(&board.draw(&mut rng), &shift);
        let without: Vec<RowInput> =
            with_floor.iter().map(|r| RowInput { floor: 0.0, ..*r }).collect();
        for (n, (_, variance, floor, _)) in counts.iter_mut().zip(WAYS) {
            let rules = VerdictRules { correction: Correction::Holm, alpha: 0.05, variance };
            *n += usize::from(counted(&claims(if floor { &with_floor } else { &without }, &rules)));
        }
    }
    let size = board.benchmarks * board.layers;
    let row = |(n, (way, _, _, promised))| CalibrationRow {
        what,
        noise: board.noise,
        setting: format!("{size} rows, {}; {way}", board.rows),
        blocks: board.blocks,
        share: share(n, repeats),
        repeats,
        goal: if promised { goal } else { Goal::Reported },
    };
    counts.into_iter().zip(WAYS).map(row).collect()
}

pub(crate) fn is_difference(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Slower | Verdict::Faster)
}

pub(crate) fn share(count: usize, repeats: usize) -> f64 {
    count as f64 / repeats.max(1) as f64
}

/// The scoreboard's rows, benchmark by benchmark, with the floor of each benchmark; `shift` is the true log ratio.
fn inputs(drawn: &[Drawn], shift: &impl Fn(usize, usize) -> f64) -> Vec<RowInput> {
    let blocks = drawn.first().map_or(2, |d| d.aa.len());
    let factor = t_factor(0.95, blocks as f64 - 1.0);
    let mut rows = Vec::new();
    for (benchmark, d) in drawn.iter().enumerate() {
        let aa = Parts::of_blocks(&d.aa);
        let floor = aa.mean.abs() + factor * aa.error;
        for (layer, logs) in d.layers.iter().enumerate() {
            let mut parts = Parts::of_blocks(logs);
            parts.mean += shift(benchmark, layer);
            let interval = RatioInterval::with_factor(parts, 0.95, factor);
            rows.push(RowInput { interval, margin: MARGIN, floor, best: Best::Lowest, layer });
        }
    }
    rows
}

/// The samples of one simulated row: `[block][sample]` of the baseline and of the layer.
struct Series {
    baseline: Vec<Vec<f64>>,
    layer: Vec<Vec<f64>>,
    /// Three more rows of log ratios, which share half their boots' variance, for the suite's geometric mean.
    suite: Vec<Vec<f64>>,
}

impl Series {
    fn draw(noise: Noise, blocks: usize, ratio: f64, rng: &mut Rng) -> Self {
        let boots = noise.boots(0.02, blocks, 2, rng);
        let mut samples = |center: f64| -> Vec<f64> {
            (0..20).map(|_| center * (1.0 + 0.03 * rng.normal()).max(0.01)).collect()
        };
        let baseline = boots.iter().map(|b| samples(100.0 * b[0].exp())).collect();
        let layer = boots.iter().map(|b| samples(100.0 * ratio * b[1].exp())).collect();
        let suite = (0..4)
            .map(|_| {
                let own = noise.boots(0.02, blocks, 2, rng);
                own.iter()
                    .zip(&boots)
                    .map(|(o, s)| ratio.ln() + o[1] - o[0] + s[1] - s[0])
                    .collect()
            })
            .collect();
        Self { baseline, layer, suite }
    }

    /// Whether t, bootstrap, Welch and geomean hold the truth, and whether the first two are said to disagree.
    fn outcome(&self, truth: f64, seed: u64, rng: &mut Rng) -> [bool; 5] {
        let reduce = |boots: &[Vec<f64>]| -> Vec<f64> {
            boots.iter().filter_map(|b| Estimator::Mean.reduce(b, Best::Lowest).ok()).collect()
        };
        let (baseline, layer) = (reduce(&self.baseline), reduce(&self.layer));
        let order = rng.order(layer.len());
        let unrelated: Vec<f64> = order.iter().map(|&i| layer[i]).collect();
        let blocks: Vec<BlockSamples> = self
            .baseline
            .iter()
            .zip(&self.layer)
            .map(|(b, l)| BlockSamples { baseline: b, layer: l })
            .collect();
        let holds = |low: f64, high: f64| low <= truth && truth <= high;
        let Ok(t) = paired_ratio(&baseline, &layer, 0.95) else { return [false; 5] };
        let Ok(b) = bootstrap_ratio(&blocks, &Estimator::Mean, Best::Lowest, 0.95, 1000, seed)
        else {
            return [false; 5];
        };
        let welch = unpaired_ratio(&baseline, &unrelated, 0.95);
        let suite = suite_geomean(&self.suite, 0.95);
        [
            holds(t.low, t.high),
            holds(b.low, b.high),
            welch.is_ok_and(|w| holds(w.low, w.high)),
            suite.is_ok_and(|s| holds(s.interval.low, s.interval.high)),
            disagree(&t, &b).is_some(),
        ]
    }
}

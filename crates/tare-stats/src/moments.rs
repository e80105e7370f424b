//! The experiments on rounds. They simulate machines whose speed changes from moment to moment, and compare campaigns that
//! boot one layer after the other with campaigns whose layers take turns.

use crate::correct::Correction;
use crate::estimator::{Best, Estimator};
use crate::experiment::{MARGIN, is_difference, share};
use crate::goal::{CalibrationRow, Goal};
use crate::input::RowInput;
use crate::ratio::{log_ratio, ratio_of_logs};
use crate::rng::Rng;
use crate::rounds::rounds_log_ratio;
use crate::simulate::Noise;
use crate::summary::{mean_of, median};
use crate::verdict::{VarianceModel, Verdict, VerdictRules, claims};
use crate::width::narrow_enough;

/// Boots of a block: the baseline twice, and a layer.
const BOOTS: usize = 3;

/// Rounds of a series and samples of a turn.
const ROUNDS: usize = 15;
const SAMPLES: usize = 8;

/// Rows of a scoreboard.
const ROWS: usize = 24;

/// Standard deviations on the log scale: of what is particular to a boot (its layout in memory), and of a single sample.
const BOOT: f64 = 0.007;
const SAMPLE: f64 = 0.01;

/// The time between the ends of two consecutive boots, counted in samples.
const APART: usize = 300;

/// How a machine changes while it measures; one step is the time of a sample.
#[derive(Clone, Copy)]
enum Machine {
    /// Not at all.
    Still,
    /// A random walk of 0.4% a step (temperature, a drifting neighbour).
    Walk,
    /// A neighbour's bursts: 40% slower for 8 steps, every 60 steps in the mean.
    Bursts,
    /// Another frequency every 100 steps in the mean, 5% apart.
    Steps,
}

impl Machine {
    const ALL: [Machine; 4] = [Machine::Still, Machine::Walk, Machine::Bursts, Machine::Steps];

    const fn name(self) -> &'static str {
        match self {
            Machine::Still => "a still machine",
            Machine::Walk => "a random walk in time",
            Machine::Bursts => "a neighbour's bursts",
            Machine::Steps => "frequency steps",
        }
    }

    /// The machine's slowness in the next moment, as a log, when it was `before` in this one.
    fn next(self, before: f64, rng: &mut Rng) -> f64 {
        let chance = |one_in: f64, rng: &mut Rng| rng.uniform() * one_in < 1.0;
        match self {
            Machine::Still => 0.0,
            Machine::Walk => before + 0.004 * rng.normal(),
            Machine::Bursts if before > 0.0 => {
                if chance(8.0, rng) {
                    0.0
                } else {
                    before
                }
            }
            Machine::Bursts => {
                if chance(60.0, rng) {
                    0.4_f64.ln_1p()
                } else {
                    0.0
                }
            }
            Machine::Steps => {
                if chance(100.0, rng) {
                    0.05 * rng.normal()
                } else {
                    before
                }
            }
        }
    }
}

/// How a block's boots follow each other.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Boots,
    Rounds,
}

/// One row of one block on a machine: for every boot, the samples of every round.
struct Block {
    turns: [Vec<[f64; SAMPLES]>; BOOTS],
}

impl Block {
    fn draw(machine: Machine, order: Order, shift: f64, rng: &mut Rng) -> Block {
        let own: [f64; BOOTS] =
            std::array::from_fn(|boot| BOOT * rng.normal() + if boot == 2 { shift } else { 0.0 });
        let mut now = 0.0;
        let mut turns: [Vec<[f64; SAMPLES]>; BOOTS] = Default::default();
        let mut turn = |boot: usize, cold: usize, rng: &mut Rng| {
            for _ in 0..cold {
                now = machine.next(now, rng);
            }
            turns[boot].push(std::array::from_fn(|_| {
                now = machine.next(now, rng);
                (now + own[boot] + SAMPLE * rng.normal()).exp()
            }));
        };
        match order {
            Order::Rounds => (0..ROUNDS).for_each(|_| {
                rng.order(BOOTS).into_iter().for_each(|boot| turn(boot, 1, rng));
            }),
            Order::Boots => rng.order(BOOTS).into_iter().for_each(|boot| {
                (0..ROUNDS).for_each(|round| turn(boot, if round == 0 { APART } else { 0 }, rng));
            }),
        }
        Block { turns }
    }

    /// The log ratio of one boot to another, as a campaign takes it.
    fn log(&self, order: Order, (layer, base): (usize, usize)) -> f64 {
        let by_rounds = || rounds_log_ratio(&self.best(layer), &self.best(base));
        let value = |boot: usize| {
            let estimator = Estimator::MeanOfBest { keep: 18, of: 30 };
            let samples: Vec<f64> = self.turns[boot].iter().flatten().copied().collect();
            estimator.reduce(&samples, Best::Lowest).unwrap_or(f64::NAN)
        };
        let by_values = || Some(log_ratio(value(base), value(layer)));
        let log = if order == Order::Rounds { by_rounds() } else { by_values() };
        log.unwrap_or(f64::NAN)
    }

    /// The layer to the baseline, and the baseline's second boot to its first.
    fn both(&self, order: Order) -> (f64, f64) {
        let ratio = f64::midpoint(self.log(order, (2, 0)), self.log(order, (2, 1)));
        (ratio, self.log(order, (1, 0)))
    }

    fn best(&self, boot: usize) -> Vec<f64> {
        let least = |samples: &[f64; SAMPLES]| samples.iter().copied().fold(f64::NAN, f64::min);
        self.turns[boot].iter().map(least).collect()
    }
}

/// The experiments on rounds, over `repeats` campaigns each.
pub(crate) fn moments(repeats: usize, seed: u64) -> Vec<CalibrationRow> {
    let mut rows = Vec::new();
    for machine in Machine::ALL {
        rows.extend(errors(machine, repeats, seed));
    }
    for (order, name) in [(Order::Rounds, "rounds"), (Order::Boots, "boots")] {
        for machine in Machine::ALL {
            for blocks in [3, 5, 10, 20] {
                rows.extend(campaigns(machine, (order, name), blocks, repeats / 8, seed));
            }
        }
    }
    rows
}

/// The root mean square error of a block's log ratio, by how it is taken from the rounds.
fn errors(machine: Machine, repeats: usize, seed: u64) -> Vec<CalibrationRow> {
    let mut rng = Rng::new(seed ^ 0x0E);
    let centres: [(&str, Centre); 4] = [
        ("median of the rounds", |layer, base| rounds_log_ratio(layer, base).unwrap_or(f64::NAN)),
        ("mean", |layer, base| mean_of(&logs(layer, base))),
        ("mean without a fifth at either end", |layer, base| trimmed(logs(layer, base))),
        ("Hodges and Lehmann's estimator", |layer, base| pairs(&logs(layer, base))),
    ];
    let (mut squares, mut of_boots) = ([0.0; 4], 0.0);
    for _ in 0..repeats {
        let block = Block::draw(machine, Order::Rounds, 0.0, &mut rng);
        let (layer, base) = (block.best(2), block.best(0));
        for (sum, (_, centre)) in squares.iter_mut().zip(centres) {
            *sum += centre(&layer, &base).powi(2);
        }
        let block = Block::draw(machine, Order::Boots, 0.0, &mut rng);
        of_boots += block.log(Order::Boots, (2, 0)).powi(2);
    }
    let names = centres.iter().map(|(name, _)| *name).chain(["one boot after the other"]);
    let sums = squares.into_iter().chain([of_boots]);
    let row = |(name, sum): (&str, f64)| CalibrationRow {
        what: "a block's log ratio is off by (root mean square, not a share)",
        noise: Noise::Normal,
        setting: format!("{}, {name}", machine.name()),
        blocks: 1,
        share: (sum / repeats.max(1) as f64).sqrt(),
        repeats,
        goal: Goal::Reported,
    };
    names.zip(sums).map(row).collect()
}

/// What makes one log ratio of a layer's and the baseline's turns.
type Centre = fn(&[f64], &[f64]) -> f64;

fn logs(layer: &[f64], base: &[f64]) -> Vec<f64> {
    layer.iter().zip(base).map(|(layer, base)| log_ratio(*base, *layer)).collect()
}

/// The mean without the lowest and the highest fifth.
fn trimmed(mut sorted: Vec<f64>) -> f64 {
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 5;
    mean_of(&sorted[cut..sorted.len() - cut])
}

/// The median of the means of all pairs (Hodges and Lehmann 1963).
fn pairs(logs: &[f64]) -> f64 {
    let pair = |at: usize| logs[at..].iter().map(move |other| f64::midpoint(logs[at], *other));
    let means: Vec<f64> = (0..logs.len()).flat_map(pair).collect();
    median(&means).unwrap_or(f64::NAN)
}

/// What campaigns of `blocks` say: of a layer that is 10% slower in one row, 2% in another and equal in the others.
fn campaigns(
    machine: Machine,
    (order, name): (Order, &str),
    blocks: usize,
    repeats: usize,
    seed: u64,
) -> Vec<CalibrationRow> {
    let mut rng = Rng::new(seed ^ 0x0C);
    let mut counts = [0_usize; 4];
    for _ in 0..repeats {
        for (count, yes) in counts.iter_mut().zip(campaign(machine, order, blocks, &mut rng)) {
            *count += usize::from(yes);
        }
    }
    let in_rounds = order == Order::Rounds;
    let goal = |goal| if in_rounds && blocks >= 5 { goal } else { Goal::Reported };
    let what = [
        (
            "the interval holds the true ratio of a machine that changes",
            goal(Goal::Between(0.93, 0.97)),
        ),
        (
            "the interval of a row that ends when it is narrow holds the truth, on a machine that changes",
            goal(Goal::Between(0.93, 0.97)),
        ),
        (
            "one of 24 equal rows is called different, on a machine that changes",
            goal(Goal::AtMost(0.05)),
        ),
        ("a row that is 2% slower is found among 24, on a machine that changes", Goal::Reported),
    ];
    let row = |((what, goal), count)| CalibrationRow {
        what,
        noise: Noise::Normal,
        setting: format!("{}, by {name}", machine.name()),
        blocks,
        share: share(count, repeats),
        repeats,
        goal,
    };
    what.into_iter().zip(counts).map(row).collect()
}

fn campaign(machine: Machine, order: Order, blocks: usize, rng: &mut Rng) -> [bool; 4] {
    let mut row = |shift: f64| -> (Vec<f64>, Vec<f64>) {
        (0..blocks).map(|_| Block::draw(machine, order, shift, rng).both(order)).unzip()
    };
    let holds = |logs: &[f64], truth: f64| {
        ratio_of_logs(logs, 0.95).is_ok_and(|i| i.low <= truth && truth <= i.high)
    };
    let (slower, _) = row(0.1_f64.ln_1p());
    let width = |logs: &[f64]| ratio_of_logs(logs, 0.95).map_or(f64::INFINITY, |i| i.half_width());
    let narrow = |n: &usize| narrow_enough(*n, 0.01, |blocks| width(&slower[..blocks]));
    let end = (1..=blocks).find(narrow).unwrap_or(blocks);
    let equal: Vec<RowInput> = (0..ROWS).filter_map(|_| input(&row(0.0))).collect();
    let mut slow = equal.clone();
    slow[0] = input(&row(MARGIN.ln_1p())).unwrap_or(slow[0]);
    let rules =
        VerdictRules { correction: Correction::Holm, alpha: 0.05, variance: VarianceModel::Auto };
    [
        holds(&slower, 1.1),
        holds(&slower[..end], 1.1),
        claims(&equal, &rules).iter().any(|answer| is_difference(answer.verdict)),
        claims(&slow, &rules).first().is_some_and(|answer| answer.verdict == Verdict::Slower),
    ]
}

/// A row as it is judged: its interval, and the floor's farther end.
fn input((logs, aa): &(Vec<f64>, Vec<f64>)) -> Option<RowInput> {
    let interval = ratio_of_logs(logs, 0.95).ok()?;
    let floor = ratio_of_logs(aa, 0.95).ok()?;
    let floor = floor.log_ratio.abs() + floor.half_width();
    Some(RowInput { interval, margin: MARGIN, floor, best: Best::Lowest, layer: 0 })
}

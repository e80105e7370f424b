//! The experiments on rounds. They simulate machines whose speed changes from moment to moment, and compare campaigns that
//! boot one layer after the other with campaigns whose layers take turns.

use crate::figure::{Figure, Goal, Simulation};
use crate::judge::{CONFIDENCE, MARGIN, any_difference, holds, judged, row};
use crate::noise::Noise;
use tare_stats::rng::Rng;
use tare_stats::{
    Best, Estimator, RowInput, VarianceModel, Verdict, mean, median, narrow_enough,
    noise_floor_of_logs, ratio_of_logs, rounds_log_ratio,
};

/// Boots of a block: the baseline twice, and a layer.
const BOOTS: usize = 3;

/// Rounds of a series and samples of a turn.
const ROUNDS: usize = 15;
const SAMPLES: usize = 8;

/// Rows of a scoreboard.
pub(crate) const ROWS: usize = 24;

/// Standard deviations on the log scale: of what is particular to a boot (its layout in memory), and of a single sample.
const BOOT: f64 = 0.007;
const SAMPLE: f64 = 0.01;

/// The time between the ends of two consecutive boots, counted in samples.
const APART: usize = 300;

/// How a machine changes while it measures; one step is the time of a sample.
#[derive(Clone, Copy)]
pub(crate) enum Machine {
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

    pub(crate) const fn name(self) -> &'static str {
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
pub(crate) enum Order {
    /// One after the other.
    Boots,
    /// In turns.
    Rounds,
}

impl Order {
    const fn name(self) -> &'static str {
        match self {
            Order::Boots => "boots",
            Order::Rounds => "rounds",
        }
    }
}

/// One row of one block on a machine: for every boot, the samples of every round.
pub(crate) struct Block {
    turns: [Vec<[f64; SAMPLES]>; BOOTS],
}

impl Block {
    fn draw(machine: Machine, order: Order, shift: f64, rng: &mut Rng) -> Block {
        Block::interrupted(machine, order, |_| shift, rng)
    }

    /// A layer whose operations take longer by `added`, a log, at the time of a sample (counted in samples of all boots).
    pub(crate) fn interrupted(
        machine: Machine,
        order: Order,
        added: impl Fn(u64) -> f64,
        rng: &mut Rng,
    ) -> Block {
        let own: [f64; BOOTS] = std::array::from_fn(|_| BOOT * rng.normal());
        let mut time = 0;
        let mut now = 0.0;
        let mut turns: [Vec<[f64; SAMPLES]>; BOOTS] = Default::default();
        let mut turn = |boot: usize, cold: usize, rng: &mut Rng| {
            for _ in 0..cold {
                now = machine.next(now, rng);
                time += 1;
            }
            turns[boot].push(std::array::from_fn(|_| {
                now = machine.next(now, rng);
                time += 1;
                let own = own[boot] + if boot == 2 { added(time) } else { 0.0 };
                (now + own + SAMPLE * rng.normal()).exp()
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
    fn log(&self, order: Order, layer: usize, base: usize) -> f64 {
        let value = |boot: usize| {
            let estimator = Estimator::MeanOfBest { keep: 18, of: 30 };
            let samples: Vec<f64> = self.turns[boot].iter().flatten().copied().collect();
            estimator.reduce(&samples, Best::Lowest).unwrap_or(f64::NAN)
        };
        match order {
            Order::Rounds => median_of_rounds(&self.best(layer), &self.best(base)),
            Order::Boots => (value(layer) / value(base)).ln(),
        }
    }

    /// The layer to the baseline, and the baseline's second boot to its first.
    fn both(&self, order: Order) -> (f64, f64) {
        let ratio = f64::midpoint(self.log(order, 2, 0), self.log(order, 2, 1));
        (ratio, self.log(order, 1, 0))
    }

    /// The means of a boot's turns.
    pub(crate) fn means(&self, boot: usize) -> Vec<f64> {
        self.turns[boot].iter().map(|turn| mean_of(turn)).collect()
    }

    pub(crate) fn best(&self, boot: usize) -> Vec<f64> {
        let least = |samples: &[f64; SAMPLES]| samples.iter().copied().fold(f64::NAN, f64::min);
        self.turns[boot].iter().map(least).collect()
    }
}

/// The experiments on rounds. `repeats` campaigns are simulated for the errors of a block; for whole campaigns, each of which draws
/// two scoreboards' rows sample by sample, an eighth of them.
#[must_use]
pub fn rounds(repeats: usize, seed: u64) -> Vec<Figure> {
    let mut figures: Vec<Figure> =
        Machine::ALL.into_iter().flat_map(|machine| errors(machine, repeats, seed)).collect();
    for order in [Order::Rounds, Order::Boots] {
        for machine in Machine::ALL {
            for blocks in [3, 5, 10, 20] {
                // The boots of a block differ by this experiment's own model, which is normal.
                let noise = Noise::Normal;
                let simulation = Simulation { noise, blocks, repeats: repeats / 8, seed };
                figures.extend(campaigns(machine, order, &simulation));
            }
        }
    }
    figures
}

/// What makes one log ratio of a layer's and the baseline's turns.
type Centre = fn(&[f64], &[f64]) -> f64;

const CENTRES: [(&str, Centre); 4] = [
    ("median of the rounds", median_of_rounds),
    ("mean", |layer, base| mean_of(&logs(layer, base))),
    ("mean without a fifth at either end", |layer, base| trimmed(logs(layer, base))),
    ("Hodges and Lehmann's estimator", |layer, base| median_of_pairs(&logs(layer, base))),
];

/// The root mean square error of a block's log ratio, by how it is taken from the rounds.
fn errors(machine: Machine, repeats: usize, seed: u64) -> Vec<Figure> {
    let mut rng = Rng::new(seed ^ 0x0E);
    let mut squares = [0.0; CENTRES.len()];
    let mut squares_of_boots = 0.0;
    for _ in 0..repeats {
        let block = Block::draw(machine, Order::Rounds, 0.0, &mut rng);
        let layer = block.best(2);
        let base = block.best(0);
        for (sum, (_, centre)) in squares.iter_mut().zip(CENTRES) {
            *sum += centre(&layer, &base).powi(2);
        }
        let block = Block::draw(machine, Order::Boots, 0.0, &mut rng);
        squares_of_boots += block.log(Order::Boots, 2, 0).powi(2);
    }
    let simulation = Simulation { noise: Noise::Normal, blocks: 1, repeats, seed };
    let figure = |(name, sum): (&str, f64)| {
        let what = "a block's log ratio is off by (root mean square, not a share)";
        let setting = format!("{}, {name}", machine.name());
        let share = (sum / repeats.max(1) as f64).sqrt();
        Figure { share, ..simulation.figure(what, setting, Goal::Reported) }
    };
    let of_rounds = CENTRES.iter().map(|(name, _)| *name).zip(squares);
    of_rounds.chain([("one boot after the other", squares_of_boots)]).map(figure).collect()
}

fn median_of_rounds(layer: &[f64], base: &[f64]) -> f64 {
    rounds_log_ratio(layer, base).unwrap_or(f64::NAN)
}

fn logs(layer: &[f64], base: &[f64]) -> Vec<f64> {
    layer.iter().zip(base).map(|(layer, base)| (layer / base).ln()).collect()
}

fn mean_of(values: &[f64]) -> f64 {
    mean(values).unwrap_or(f64::NAN)
}

/// The mean without the lowest and the highest fifth.
fn trimmed(mut sorted: Vec<f64>) -> f64 {
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 5;
    mean_of(&sorted[cut..sorted.len() - cut])
}

/// The median of the means of all pairs (Hodges and Lehmann 1963).
fn median_of_pairs(logs: &[f64]) -> f64 {
    let pair = |at: usize| logs[at..].iter().map(move |other| f64::midpoint(logs[at], *other));
    let means: Vec<f64> = (0..logs.len()).flat_map(pair).collect();
    median(&means).unwrap_or(f64::NAN)
}

/// What campaigns say of a layer that is 10% slower in one row, 2% in another and equal in the others.
fn campaigns(machine: Machine, order: Order, simulation: &Simulation) -> Vec<Figure> {
    let promised = order == Order::Rounds && simulation.blocks >= 5;
    let held = Goal::Between(0.93, 0.97);
    let figures = [
        ("the interval holds the true ratio of a machine that changes", held),
        (
            "the interval of a row that ends when it is narrow holds the truth, on a machine that changes",
            held,
        ),
        ("one of 24 equal rows is called different, on a machine that changes", Goal::AtMost(0.05)),
        ("a row that is 2% slower is found among 24, on a machine that changes", Goal::Reported),
    ]
    .map(|(what, goal)| {
        let setting = format!("{}, by {}", machine.name(), order.name());
        simulation.figure(what, setting, if promised { goal } else { Goal::Reported })
    });
    let mut rng = Rng::new(simulation.seed ^ 0x0C);
    simulation.count(figures, |_| campaign(machine, order, simulation.blocks, &mut rng))
}

fn campaign(machine: Machine, order: Order, blocks: usize, rng: &mut Rng) -> [bool; 4] {
    let mut draw = |shift: f64| Logs::draw(machine, order, shift, blocks, rng);
    let slower = draw(0.1_f64.ln_1p()).ratio;
    let interval = |logs: &[f64]| ratio_of_logs(logs, CONFIDENCE);
    let width = |logs: &[f64]| interval(logs).map_or(f64::INFINITY, |i| i.half_width());
    let narrow = |n: &usize| narrow_enough(*n, 0.01, |blocks| width(&slower[..blocks]));
    let end = (1..=blocks).find(narrow).unwrap_or(blocks);
    let equal: Vec<RowInput> = (0..ROWS).filter_map(|_| draw(0.0).row()).collect();
    let mut slow = equal.clone();
    slow[0] = draw(MARGIN.ln_1p()).row().unwrap_or(slow[0]);
    [
        interval(&slower).is_ok_and(|i| holds(&i, 1.1)),
        interval(&slower[..end]).is_ok_and(|i| holds(&i, 1.1)),
        any_difference(&judged(&equal, VarianceModel::Auto)),
        judged(&slow, VarianceModel::Auto)
            .first()
            .is_some_and(|answer| answer.verdict == Verdict::Slower),
    ]
}

/// Log ratios of a row, one a block.
struct Logs {
    /// The layer to the baseline.
    ratio: Vec<f64>,
    /// The baseline's second boot to its first.
    aa: Vec<f64>,
}

impl Logs {
    fn draw(machine: Machine, order: Order, shift: f64, blocks: usize, rng: &mut Rng) -> Logs {
        let pairs = (0..blocks).map(|_| Block::draw(machine, order, shift, rng).both(order));
        let (ratio, aa) = pairs.unzip();
        Logs { ratio, aa }
    }

    /// The row as it is judged.
    fn row(&self) -> Option<RowInput> {
        let interval = ratio_of_logs(&self.ratio, CONFIDENCE).ok()?;
        let floor = noise_floor_of_logs(&self.aa, CONFIDENCE).ok()?;
        Some(row(interval, floor.log_floor))
    }
}

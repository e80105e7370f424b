//! The experiments on the two figures of a row: which of them finds a cost that comes in ticks or bursts, and whether either calls equal
//! rows different.

use crate::figure::{Figure, Goal, Simulation};
use crate::judge::{CONFIDENCE, any_difference, judged, row};
use crate::noise::Noise;
use crate::rounds::{Block, Machine, Order, ROWS};
use tare_stats::rng::Rng;
use tare_stats::{
    RowInput, VarianceModel, Verdict, noise_floor_of_logs, ratio_of_logs, rounds_log_ratio,
    rounds_log_ratio_of_means,
};

/// The machines: one that is quiet, and one with a neighbour.
const MACHINES: [Machine; 2] = [Machine::Still, Machine::Bursts];

/// How a layer costs more; a sample takes 0.1 ms.
#[derive(Clone, Copy)]
enum Cost {
    /// Not at all.
    None,
    /// Every operation takes 2% longer.
    Longer,
    /// A tick of 40 µs in every millisecond: 4% on average.
    Ticks,
    /// 20% for a millisecond in every 20: 1% on average.
    Bursts,
}

impl Cost {
    fn added(self, time: u64) -> f64 {
        match self {
            Cost::None => 0.0,
            Cost::Longer => 0.02_f64.ln_1p(),
            Cost::Ticks => f64::from(u8::from(time.is_multiple_of(10))) * 0.4_f64.ln_1p(),
            Cost::Bursts => f64::from(u8::from(time % 200 < 10)) * 0.2_f64.ln_1p(),
        }
    }
}

/// What makes a block's log ratio.
#[derive(Clone, Copy)]
enum By {
    Best,
    Mean,
}

impl By {
    const fn name(self) -> &'static str {
        match self {
            By::Best => "best case",
            By::Mean => "mean",
        }
    }

    fn log(self, block: &Block, layer: usize, base: usize) -> f64 {
        let log = match self {
            By::Best => rounds_log_ratio(&block.best(layer), &block.best(base)),
            By::Mean => rounds_log_ratio_of_means(&block.means(layer), &block.means(base)),
        };
        log.unwrap_or(f64::NAN)
    }
}

/// Campaigns of 24 rows, all equal or one of them dearer; an eighth of `repeats`, since they are drawn sample by sample.
#[must_use]
pub fn interrupted(repeats: usize, seed: u64) -> Vec<Figure> {
    let mut figures = Vec::new();
    for by in [By::Best, By::Mean] {
        for machine in MACHINES {
            for blocks in [5, 10, 20] {
                let noise = Noise::Normal;
                let simulation = Simulation { noise, blocks, repeats: repeats / 8, seed };
                figures.extend(campaigns(machine, by, &simulation));
            }
        }
    }
    figures
}

fn campaigns(machine: Machine, by: By, simulation: &Simulation) -> Vec<Figure> {
    let figures = [
        ("one of 24 equal rows is called different, by either figure", Goal::AtMost(0.05)),
        ("operations that all take 2% longer are found among 24 rows", Goal::Reported),
        ("ticks of 40 µs a millisecond (+4% on average) are found among 24 rows", Goal::Reported),
        ("bursts of +20% for 1 ms in 20 (+1% on average) are found among 24 rows", Goal::Reported),
    ]
    .map(|(what, goal)| {
        simulation.figure(what, format!("{}, {}", machine.name(), by.name()), goal)
    });
    let mut rng = Rng::new(simulation.seed ^ 0x1F);
    let blocks = simulation.blocks;
    simulation.count(figures, |_| {
        let mut draw = |cost: Cost| input(machine, by, cost, blocks, &mut rng);
        let equal: Vec<RowInput> = (0..ROWS).filter_map(|_| draw(Cost::None)).collect();
        let mut is_found = |cost: Cost| {
            let mut rows = equal.clone();
            rows[0] = draw(cost).unwrap_or(rows[0]);
            let answers = judged(&rows, VarianceModel::Auto);
            answers.first().is_some_and(|answer| answer.verdict == Verdict::Slower)
        };
        let found = [Cost::Longer, Cost::Ticks, Cost::Bursts].map(&mut is_found);
        [any_difference(&judged(&equal, VarianceModel::Auto)), found[0], found[1], found[2]]
    })
}

/// A row as it is judged.
fn input(machine: Machine, by: By, cost: Cost, blocks: usize, rng: &mut Rng) -> Option<RowInput> {
    let mut ratios = Vec::new();
    let mut floors = Vec::new();
    for _ in 0..blocks {
        let phase = (rng.uniform() * 200.0) as u64;
        let added = |time: u64| cost.added(time + phase);
        let block = Block::interrupted(machine, Order::Rounds, added, rng);
        ratios.push(f64::midpoint(by.log(&block, 2, 0), by.log(&block, 2, 1)));
        floors.push(by.log(&block, 1, 0));
    }
    let interval = ratio_of_logs(&ratios, CONFIDENCE).ok()?;
    let floor = noise_floor_of_logs(&floors, CONFIDENCE).ok()?;
    Some(row(interval, floor.log_floor))
}

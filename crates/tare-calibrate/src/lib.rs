//! `tare-calibrate`: the proof of the statistics by simulation. How often do the method's intervals hold the true ratio, and how
//! often are its verdicts right, in campaigns that are made up and whose truth is known?
//!
//! Each experiment is a function from a [`Simulation`] to [`Figure`]s; [`calibrate`] runs them all, and [`table()`] writes
//! docs/calibration.md. What follows from the figures is in docs/statistics.md.

mod allocated;
mod coverage;
mod figure;
mod hosts;
mod interrupted;
mod judge;
mod noise;
mod rounds;
mod scoreboards;
mod sweeps;
mod table;

pub use allocated::allocated;
pub use coverage::{coverage, imports};
pub use figure::{Figure, Goal, Simulation};
pub use hosts::merged;
pub use interrupted::interrupted;
pub use noise::{Noise, Rows};
pub use rounds::rounds;
pub use scoreboards::{Size, false_claims, false_verdicts, power};
pub use sweeps::sweeps;
pub use table::table;

/// The designs of sweeps: so many levels of each knob.
const SWEEPS: [&[usize]; 4] = [&[2, 2], &[3, 3], &[4, 4], &[2, 3, 4]];

/// Noise of the experiments whose campaigns cost most to simulate.
const SOME_NOISE: [Noise; 3] = [Noise::Normal, Noise::HeavyTail, Noise::BimodalBoots];

/// Runs all simulations, each over `repeats` campaigns; the same seed gives the same figures.
///
/// 2,000 repeats take about two minutes and leave half a percent of uncertainty.
pub fn calibrate(repeats: usize, seed: u64) -> Vec<Figure> {
    let of = |noise, blocks| Simulation { noise, blocks, repeats, seed };
    let normal = |blocks| of(Noise::Normal, blocks);
    // By noise, then by blocks: the order of the table's lines and columns.
    let each = |noises: &[Noise], blocks: &[usize], run: &dyn Fn(&Simulation) -> Vec<Figure>| {
        let pairs = noises.iter().flat_map(|&noise| blocks.iter().map(move |&b| of(noise, b)));
        pairs.flat_map(|simulation| run(&simulation)).collect::<Vec<Figure>>()
    };
    let mut figures = each(&Noise::ALL, &[3, 5, 10, 20], &coverage);
    figures.extend(each(&Noise::ALL, &[2, 3, 5, 10], &imports));
    figures.extend(each(&Noise::ALL, &[10, 20, 40], &allocated));
    let scoreboard = Size { benchmarks: 30, layers: 5 };
    for rows in [Rows::Alike, Rows::Varied, Rows::FewLoud] {
        let run = |of: &Simulation| false_verdicts(of, rows, scoreboard);
        figures.extend(each(&Noise::ALL, &[3, 5, 10], &run));
    }
    for blocks in [3, 5, 10] {
        let small = Size { benchmarks: 5, layers: 2 };
        figures.extend(false_verdicts(&normal(blocks), Rows::Varied, small));
        figures.extend(false_claims(&normal(blocks)));
    }
    for (benchmarks, layers) in [(1, 1), (10, 1), (8, 5), (30, 5)] {
        let run = |of: &Simulation| power(of, Size { benchmarks, layers });
        figures.extend(each(&[Noise::Normal], &[5, 10, 20], &run));
    }
    figures.extend(rounds(repeats, seed));
    figures.extend(interrupted(repeats, seed));
    for noise in SOME_NOISE {
        for levels in SWEEPS {
            figures.extend(each(&[noise], &[5, 10], &|of| sweeps(of, levels)));
        }
    }
    for noise in SOME_NOISE {
        for hosts in [2, 3, 5, 10] {
            figures.extend(each(&[noise], &[2, 3, 5, 10, 20], &|of| merged(of, hosts)));
        }
    }
    figures
}

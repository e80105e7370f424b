//! From raw samples to a full scoreboard on two threads, 10⁵ to 10⁷ samples: `cargo bench -p tare-stats`.
//!
//! Prints one line per size and stage; the goal is 10⁷ samples in 10⁴ series in under 10 s and 1 GiB.

use std::time::{Duration, Instant};
use tare_stats::*;

const BLOCKS: usize = 10;
const LAYERS: usize = 5;
const THREADS: usize = 2;

fn main() {
    println!(
        "{:>10} {:>7} {:>8} {:>9} {:>7} {:>9} {:>9} {:>7}",
        "samples", "series", "reduce", "bootstrap", "shape", "warnings", "verdicts", "wall"
    );
    for (benchmarks, samples) in [(2, 833), (17, 1000), (167, 100), (167, 1000), (2, 83_300)] {
        run(benchmarks, samples);
    }
    println!("peak memory: {}", peak_memory());
}

/// `boots[layer][block]` of one benchmark; layer 0 is the baseline, the last its second boot.
type Bench = Vec<Vec<Vec<f64>>>;

#[derive(Default)]
struct Stages {
    reduce: Duration,
    bootstrap: Duration,
    shape: Duration,
    warnings: Duration,
    rows: Vec<RowInput>,
}

fn run(benchmarks: usize, samples: usize) {
    let mut seed = 88_172_645_463_325_252;
    let data: Vec<Bench> = (0..benchmarks).map(|_| one_benchmark(samples, &mut seed)).collect();
    let start = Instant::now();
    let parts: Vec<Stages> = std::thread::scope(|scope| {
        let share = data.len().div_ceil(THREADS);
        let threads: Vec<_> =
            data.chunks(share).map(|chunk| scope.spawn(move || weigh_all(chunk))).collect();
        threads.into_iter().filter_map(|t| t.join().ok()).collect()
    });
    let rows: Vec<RowInput> = parts.iter().flat_map(|p| p.rows.iter().copied()).collect();
    let before = Instant::now();
    let answers = verdicts(&rows, Correction::Holm, 0.05);
    let sum =
        |stage: fn(&Stages) -> Duration| parts.iter().map(stage).sum::<Duration>().as_secs_f64();
    println!(
        "{:>10} {:>7} {:>7.2}s {:>8.2}s {:>6.2}s {:>8.2}s {:>8.3}s {:>6.2}s   {} verdicts",
        benchmarks * (LAYERS + 1) * BLOCKS * samples,
        benchmarks * (LAYERS + 1) * BLOCKS,
        sum(|p| p.reduce),
        sum(|p| p.bootstrap),
        sum(|p| p.shape),
        sum(|p| p.warnings),
        before.elapsed().as_secs_f64(),
        start.elapsed().as_secs_f64(),
        answers.len(),
    );
}

fn weigh_all(data: &[Bench]) -> Stages {
    let mut stages = Stages::default();
    for (i, bench) in data.iter().enumerate() {
        let estimator =
            [Estimator::Mean, Estimator::Median, Estimator::MeanOfBest { keep: 18, of: 30 }][i % 3];
        for layer in &bench[1..] {
            weigh(&mut stages, &bench[0], layer, &estimator);
        }
    }
    stages
}

fn weigh(stages: &mut Stages, baseline: &[Vec<f64>], layer: &[Vec<f64>], estimator: &Estimator) {
    let reduce = |boots: &[Vec<f64>]| -> Vec<f64> {
        boots.iter().map(|b| estimator.reduce(b, Best::Lowest).expect("good samples")).collect()
    };
    let blocks: Vec<BlockSamples> =
        baseline.iter().zip(layer).map(|(b, l)| BlockSamples { baseline: b, layer: l }).collect();
    let start = Instant::now();
    let interval = paired_ratio(&reduce(baseline), &reduce(layer), 0.95).expect("good blocks");
    stages.reduce += start.elapsed();
    let start = Instant::now();
    let bootstrap =
        bootstrap_ratio(&blocks, estimator, Best::Lowest, 0.95, 2000, 1).expect("good blocks");
    std::hint::black_box(disagree(&interval, &bootstrap));
    stages.bootstrap += start.elapsed();
    let start = Instant::now();
    std::hint::black_box(shape(&blocks, 0.95).expect("good blocks"));
    stages.shape += start.elapsed();
    let start = Instant::now();
    let boots: Vec<&[f64]> = layer.iter().map(Vec::as_slice).collect();
    std::hint::black_box(series_warnings(&boots).expect("good samples"));
    stages.warnings += start.elapsed();
    stages.rows.push(RowInput {
        interval,
        margin: 0.02,
        floor: 0.01,
        best: Best::Lowest,
        layer: 0,
    });
}

fn one_benchmark(samples: usize, seed: &mut u64) -> Bench {
    let mut uniform = || {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut boot = |center: f64| {
        let boot = center * (1.0 + 0.03 * (uniform() - 0.5));
        (0..samples).map(|_| boot * (1.0 + 0.1 * (uniform() + uniform() - 1.0))).collect()
    };
    (0..=LAYERS)
        .map(|layer| (0..BLOCKS).map(|_| boot(100.0 + 5.0 * layer as f64)).collect())
        .collect()
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .map_or("unknown".to_owned(), |l| l.trim().to_owned())
}

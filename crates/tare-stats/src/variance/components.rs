//! Where the noise comes from (boot, process, sample) and what is worth repeating: the random-effects model of
//! Kalibera and Jones (2013), "Rigorous Benchmarking in Reasonable Time".

use crate::check;
use crate::dist::t_factor;
use crate::error::StatError;
use crate::series::summary::mean_of;
use serde::Serialize;

/// Variance components, in the square of the values' unit. Give logarithms to get relative variances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Components {
    /// Between boots. When no boot has two processes, what processes add is in here.
    pub boot: f64,
    /// Between processes of a boot; `None` when no boot has two processes.
    pub process: Option<f64>,
    /// Between samples of a process; `None` when no process has two samples (it then adds to the level above).
    pub sample: Option<f64>,
    /// Boots.
    pub boots: usize,
    /// A component came out negative and is given as 0: it is small against the noise of the level below.
    pub clipped: bool,
}

/// What one more of each level costs, in seconds: a boot without its processes, a process without its samples
/// (start and warm-up), one sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Costs {
    /// Seconds per boot.
    pub boot: f64,
    /// Seconds per process.
    pub process: f64,
    /// Seconds per sample.
    pub sample: f64,
}

/// How many processes per boot and samples per process give the narrowest interval per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Repetitions {
    /// Processes per boot.
    pub processes: usize,
    /// Samples per process.
    pub samples: usize,
    /// Variance of one boot's mean with these counts; divided by the boots it is that of the grand mean.
    pub variance_per_boot: f64,
    /// Seconds per boot with these counts.
    pub seconds_per_boot: f64,
}

/// No more repetitions than this are proposed on one level.
pub const MOST_REPETITIONS: usize = 10_000;

/// Estimates the variance components from `boots[i][j]`, the samples of process `j` of boot `i`; counts may differ.
///
/// The analysis of variance of the nested design, with the coefficients for unequal counts (Searle, Casella and
/// McCulloch 1992, section 5.6). For equal counts this is the unbiased estimator that Kalibera and Jones write
/// `T_i² = S_i² − S_{i−1}²/r_{i−1}`; their first print had `T_{i−1}²` in the last term, which was corrected later.
///
/// # Errors
/// [`StatError::TooFew`] below two boots, [`StatError::Empty`] for a boot or process without samples, non-finite
/// samples.
pub fn components(boots: &[Vec<&[f64]>]) -> Result<Components, StatError> {
    check::at_least(boots.len(), 2)?;
    for boot in boots {
        check::at_least(boot.len(), 1)?;
        boot.iter().try_for_each(|process| check::finite(process))?;
    }
    let s = Sums::new(boots);
    let mut clipped = false;
    let mut keep = |variance: f64| {
        clipped |= variance < 0.0;
        variance.max(0.0)
    };
    let sample = (s.df_sample > 0.0).then(|| s.ss_sample / s.df_sample);
    let below = sample.unwrap_or(0.0);
    let process = (s.df_process > 0.0).then(|| {
        let per_process = (s.total - s.within_boot) / s.df_process;
        keep((s.ss_process / s.df_process - below) / per_process)
    });
    let across = (s.within_boot - s.within_all) / s.df_boot;
    let per_boot = (s.total - s.across_boots) / s.df_boot;
    let boot = keep((s.ss_boot / s.df_boot - below - across * process.unwrap_or(0.0)) / per_boot);
    if boot.is_finite() {
        Ok(Components { boot, process, sample, boots: boots.len(), clipped })
    } else {
        Err(StatError::Overflow)
    }
}

/// The counts per boot with the least variance × cost, by `r_i = √(c_{i+1}/c_i · T_i²/T_{i+1}²)` (Kalibera and Jones,
/// section 6), rounded to the
/// best neighbours and kept within 1..=[`MOST_REPETITIONS`].
///
/// A level that was not repeated keeps 1: nothing is known about it.
///
/// # Errors
/// [`StatError::BadSetting`] for a cost that is negative or not finite, or for a sample that costs nothing.
pub fn optimum(found: &Components, costs: &Costs) -> Result<Repetitions, StatError> {
    let sound = |cost: f64| cost.is_finite() && cost >= 0.0;
    if !(sound(costs.boot) && sound(costs.process) && sound(costs.sample) && costs.sample > 0.0) {
        return Err(StatError::BadSetting { name: "cost" });
    }
    let sample = found.sample.unwrap_or(0.0);
    let process = found.process.unwrap_or(0.0);
    let plan = |p: f64, s: f64| Repetitions {
        processes: p as usize,
        samples: s as usize,
        variance_per_boot: found.boot + process / p + sample / (p * s),
        seconds_per_boot: costs.boot + p * (costs.process + s * costs.sample),
    };
    let around = |r: f64| [r.floor().max(1.0), r.ceil().clamp(1.0, MOST_REPETITIONS as f64)];
    // Samples that were not repeated belong to their process.
    let per_process = costs.process + if found.sample.is_none() { costs.sample } else { 0.0 };
    let processes =
        if process > 0.0 { best_count(costs.boot, per_process, process, found.boot) } else { 1.0 };
    let mut best = plan(1.0, 1.0);
    for p in around(processes) {
        // For p whole processes, the level above a sample costs boot/p + process and varies by p·boot + process.
        let samples = best_count(
            costs.boot / p + costs.process,
            costs.sample,
            sample,
            p * found.boot + process,
        );
        for s in around(samples) {
            let other = plan(p, s);
            if other.price() < best.price() {
                best = other;
            }
        }
    }
    Ok(best)
}

impl Repetitions {
    /// Variance × cost: what a boot pays for one unit of precision. Rows and plans are compared by it.
    pub fn price(&self) -> f64 {
        self.variance_per_boot * self.seconds_per_boot
    }
}

/// Blocks in all until the interval's ends are within `half_width` (a ratio: 0.02 for ± 2%) of the estimate, given the
/// standard deviation of a block's log ratio; `None` when 10,000,000 do not suffice or the input makes no sense.
///
/// `log_sd` of 0 gives 2, the least that an interval needs.
pub fn blocks_needed(log_sd: f64, half_width: f64, confidence: f64) -> Option<usize> {
    let sound = log_sd.is_finite()
        && log_sd >= 0.0
        && half_width > 0.0
        && confidence > 0.0
        && confidence < 1.0;
    if !sound {
        return None;
    }
    let goal = half_width.ln_1p();
    let enough =
        |n: usize| t_factor(confidence, (n - 1) as f64) * log_sd / (n as f64).sqrt() <= goal;
    let mut low = 2_usize;
    let mut high = 2_usize;
    while !enough(high) {
        if high > 10_000_000 {
            return None;
        }
        (low, high) = (high + 1, high * 2);
    }
    while low < high {
        let middle = usize::midpoint(low, high);
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// The real count that balances two levels; infinite ratios are capped.
fn best_count(cost_above: f64, cost: f64, variance: f64, variance_above: f64) -> f64 {
    let count = (cost_above / cost * (variance / variance_above)).sqrt();
    if count.is_nan() { 1.0 } else { count.clamp(1.0, MOST_REPETITIONS as f64) }
}

/// Sums of squares, degrees of freedom and count coefficients of the nested design.
struct Sums {
    ss_sample: f64,
    ss_process: f64,
    ss_boot: f64,
    df_sample: f64,
    df_process: f64,
    df_boot: f64,
    /// All samples: Σ n_ij.
    total: f64,
    /// Σ_i (Σ_j n_ij²) / n_i.
    within_boot: f64,
    /// Σ n_ij² / N.
    within_all: f64,
    /// Σ n_i² / N.
    across_boots: f64,
}

impl Sums {
    fn new(boots: &[Vec<&[f64]>]) -> Self {
        let counts: Vec<f64> =
            boots.iter().map(|b| b.iter().map(|p| p.len() as f64).sum()).collect();
        let total: f64 = counts.iter().sum();
        let processes: f64 = boots.iter().map(|b| b.len() as f64).sum();
        let means: Vec<Vec<f64>> =
            boots.iter().map(|b| b.iter().map(|p| mean_of(p)).collect()).collect();
        let weighted = |i: usize| -> f64 {
            boots[i].iter().zip(&means[i]).map(|(p, m)| p.len() as f64 * m).sum::<f64>() / counts[i]
        };
        let boot_means: Vec<f64> = (0..boots.len()).map(weighted).collect();
        let grand = boot_means.iter().zip(&counts).map(|(m, n)| m * n).sum::<f64>() / total;
        let mut s = Self {
            ss_sample: 0.0,
            ss_process: 0.0,
            ss_boot: 0.0,
            df_sample: total - processes,
            df_process: processes - boots.len() as f64,
            df_boot: boots.len() as f64 - 1.0,
            total,
            within_boot: 0.0,
            within_all: 0.0,
            across_boots: 0.0,
        };
        for (i, boot) in boots.iter().enumerate() {
            s.ss_boot += counts[i] * (boot_means[i] - grand).powi(2);
            s.across_boots += counts[i] * counts[i] / total;
            for (process, mean) in boot.iter().zip(&means[i]) {
                let n = process.len() as f64;
                s.ss_process += n * (mean - boot_means[i]).powi(2);
                s.ss_sample += process.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
                s.within_boot += n * n / counts[i];
                s.within_all += n * n / total;
            }
        }
        s
    }
}

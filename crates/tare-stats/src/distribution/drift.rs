//! Signs that samples or boots are not independent repetitions: warm-up, trend, change point, autocorrelation,
//! bimodality, a coarse clock.

use crate::check;
use crate::dist::normal_lower;
use crate::distribution::shape::sorted;
use crate::distribution::warning::Warning;
use crate::error::StatError;
use crate::interval::ratio::ratio_of_logs;
use crate::rng::Rng;
use crate::series::summary::{mean_of, median};

/// A finding must be this unlikely by chance …
const LEVEL: f64 = 0.01;
/// … and, where it is a change, at least this large (log scale).
const LEAST_CHANGE: f64 = 0.01;
/// Autocorrelation below this is not worth a word.
const LEAST_LAG1: f64 = 0.3;

/// Warnings about one benchmark in one layer, from the samples of each boot in the order of time.
///
/// Warm-up (first tenth against second half) and trend (first against last third of what follows the first tenth)
/// must repeat over boots (t test of the boots' log changes at 1%, three boots at least, change of 1%
/// at least); autocorrelation is that within boots, pooled; modes are looked for in all samples, each boot divided by
/// its median so that differences between boots do not count. Boots with fewer than 20 samples are passed over.
///
/// # Errors
/// Empty boots, non-finite, zero or negative samples.
pub fn series_warnings(boots: &[&[f64]]) -> Result<Vec<Warning>, StatError> {
    boots.iter().try_for_each(|boot| check::positive(boot))?;
    let long: Vec<&[f64]> = boots.iter().copied().filter(|b| b.len() >= 20).collect();
    let mut found = Vec::new();
    if let Some(change) = consistent_change(&long, |b| (&b[..b.len() / 10], &b[b.len() / 2..])) {
        found.push(Warning::WarmUp {
            samples: middle_cut(&long),
            percent: 100.0 * (-change).exp_m1(),
        });
    }
    let thirds = |b| {
        let warm = after_tenth(b);
        (&warm[..warm.len() / 3], &warm[warm.len() - warm.len() / 3..])
    };
    if let Some(change) = consistent_change(&long, thirds) {
        found.push(Warning::Trend { percent: 100.0 * change.exp_m1() });
    }
    if let Some(lag1) = pooled_lag1(&long) {
        found.push(Warning::Autocorrelated { lag1 });
    }
    let relative: Vec<f64> = boots
        .iter()
        .flat_map(|b| median(b).map(|m| b.iter().map(move |x| x / m)))
        .flatten()
        .collect();
    found.extend(two_modes(&relative));
    found.extend(coarse_clock(boots));
    Ok(found)
}

/// Warnings about the sequence of one value per block (boot estimates or log ratios' exponentials), in the order of
/// time: a change point (permutation test at 1%, eight blocks at least) and resemblance of neighbours.
///
/// # Errors
/// Empty, non-finite, zero or negative values.
pub fn block_warnings(values: &[f64]) -> Result<Vec<Warning>, StatError> {
    check::positive(values)?;
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let mut found = Vec::new();
    if let Some((block, change)) = change_point(&logs) {
        found.push(Warning::ChangePoint { block, percent: 100.0 * change.exp_m1() });
    }
    let resemblance = lag1(&logs).unwrap_or(0.0);
    if values.len() >= 8 && resemblance > LEAST_LAG1.max(2.3 / (values.len() as f64).sqrt()) {
        found.push(Warning::BootsAutocorrelated { lag1: resemblance });
    }
    Ok(found)
}

/// Lag-1 autocorrelation: `Σ (x_t - m)(x_{t+1} - m) / Σ (x_t - m)²`.
///
/// # Errors
/// [`StatError::TooFew`] below three values, [`StatError::NoSpread`] when they are all equal; non-finite input.
pub fn lag1(values: &[f64]) -> Result<f64, StatError> {
    check::finite(values)?;
    check::at_least(values.len(), 3)?;
    let mean = mean_of(values);
    let all: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    let neighbours: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    if all > 0.0 && all.is_finite() { Ok(neighbours / all) } else { Err(StatError::NoSpread) }
}

/// How many first samples to drop: the cut (at most half) after which the mean of the rest has the least standard
/// error, by the MSER rule (White 1997). 0 when nothing is gained.
pub fn warm_up_cut(values: &[f64]) -> Result<usize, StatError> {
    check::finite(values)?;
    let center = mean_of(values);
    let mut sum = 0.0;
    let mut squares = 0.0;
    let mut best = (f64::INFINITY, 0);
    for (i, x) in values.iter().enumerate().rev() {
        let n = (values.len() - i) as f64;
        sum += x - center;
        squares += (x - center).powi(2);
        let error = (squares - sum * sum / n).max(0.0) / (n * n);
        if 2 * i <= values.len() && error <= best.0 {
            best = (error, i);
        }
    }
    Ok(best.1)
}

/// Fewer values than this show no [`change_point`].
pub const CHANGE_FROM: usize = 8;

/// The most likely place of a change of the mean and its size, when no more than 1% of random orders of the values
/// show one as strong (999 orders, always the same ones). At least two values on each side, eight in all.
pub fn change_point(values: &[f64]) -> Option<(usize, f64)> {
    if values.len() < CHANGE_FROM || check::finite(values).is_err() {
        return None;
    }
    let (strength, place, change) = strongest_split(values);
    if change.abs() < LEAST_CHANGE {
        return None;
    }
    let mut rng = Rng::new(1);
    let mut shuffled = values.to_vec();
    let mut as_strong = 1;
    for _ in 0..999 {
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, rng.below(i + 1));
        }
        as_strong += usize::from(strongest_split(&shuffled).0 >= strength * (1.0 - 1e-12));
    }
    (as_strong as f64 / 1000.0 <= LEVEL).then_some((place, change))
}

fn strongest_split(values: &[f64]) -> (f64, usize, f64) {
    let n = values.len() as f64;
    let total = values.iter().sum::<f64>();
    let mut before = 0.0;
    let mut best = (-1.0, 0, 0.0);
    for (i, x) in values.iter().enumerate() {
        let k = i as f64;
        if i >= 2 && values.len() - i >= 2 {
            let change = (total - before) / (n - k) - before / k;
            let strength = change * change * k * (n - k) / n;
            if strength > best.0 {
                best = (strength, i, change);
            }
        }
        before += x;
    }
    best
}

/// Log change from the first part of each boot to the second, when it repeats over boots.
fn consistent_change<'a>(
    boots: &[&'a [f64]],
    parts: impl Fn(&'a [f64]) -> (&'a [f64], &'a [f64]),
) -> Option<f64> {
    if boots.len() < 3 {
        return None;
    }
    let logs: Result<Vec<f64>, StatError> = boots
        .iter()
        .map(|boot| {
            let (first, second) = parts(boot);
            Ok((median(second)? / median(first)?).ln())
        })
        .collect();
    let change = ratio_of_logs(&logs.ok()?, 1.0 - LEVEL).ok()?;
    (change.p_value < LEVEL && change.log_ratio.abs() > LEAST_CHANGE).then_some(change.log_ratio)
}

/// A boot without its first tenth, which may be warm-up and is judged apart.
fn after_tenth(boot: &[f64]) -> &[f64] {
    &boot[boot.len() / 10..]
}

fn middle_cut(boots: &[&[f64]]) -> usize {
    let mut cuts: Vec<usize> = boots.iter().filter_map(|b| warm_up_cut(b).ok()).collect();
    cuts.sort_unstable();
    cuts.get(cuts.len() / 2).copied().unwrap_or(0)
}

fn pooled_lag1(boots: &[&[f64]]) -> Option<f64> {
    let each: Vec<(f64, f64)> =
        boots.iter().filter_map(|b| Some((lag1(b).ok()?, b.len() as f64))).collect();
    let total: f64 = each.iter().map(|(_, n)| n).sum();
    let pooled = each.iter().map(|(r, n)| r * n).sum::<f64>() / total;
    (pooled > LEAST_LAG1 && pooled * total.sqrt() > 3.0).then_some(pooled)
}

fn coarse_clock(boots: &[&[f64]]) -> Option<Warning> {
    let samples: usize = boots.iter().map(|b| b.len()).sum();
    let mut values = sorted(&boots.concat());
    values.dedup();
    let distinct = values.len();
    (samples >= 20 && distinct <= 10.min(samples / 4))
        .then_some(Warning::CoarseClock { distinct, samples })
}

/// Share of a unimodal sample that the middle third between the two halves' means holds at the very least …
const VALLEY: f64 = 0.08;
/// … and the share that the smaller mode must have.
const LEAST_MODE: f64 = 0.1;

/// Two modes: the best split of the log values into two groups (least squares) leaves a valley between them.
///
/// The middle third of the way between the groups' means holds 21% of a normal sample and 17% of a uniform one. The
/// warning needs a share below 8% beyond chance (binomial, normal approximation, 1%), and a tenth of the samples in
/// each mode.
fn two_modes(values: &[f64]) -> Option<Warning> {
    let logs: Vec<f64> = sorted(values).iter().map(|v| v.ln()).collect();
    let n = logs.len();
    if n < 50 {
        return None;
    }
    let (_, cut, apart) = strongest_split(&logs);
    let upper_share = (n - cut) as f64 / n as f64;
    if apart < LEAST_CHANGE || upper_share.min(1.0 - upper_share) < LEAST_MODE {
        return None;
    }
    let low = mean_of(&logs[..cut]);
    let within = |x: &&f64| **x > low + apart / 3.0 && **x < low + 2.0 * apart / 3.0;
    let valley = logs.iter().filter(within).count() as f64;
    let expected = VALLEY * n as f64;
    let z = (valley + 0.5 - expected) / (expected * (1.0 - VALLEY)).sqrt();
    (normal_lower(z) < LEVEL)
        .then(|| Warning::Bimodal { percent: 100.0 * apart.exp_m1(), upper_share })
}

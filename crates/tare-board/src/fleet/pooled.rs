//! One ratio over hosts: pooled, and not yet corrected for the others.

use super::board::{FleetCell, HostRatio, PooledRatio, Spread};
use super::differ::properties;
use super::merged::{HostEffect, Merged, MergedCell, Subject};
use crate::board::{Ratio, Verdict};
use crate::options::Options;
use tare_stats::dist::{t_factor, t_two_sided};
use tare_stats::{Pooled, RatioInterval, Study, p_of_same, pool, residuals, share_variances};

/// The smallest standard error that a host is believed to have: a millionth. Counts of a simulated machine repeat exactly.
const LEAST_ERROR: f64 = 1e-6;

impl FleetCell {
    /// Of a row that no host has.
    pub(super) fn empty() -> FleetCell {
        FleetCell {
            hosts: Vec::new(),
            pooled: None,
            verdict: Verdict::None,
            more_hosts: None,
            p_difference: None,
            p_equivalence: None,
            shown: None,
            subtracted: 0,
            spread: Spread::Unknown,
            properties: Vec::new(),
        }
    }
}

/// A ratio over hosts, before anything is corrected for the number of ratios.
pub(super) fn pooled_cell(merged: &Merged, cell: &MergedCell, options: &Options) -> FleetCell {
    let hosts: Vec<HostRatio> =
        cell.effects.iter().map(|effect| of_host(effect, options.confidence)).collect();
    let mut found = FleetCell {
        hosts,
        subtracted: cell.effects.iter().filter(|effect| effect.subtracted).count(),
        ..FleetCell::empty()
    };
    let known: Vec<(usize, &HostEffect)> =
        cell.effects.iter().enumerate().filter(|(_, effect)| effect.error.is_some()).collect();
    let own: Vec<HostEffect> = known.iter().map(|(_, effect)| **effect).collect();
    let studies = studies(&own);
    let Ok(pooled) = pool(&studies, options.confidence) else { return found };
    let (df, blocks) = known_by(&own);
    let alone: Vec<Study> = own.iter().filter_map(study).collect();
    let same = p_of_same(&alone, &df, &blocks).unwrap_or(1.0);
    if let Ok(all) = residuals(&studies, pooled.tau_squared) {
        for ((at, _), residual) in known.iter().zip(all) {
            found.hosts[*at].outlier = Some(residual.p);
        }
    }
    if let Subject::Row { layer, .. } | Subject::Mean { layer, .. } = cell.subject {
        let hosts: Vec<usize> = known.iter().map(|(_, effect)| effect.host).collect();
        found.properties = properties(merged, layer, &studies, &hosts, options);
    }
    found.pooled = Some(pooled_ratio(&pooled, &studies, same));
    found
}

/// What hosts add to the pool, each with a variance that the blocks of all hosts have told; nothing of one with one block.
pub(super) fn studies(effects: &[HostEffect]) -> Vec<Study> {
    let known: Vec<HostEffect> = effects.iter().filter(|e| e.error.is_some()).copied().collect();
    let alone: Vec<Study> = known.iter().filter_map(study).collect();
    let (df, blocks) = known_by(&known);
    let still = LEAST_ERROR * LEAST_ERROR;
    share_variances(&alone, &df, &blocks, still).unwrap_or(alone)
}

/// The degrees of freedom of each host's own error, and its blocks.
fn known_by(effects: &[HostEffect]) -> (Vec<f64>, Vec<usize>) {
    effects.iter().map(|effect| (effect.df.unwrap_or(f64::INFINITY), effect.blocks)).unzip()
}

/// What a host says by itself; nothing with one block.
fn study(effect: &HostEffect) -> Option<Study> {
    let error = effect.error?.max(LEAST_ERROR);
    Some(Study { effect: effect.log, variance: error * error })
}

fn of_host(effect: &HostEffect, confidence: f64) -> HostRatio {
    let half = effect.error.map(|e| e * t_factor(confidence, effect.df.unwrap_or(f64::INFINITY)));
    let end = |sign: f64| half.map(|half| (effect.log + sign * half).exp());
    let ratio =
        Ratio { value: effect.log.exp(), low: end(-1.0), high: end(1.0), blocks: effect.blocks };
    HostRatio { host: effect.host, ratio, outlier: None }
}

fn pooled_ratio(pooled: &Pooled, studies: &[Study], same: f64) -> PooledRatio {
    let logs = || studies.iter().map(|study| study.effect);
    PooledRatio {
        value: pooled.mean.exp(),
        low: pooled.low.exp(),
        high: pooled.high.exp(),
        next_low: pooled.next_low.exp(),
        next_high: pooled.next_high.exp(),
        least: logs().fold(f64::INFINITY, f64::min).exp(),
        most: logs().fold(f64::NEG_INFINITY, f64::max).exp(),
        hosts: pooled.studies,
        i_squared: pooled.i_squared,
        tau: pooled.tau_squared.sqrt(),
        q: pooled.q,
        p_same: same,
    }
}

/// The pooled mean as verdicts take it: a host is to it what a block is to a campaign's ratio.
pub(super) fn interval(pooled: &PooledRatio, options: &Options) -> Option<RatioInterval> {
    let df = pooled.hosts as f64 - 1.0;
    let log = pooled.value.ln();
    let error = (pooled.high.ln() - log) / t_factor(options.confidence, df);
    let p_value = t_two_sided(log / error, df);
    let sound = log.is_finite() && error.is_finite();
    sound.then(|| RatioInterval {
        ratio: pooled.value,
        low: pooled.low,
        high: pooled.high,
        blocks: pooled.hosts,
        log_sd: error * (pooled.hosts as f64).sqrt(),
        p_value,
        degenerate: error == 0.0,
        log_ratio: log,
        std_error: error,
        df,
        confidence: options.confidence,
        paired: true,
    })
}

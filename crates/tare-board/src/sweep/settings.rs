//! Single settings: what each is worth against the first, and which is best.

use super::ratio_of;
use super::responses::Grid;
use crate::board::{BestSetting, Setting};
use tare_proto::Better;
use tare_stats::{holm, ratio_of_logs};

/// Every setting of `grid` against its first.
pub(super) fn settings(grid: &Grid, confidence: f64) -> Vec<Setting> {
    let setting = |(at, levels): (usize, &Vec<usize>)| {
        let (ratio, _) = ratio_of(&column(grid, at), confidence)?;
        Some(Setting { levels: levels.clone(), ratio })
    };
    grid.points.iter().enumerate().filter_map(setting).collect()
}

/// The best of them.
pub(super) fn best(grid: &Grid, better: Better, confidence: f64) -> Option<BestSetting> {
    let cost = |at: usize| {
        let sum = column(grid, at).iter().sum::<f64>();
        if better == Better::Lower { sum } else { -sum }
    };
    let chosen = (0..grid.points.len()).min_by(|a, b| cost(*a).total_cmp(&cost(*b)))?;
    let others: Vec<usize> = (0..grid.points.len()).filter(|at| *at != chosen).collect();
    let alpha = 1.0 - confidence;
    let widened = 1.0 - alpha / others.len().max(1) as f64;
    let (ratio, _) = ratio_of(&column(grid, chosen), widened)?;
    let same = |at: &usize| {
        let pairs = column(grid, *at).into_iter().zip(column(grid, chosen));
        let logs: Vec<f64> = pairs.map(|(other, own)| other - own).collect();
        ratio_of_logs(&logs, confidence).map_or(1.0, |interval| interval.p_value)
    };
    let p: Vec<f64> = others.iter().map(same).collect();
    let alike = others.iter().zip(holm(&p)).filter(|(_, p)| *p > alpha);
    let alike = alike.map(|(at, _)| grid.points[*at].clone()).collect();
    Some(BestSetting { levels: grid.points[chosen].clone(), ratio, alike })
}

/// A setting's logarithms, one a block.
fn column(grid: &Grid, at: usize) -> Vec<f64> {
    grid.logs.iter().map(|logs| logs[at]).collect()
}

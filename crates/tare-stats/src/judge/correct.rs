//! Corrections of p-values for the number of rows, alone and for the pair of tests that each row carries.

use serde::{Deserialize, Serialize};

/// How verdicts are corrected for the number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Correction {
    /// Family-wise: at most `alpha` chance of any false verdict on the whole scoreboard (Holm 1979).
    Holm,
    /// False discovery rate: at most a share `alpha` of the verdicts is expected to be false (Benjamini and
    /// Hochberg 1995), for rows that are independent.
    BenjaminiHochberg,
    /// Each row on its own: `alpha` chance of a false verdict per row.
    None,
}

/// The two p-values of a row. Their null hypotheses exclude each other, so at most one of them is true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairP {
    /// Of "the ratio is 1".
    pub difference: f64,
    /// Of "the ratio lies outside the equivalence margin".
    pub equivalence: f64,
}

/// Holm's step-down adjusted p-values, in the order given. NaN counts as 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![1.0; p.len()];
    let mut running = 0.0_f64;
    for (rank, &i) in order.iter().enumerate() {
        running = running.max(clean(p[i]) * (p.len() - rank) as f64).min(1.0);
        adjusted[i] = running;
    }
    adjusted
}

/// Benjamini and Hochberg's step-up adjusted p-values, in the order given. NaN counts as 1.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![1.0; p.len()];
    let mut running = 1.0_f64;
    for (rank, &i) in order.iter().enumerate().rev() {
        running = running.min(clean(p[i]) * p.len() as f64 / (rank + 1) as f64);
        adjusted[i] = running;
    }
    adjusted
}

/// Adjusts p-values of tests that have nothing to do with each other, by the correction chosen.
pub fn adjusted(p: &[f64], correction: Correction) -> Vec<f64> {
    match correction {
        Correction::Holm => holm(p),
        Correction::BenjaminiHochberg => benjamini_hochberg(p),
        Correction::None => p.iter().copied().map(clean).collect(),
    }
}

/// Adjusts both p-values of every row together, by the correction chosen.
pub fn joint(pairs: &[PairP], correction: Correction) -> Vec<PairP> {
    match correction {
        Correction::Holm => joint_holm(pairs),
        Correction::BenjaminiHochberg => joint_benjamini_hochberg(pairs),
        Correction::None => pairs
            .iter()
            .map(|p| PairP { difference: clean(p.difference), equivalence: clean(p.equivalence) })
            .collect(),
    }
}

/// Step-down over all `2m` hypotheses of `m` rows, with Shaffer's (1986) multiplier.
///
/// At each step the multiplier is the largest number of null hypotheses that can still be true. Since the two nulls
/// of a row exclude each other, that is the number of rows with a hypothesis not rejected yet: `m` at the start, not
/// `2m`. The family-wise error is bounded under any dependence between rows: when all false nulls are rejected, the
/// rest is one true null per remaining row, each tested at `alpha` / their number (the sequential rejection
/// principle, Goeman and Solari 2010).
fn joint_holm(pairs: &[PairP]) -> Vec<PairP> {
    let m = pairs.len();
    let flat: Vec<f64> = pairs.iter().flat_map(|p| [p.difference, p.equivalence]).collect();
    let mut adjusted = vec![1.0; flat.len()];
    let mut open = vec![2_u8; m];
    let mut rows_open = m;
    let mut running = 0.0_f64;
    for i in ascending(&flat) {
        running = running.max(clean(flat[i]) * rows_open as f64).min(1.0);
        adjusted[i] = running;
        open[i / 2] -= 1;
        rows_open -= usize::from(open[i / 2] == 0);
    }
    adjusted.chunks_exact(2).map(|c| PairP { difference: c[0], equivalence: c[1] }).collect()
}

/// Step-up over rows, each ranked by the smaller of its two p-values.
///
/// A row makes a false claim only by rejecting its one true null at the level `alpha · R/m` that its rank earned, so
/// Benjamini and Hochberg's proof holds with `m` rows instead of `2m` tests.
fn joint_benjamini_hochberg(pairs: &[PairP]) -> Vec<PairP> {
    let m = pairs.len();
    let smaller: Vec<f64> =
        pairs.iter().map(|p| clean(p.difference).min(clean(p.equivalence))).collect();
    let sorted: Vec<f64> = ascending(&smaller).iter().map(|&i| smaller[i]).collect();
    let mut best_from = vec![1.0_f64; m + 1];
    for j in (0..m).rev() {
        best_from[j] = best_from[j + 1].min(sorted[j] * m as f64 / (j + 1) as f64);
    }
    let adjust = |p: f64| {
        let p = clean(p);
        let rank = sorted.partition_point(|s| *s <= p);
        if rank == 0 { best_from[0] } else { best_from[rank].min(p * m as f64 / rank as f64) }
    };
    pairs
        .iter()
        .map(|p| PairP { difference: adjust(p.difference), equivalence: adjust(p.equivalence) })
        .collect()
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| clean(p[a]).total_cmp(&clean(p[b])));
    order
}

fn clean(p: f64) -> f64 {
    if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
}

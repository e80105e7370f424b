//! What a program would take on a layer where it has never run: from what it does natively, and what each kind of that costs.
//!
//! The assumptions, which a reader of a prediction should know:
//! - **Costs add up.** A program takes on a layer what it takes natively, plus for every kind of work the difference of its
//!   costs. What no kind explains (waiting, unknown work in the kernel) takes as long as natively.
//! - **An operation costs what its row says**, in a program as in a loop: caches that are cold in a program and warm in a
//!   loop, locks that several threads want, and work that is done beside others are not seen.
//! - **Where programs were measured on the layer, the added cost of each group of kinds is scaled**, by ridge regression of
//!   the logarithms of the measured ratios towards scales of 1: the fewer programs, the less they move it. A program that is far
//!   off counts less than by its square (Huber's weights), so that one that the model cannot describe leaves the others alone.
//! - **The error is of the added cost**: a program to which a layer adds nothing cannot be far off. Its size is what leaving
//!   out each program of the fit shows, mixed with a prior that experience with nine programs on three layers gave (a factor
//!   of 1.25 in the middle, `PRIOR_SPREAD`), plus what the rows' own intervals say.

use crate::dist::t_critical;
use crate::error::StatError;

/// One kind of work of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostTerm {
    /// The group whose scale applies to it, from 0.
    pub group: usize,
    /// What it takes natively; in any unit, the same for all. Below 0 if the program does less of it than the price of another
    /// term holds.
    pub native: f64,
    /// What it takes on the layer by its row, with the same sign.
    pub layer: f64,
    /// The standard error of the natural logarithm of the row's ratio.
    pub log_error: f64,
}

/// A program as it runs natively, and what its work costs on a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramCost {
    /// What a run takes natively.
    pub native: f64,
    /// Its work, as far as it is known.
    pub terms: Vec<CostTerm>,
}

/// The scales of a layer's added costs, and how far predictions with them are off.
#[derive(Clone, Debug, PartialEq)]
pub struct CostModel {
    /// By group: what the rows' added cost is multiplied by.
    pub scales: Vec<f64>,
    /// By program of the fit: the natural logarithm of predicted / measured, when it is predicted from all others.
    pub left_out: Vec<f64>,
    /// The standard deviation of the natural logarithm of the added cost.
    pub spread: f64,
    /// Its degrees of freedom.
    pub df: f64,
}

/// A predicted ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictedRatio {
    /// Layer / native.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The spread of the added cost before any program was measured, and how many programs that counts as.
pub const PRIOR_SPREAD: f64 = 0.25;
const PRIOR_DF: f64 = 4.0;

/// Fewer programs than this move no scale.
pub const FEWEST_PROGRAMS: usize = 3;

/// How far the logarithms of scales are expected from 0, and of predictions from what is measured: their squares' quotient
/// is the ridge's weight.
const SCALE_SD: f64 = 0.3;
const RATIO_SD: f64 = 0.2;

/// An error of a logarithm beyond this counts by its size and not by its square.
const FAR: f64 = 0.1;

/// Scales are kept within these, as logarithms, and move by at most a step at a time.
const MOST_SCALE: f64 = 1.6;
const STEP: f64 = 0.5;

/// Steps of the regression, of which a few are enough.
const STEPS: usize = 25;

/// The part of an error that does not come from the added cost: of the clock, and of user time that is not quite the row's.
const FLOOR: f64 = 0.06;

/// A ratio is not below this, however much less the rows cost.
const LEAST_RATIO: f64 = 0.05;

impl ProgramCost {
    /// The added cost of each of `groups` kinds of work, as a share of what a run takes natively.
    fn added(&self, groups: usize) -> Vec<f64> {
        let mut added = vec![0.0; groups];
        for term in &self.terms {
            if let Some(sum) = added.get_mut(term.group) {
                *sum += (term.layer - term.native) / self.native;
            }
        }
        added
    }

    fn check(&self) -> Result<(), StatError> {
        if !(self.native.is_finite() && self.native > 0.0) {
            return Err(StatError::NotPositive { index: 0 });
        }
        let fine = |term: &CostTerm| {
            let costs = term.native * term.layer;
            costs.is_finite() && costs >= 0.0 && term.log_error.is_finite() && term.log_error >= 0.0
        };
        match self.terms.iter().position(|term| !fine(term)) {
            Some(index) => Err(StatError::NotFinite { index }),
            None => Ok(()),
        }
    }
}

impl CostModel {
    /// The model of a layer on which no program was measured: the rows' costs as they are.
    pub fn unfitted(groups: usize) -> CostModel {
        CostModel {
            scales: vec![1.0; groups],
            left_out: Vec::new(),
            spread: PRIOR_SPREAD,
            df: PRIOR_DF,
        }
    }

    /// The model of a layer on which `programs` were measured, each with its ratio there.
    ///
    /// # Errors
    /// A program that takes no time, a cost or a ratio that is no number above zero.
    pub fn fit(groups: usize, programs: &[(ProgramCost, f64)]) -> Result<CostModel, StatError> {
        for (index, (program, ratio)) in programs.iter().enumerate() {
            program.check()?;
            if !(ratio.is_finite() && *ratio > 0.0) {
                return Err(StatError::NotPositive { index });
            }
        }
        let mut model = CostModel::unfitted(groups);
        model.scales = scales(groups, programs);
        let mut squares = 0.0;
        for (at, (program, measured)) in programs.iter().enumerate() {
            let others = programs.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<(ProgramCost, f64)> = others.map(|(_, other)| other.clone()).collect();
            let scales = scales(groups, &others);
            let error = (ratio(program, &scales) / measured).ln();
            squares += (error / weight(program, &scales)).powi(2);
            model.left_out.push(error);
        }
        model.df = PRIOR_DF + programs.len() as f64;
        model.spread = ((PRIOR_DF * PRIOR_SPREAD.powi(2) + squares) / model.df).sqrt();
        Ok(model)
    }

    /// What `program` would take on the layer, with an interval that holds the truth with probability `confidence`.
    ///
    /// # Errors
    /// A program that takes no time, costs that are no numbers, a confidence outside of 0 to 1.
    pub fn predict(
        &self,
        program: &ProgramCost,
        confidence: f64,
    ) -> Result<PredictedRatio, StatError> {
        program.check()?;
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(StatError::BadLevel { level: confidence });
        }
        let ratio = ratio(program, &self.scales);
        let of_rows = |term: &CostTerm| {
            let scale = self.scales.get(term.group).copied().unwrap_or(1.0);
            (scale * term.layer / program.native / ratio * term.log_error).powi(2)
        };
        let rows: f64 = program.terms.iter().map(of_rows).sum();
        let error = (self.spread * weight(program, &self.scales)).powi(2) + rows;
        let reach = (t_critical(1.0 - confidence, self.df) * error.sqrt()).exp();
        Ok(PredictedRatio { ratio, low: ratio / reach, high: ratio * reach })
    }
}

fn ratio(program: &ProgramCost, scales: &[f64]) -> f64 {
    let added = program.added(scales.len());
    let sum: f64 = added.iter().zip(scales).map(|(added, scale)| added * scale).sum();
    (1.0 + sum).max(LEAST_RATIO)
}

/// How much of an error of the added cost is one of the whole ratio, with a floor.
fn weight(program: &ProgramCost, scales: &[f64]) -> f64 {
    let scale = |term: &CostTerm| scales.get(term.group).copied().unwrap_or(1.0);
    let of = |term: &CostTerm| scale(term) * (term.layer - term.native).abs();
    let changed: f64 = program.terms.iter().map(of).sum();
    let share = changed / program.native / ratio(program, scales);
    share.hypot(FLOOR / PRIOR_SPREAD)
}

/// The scales that fit `programs` best, each pulled towards 1: Gauss and Newton's way, by steps that are linear.
fn scales(groups: usize, programs: &[(ProgramCost, f64)]) -> Vec<f64> {
    let mut logs = vec![0.0_f64; groups];
    if programs.len() < FEWEST_PROGRAMS {
        return vec![1.0; groups];
    }
    for _ in 0..STEPS {
        let scales: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let mut left = vec![vec![0.0; groups]; groups];
        let mut right = vec![0.0; groups];
        for (program, measured) in programs {
            let predicted = ratio(program, &scales);
            let missing = (measured / predicted).ln();
            let weight = 1.0 / (missing.abs() / FAR).max(1.0);
            let added = program.added(groups);
            let by: Vec<f64> = (0..groups).map(|at| added[at] * scales[at] / predicted).collect();
            for row in 0..groups {
                right[row] += weight * by[row] * missing;
                for column in 0..groups {
                    left[row][column] += weight * by[row] * by[column];
                }
            }
        }
        let ridge = (RATIO_SD / SCALE_SD).powi(2);
        for (at, row) in left.iter_mut().enumerate() {
            row[at] += ridge;
            right[at] -= ridge * logs[at];
        }
        for (log, by) in logs.iter_mut().zip(solve(left, right)) {
            *log = (*log + by.clamp(-STEP, STEP)).clamp(-MOST_SCALE, MOST_SCALE);
        }
    }
    logs.iter().map(|log| log.exp()).collect()
}

/// Solves `left · x = right` by elimination; the ridge makes every pivot positive.
fn solve(mut left: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        let (above, below) = left.split_at_mut(pivot + 1);
        let of_pivot = &above[pivot];
        let known = right[pivot];
        for (row, value) in below.iter_mut().zip(&mut right[pivot + 1..]) {
            let factor = row[pivot] / of_pivot[pivot];
            *value -= factor * known;
            row.iter_mut().zip(of_pivot).for_each(|(to, from)| *to -= factor * from);
        }
    }
    for at in (0..size).rev() {
        let rest: f64 = (at + 1..size).map(|other| left[at][other] * right[other]).sum();
        right[at] = (right[at] - rest) / left[at][at];
    }
    right
}

//! `tare-stats`: what a campaign's numbers say and how sure that is, as pure functions on slices.
//!
//! No input or output, no clock, no global state, no panic on any input: what cannot be computed is a
//! [`StatError`]. Every statistic is tested against values from R or SciPy (`reference/`), and the method as a
//! whole by simulation.
//!
//! The way through the modules: a series is reduced by an [`Estimator`]; the blocks' pairs give a
//! [`paired_ratio`]; all rows together get their [`verdicts`], bounded below by the [`noise_floor`]; the suite gets
//! its [`suite_geomean`]. Beside them stand the [`bootstrap_ratio`] as a check, the [`shape()`] of the distributions, the
//! [`Warning`]s, and the variance [`components()`] that plan the next campaign.
//!
//! What was chosen because simulation said so (the crate `tare-calibrate`; figures in docs/calibration.md):
//! - the interval printed per row is the row's own t interval on the log scale: it holds the truth in 94.5–97.0% of
//!   campaigns from 5 blocks, in 93–97% at 3, under every noise model tried;
//! - verdicts use moderated variances only where a noise floor was measured and there are 5 blocks or more. On 150 rows
//!   that finds a true 5% at 10 blocks in 95% of campaigns instead of 52%, and A/A scoreboards stay silent. With 3
//!   blocks, or without the floor, rows of very different noise break it (up to 11% false, 38% where boots have two modes), so there each row has its
//!   own variance;
//! - boots that fall into two modes break any method at 3 blocks: equal modes by luck look like a quiet difference.
//!   The floor catches most of that (27% false without, about 6% with).

mod check;
pub mod dist;
mod distribution;
mod error;
mod interval;
mod judge;
mod meta;
mod model;
pub mod rng;
mod series;
mod variance;

pub use distribution::drift::{
    CHANGE_FROM, block_warnings, change_point, lag1, series_warnings, warm_up_cut,
};
pub use distribution::shape::{Shape, cliffs_delta, hodges_lehmann, shape, wasserstein};
pub use distribution::warning::Warning;
pub use error::StatError;
pub use interval::bootstrap::{BlockSamples, BootstrapRatio, bootstrap_ratio, disagree};
pub use interval::geomean::{SuiteGeomean, suite_geomean, suite_geomean_sparse, unpaired_geomean};
pub use interval::ratio::{
    LogRatio, RatioInterval, RatioPoint, log_ratios, paired_ratio, point_of_logs, ratio_of_logs,
    ratio_point, unpaired_point, unpaired_ratio,
};
pub use interval::rounds::{FEWEST_ROUNDS, rounds_log_ratio, rounds_log_ratio_of_means};
pub use judge::correct::{Correction, PairP, adjusted, benjamini_hochberg, holm, joint};
pub use judge::floor::{NoiseFloor, noise_floor, noise_floor_of_logs};
pub use judge::input::RowInput;
pub use judge::verdict::{
    RowVerdict, ShownInterval, VarianceModel, Verdict, VerdictRules, claims, verdicts,
    verdicts_with,
};
pub use judge::width::narrow_enough;
pub use meta::{
    Explained, Part, Pooled, Residual, Study, explained, p_of_same, pool, residuals,
    share_variances,
};
pub use model::contrasts::DesignNoise;
pub use model::cost::{CostModel, CostTerm, PredictedRatio, ProgramCost};
pub use model::decompose::{Decomposition, Factor, Work, decompose};
pub use model::factorial::{Factorial, Fit};
pub use model::line::{Line, line};
pub use model::rank::{RankCorrelation, rank_correlation};
pub use series::estimator::{Best, Estimator};
pub use series::summary::{
    MeanInterval, half_width_of, mean, mean_interval, median, quantile, sample_sd,
};
pub use series::tail::{QuantileInterval, quantile_interval};
pub use variance::components::{
    Components, Costs, MOST_REPETITIONS, Repetitions, blocks_needed, components, optimum,
};
pub use variance::moderate::{VariancePrior, moderate};

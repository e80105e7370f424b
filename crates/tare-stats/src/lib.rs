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

pub mod bootstrap;
mod check;
pub mod components;
pub mod contrasts;
pub mod correct;
pub mod decompose;
mod differences;
pub mod dist;
pub mod drift;
mod error;
pub mod estimator;
pub mod factorial;
pub mod floor;
pub mod geomean;
mod input;
pub mod line;
pub mod meta;
pub mod moderate;
mod plan;
pub mod predict;
pub mod rank;
pub mod ratio;
pub mod rng;
mod rounds;
pub mod shape;
pub mod summary;
pub mod tail;
mod uneven;
pub mod verdict;
pub mod warning;
mod width;

pub use bootstrap::{BlockSamples, BootstrapRatio, bootstrap_ratio, disagree};
pub use components::{Components, Costs, Repetitions, blocks_needed, components, optimum};
pub use contrasts::DesignNoise;
pub use correct::{Correction, PairP, adjusted, benjamini_hochberg, holm};
pub use decompose::{Decomposition, Factor, Work, decompose};
pub use drift::{CHANGE_FROM, block_warnings, change_point, lag1, series_warnings, warm_up_cut};
pub use error::StatError;
pub use estimator::{Best, Estimator};
pub use factorial::{Factorial, Fit};
pub use floor::{NoiseFloor, noise_floor, noise_floor_of_logs};
pub use geomean::{SuiteGeomean, suite_geomean, suite_geomean_sparse, unpaired_geomean};
pub use input::RowInput;
pub use line::{Line, line};
pub use meta::{
    Explained, Part, Pooled, Residual, Study, explained, p_of_same, pool, residuals,
    share_variances,
};
pub use moderate::{VariancePrior, moderate};
pub use predict::{CostModel, CostTerm, PredictedRatio, ProgramCost};
pub use rank::{RankCorrelation, rank_correlation};
pub use ratio::{
    LogRatio, RatioInterval, RatioPoint, log_ratios, paired_ratio, point_of_logs, ratio_of_logs,
    ratio_point, unpaired_point, unpaired_ratio,
};
pub use rounds::{FEWEST_ROUNDS, rounds_log_ratio, rounds_log_ratio_of_means};
pub use shape::{Shape, cliffs_delta, hodges_lehmann, shape, wasserstein};
pub use summary::{MeanInterval, mad, mean, mean_interval, median, quantile, sample_sd};
pub use tail::{QuantileInterval, quantile_interval};
pub use verdict::{
    RowVerdict, ShownInterval, VarianceModel, Verdict, VerdictRules, claims, verdicts,
    verdicts_with,
};
pub use warning::Warning;
pub use width::narrow_enough;

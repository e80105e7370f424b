//! `tare-board`: from a campaign to judged values. How these are written is up to `tare-report`.
//!
//! [`scoreboard`] turns a [`tare_store::Campaign`] into a [`Scoreboard`] with `tare-stats`: every series becomes a
//! block's value (`values.rs`), two layers' values a ratio (`cell.rs`), all ratios together verdicts (`assemble.rs`).
//! [`compare`] does the same for two campaigns, [`fleet`] for those of many hosts, [`explain`] breaks a ratio down. Names and reasons are passed on as
//! the campaign holds them; whoever writes them out makes them harmless.

mod assemble;
mod bases;
mod board;
mod cell;
mod comment;
mod compare;
mod explain;
mod extras;
mod finding;
mod fleet;
mod floor;
pub mod format;
mod geomean;
mod holes;
pub mod identity;
mod index;
mod limit;
pub mod load;
pub mod measured;
mod moved;
mod note;
mod options;
mod predict;
pub mod ranking;
mod ratio;
mod remark;
mod samples;
mod sandbox;
mod sandboxes;
mod shapes;
mod subtracted;
mod support;
mod sweep;
mod values;
mod warn;
mod weigh;

pub use assemble::scoreboard;
pub use board::{
    BestSetting, Cell, CountedEffect, Counts, Curve, CurvePoint, Effect, Explained, Factor,
    FailedBoot, Floor, Geomean, Index, IndexRow, Interaction, LayerSummary, Mean, Measure, Method,
    OverallFloor, Pair, Presence, Provenance, Ratio, Response, Row, Score, Scoreboard, Setting,
    Subtracted, Sweep, Unavailable, Verdict, Words,
};
pub use comment::Comment;
pub use compare::{
    By, Campaigned, CompareError, CompareOptions, ComparedLayer, ComparedRow, Comparison,
    Condition, ConditionError, Difference, Failing, Gate, Judged, Seen, compare,
};
pub use explain::{
    Explanation, FactorRow, Factors, Metric, Metrics, Table, TableLine, explain, factors, metrics,
};
pub use extras::{Counter, Extras, Usage};
pub use finding::Finding;
pub use fleet::{
    Cause, Fleet, FleetCell, FleetLayer, FleetMean, FleetRow, HostEffect, HostRatio, MergeError,
    Merged, MergedCell, MergedHost, MergedLayer, Merger, MissingHost, NotMerged, PooledRatio,
    Property, Reduced, Spread, Subgroup, Subject, fleet, fleet_limits,
};
pub use limit::limits;
pub use load::{LoadCurve, LoadPoint};
pub use options::Options;
pub use predict::{
    Band, CONFIDENCE as PREDICTION_CONFIDENCE, Expected, Held, HeldCpu, LayerPrediction, Naive,
    PRICES, Predicted, Prediction, Printed, Profile, Term, Unpriced, held, predict,
};
pub use remark::Note;
pub use samples::{BootSamples, Counted, SampleSummary};
pub use sandbox::{Alive, Beside, Estimate, Phase, SANDBOX, Sandbox, Tails};

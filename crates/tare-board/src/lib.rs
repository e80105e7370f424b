//! `tare-board`: from a campaign to judged values. How these are written is up to `tare-report`.
//!
//! [`scoreboard`] turns a [`tare_store::Campaign`] into a [`Scoreboard`] with `tare-stats`: every series becomes a
//! block's value (`value/`), two layers' values a ratio (`ratio/`), all ratios together verdicts (`assemble.rs`).
//! [`compare`] does the same for two campaigns, [`fleet`] for those of many hosts, [`explain`] breaks a ratio down, [`repetition`]
//! says whether a simulated campaign was repeated. Names and reasons are passed on as
//! the campaign holds them; whoever writes them out makes them harmless.

mod assemble;
mod board;
mod compare;
mod explain;
mod extras;
mod figures;
mod fleet;
pub mod format;
mod limit;
mod options;
mod predict;
mod ratio;
mod remarks;
mod repetition;
mod sandbox;
mod suite;
mod sweep;
mod value;
mod warn;

pub use assemble::scoreboard;
pub use board::{
    Alive, AtState, Beside, BestSetting, Busy, Cell, Choice, ChoiceOf, Chosen, CountedEffect,
    Counts, Curve, CurvePoint, Effect, Estimate, Explained, Factor, FailedBoot, Figures, Floor,
    Geomean, HangsOn, Index, IndexRow, Interaction, LayerSummary, Mean, Measure, Method,
    OverallFloor, Pair, Pays, Phase, Presence, Provenance, Ratio, Response, Restored, Row, Sandbox,
    Score, Scoreboard, Setting, SharedMean, Subtracted, Sweep, Tails, Unavailable, Verdict, Words,
};

pub use compare::{
    By, Campaigned, CompareError, CompareOptions, ComparedLayer, ComparedRow, Comparison,
    Condition, ConditionError, Difference, Failing, Gate, Judged, Seen, compare,
};
pub use explain::{
    Alone, CostPart, Executed, Explanation, FactorRow, Factors, Help, KERNEL, Known, LayerCauses,
    Metric, Metrics, Outcome, Outside, Processed, Stack, Stretch, Table, TableLine, Tried,
    TriedCause, alone, explain, explain_beside, factors, layer_causes, metrics, tried,
};
pub use extras::{Counter, Extras, Usage};
pub use fleet::{
    Cause, Fleet, FleetCell, FleetLayer, FleetMean, FleetRow, HostEffect, HostRatio, MergeError,
    Merged, MergedCell, MergedHost, MergedLayer, Merger, MissingHost, NotMerged, PooledRatio,
    Property, Reduced, Spread, Subgroup, Subject, fleet, fleet_limits,
};
pub use limit::limits;
pub use options::Options;
pub use predict::{
    Band, CONFIDENCE as PREDICTION_CONFIDENCE, Compared, Expected, Held, HeldCpu, Kind,
    LayerPrediction, Naive, PRICES, Predicted, Prediction, Printed, Profile, Term, Unpriced,
    has_prices, held, predict,
};
pub use ratio::choices::C_LIBRARY;
pub use remarks::comment::Comment;
pub use remarks::finding::Finding;
pub use remarks::identity;
pub use remarks::remark::Note;
pub use repetition::{Repetition, Unequal, repetition};
pub use suite::load::{LoadCurve, LoadPoint};
pub use suite::service::{COST, SERVICE};
pub use suite::{load, ranking};
pub use value::holes::SANDBOX;
pub use value::measured;
pub use value::samples::{BootSamples, Counted, SampleSummary};

//! The campaign directory: one SQLite file that holds everything a campaign was and measured.
//!
//! Every series is one durable transaction, so a campaign that is killed at any instant loses at
//! most the series in flight. The schema is `schema.sql`; anything that reads SQLite reads it.

mod create;
mod discard;
mod error;
mod journal;
mod lock;
mod logs;
mod model;
mod opened;
mod order;
mod program;
mod read;
mod record;
mod sql;
mod sweep;
mod table;
mod upgrade;
mod write;

pub use discard::discard_empty;
pub use error::StoreError;
pub use lock::is_held;
pub use model::{
    Boot, BootState, Campaign, Counting, LayerRow, Neighbours, Outcome, Plan, Recorded, Role,
    Scratch, SeriesRow, StoredArtifact, Warning,
};
pub use order::Order;
pub use program::{LOAD, PlannedProgram, ProgramRow, ProgramValue};
pub use read::{load, load_plan_within, load_within};
pub use sweep::{Design, Knob, Sweep, SweptLayer, Turned};
pub use table::Sample;
pub use write::Store;

/// The file's name inside the campaign's directory.
pub const FILE: &str = "campaign.db";

/// The name of the one file in the directory of a merged result: campaigns of many hosts as one.
pub const MERGED: &str = "merged.json";

/// The kind of a layer whose figures another tool took: nothing was booted, a block is a file or run.
pub const IMPORTED: &str = "imported";

/// The counter of what a message to a layer and its answer took, in nanoseconds, where these go through a daemon or a network.
pub const WIRE: &str = "wire_ns";

/// What ended a boot that tare itself did not see to its end: it says nothing about the layer.
pub const CUT_OFF: &str = "tare ended during this boot";

/// The schema's version, kept as SQLite's `user_version`.
pub const SCHEMA_VERSION: i64 = 3;

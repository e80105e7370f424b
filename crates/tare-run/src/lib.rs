//! Runs campaigns: which layer is booted when, what is asked of it, and when to stop.
//!
//! Everything is in the store before the next thing starts; [`History::of`] reads it back and [`Runner`] goes on.

mod allocate;
mod block;
mod boot;
mod booted;
mod budget;
mod campaign;
mod counted;
mod cpus;
mod curve;
mod history;
mod host_benches;
mod idle;
mod machine;
mod memory;
mod observe;
mod order;
mod predict;
mod programs;
mod recorder;
mod rehearsal;
mod remembered;
mod requests;
mod rounds;
mod row;
mod runner;
mod samples;
mod sandbox;
pub mod sandbox_benches;
mod search;
mod series;
pub mod simulated;
mod slot;
mod trial;
mod trials;
mod turns;

pub use budget::{ENOUGH_BLOCKS, series_ms};
pub use campaign::Ending;
pub use cpus::{CoreKind, allowed_cpus, core_kind, list, pick_cpus, stay_off};
pub use history::History;
pub use host_benches::{HOST_BENCHES, HOST_SUITE, HostBench};
pub use machine::{OwnCost, check_space, now};
pub use observe::{Event, FoundLoads, Observer};
pub use order::{block_order, shuffled};
pub use programs::{Wrong, check_program};
pub use rehearsal::Rehearsal;
pub use remembered::{forget, identity};
pub use requests::BATCH_NS;
pub use runner::{CampaignLayer, RunError, Runner};
pub use search::Search;
pub use trial::{Candidate, Trial, Trials};

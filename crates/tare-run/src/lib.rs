//! Runs campaigns: which layer is booted when, what is asked of it, and when to stop.
//!
//! Everything is in the store before the next thing starts; [`History::of`] reads it back and [`run`] goes on.

mod decide;
mod host;
mod measure;
mod plan;
mod record;
mod run;
mod sandbox;
mod search;
mod trial;

pub use decide::budget::{ENOUGH_BLOCKS, series_ms};
pub use decide::order::{block_order, shuffled};
pub use host::cpus::{CoreKind, allowed_cpus, core_kind, list, more_cpus, pick_cpus, stay_off};
pub use host::machine::{OwnCost, check_space, now};
pub use host::ticks::Ticks;
pub use measure::one_run::no_wakeups;
pub use plan::host_benches::{HOST_BENCHES, HOST_SUITE, HostBench};
pub use plan::programs::{Wrong, check_program};
pub use plan::requests::BATCH_NS;
pub use plan::setup::{CampaignLayer, Setup};
pub use plan::{sandbox_benches, simulated};
pub use record::found::{Expected, FoundLoads, SoFar, Trial};
pub use record::history::History;
pub use record::observer::{Event, Observer};
pub use record::recorder::RunError;
pub use run::{Ending, run};
pub use search::loads::{Search, SearchError};
pub use search::rehearsal::Rehearsal;
pub use trial::made::{Made, initramfs_of, made_of};
pub use trial::one::{Candidate, Trials};
pub use trial::remembered::{forget, identity};

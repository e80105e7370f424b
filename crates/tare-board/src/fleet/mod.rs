//! Campaigns of one plan from many hosts, as one result: the host is a level above the block.
//!
//! [`Merger`] reduces each campaign to its log ratios with their standard errors ([`Merged`], which is what `tare merge` keeps),
//! and [`fleet`] pools them over hosts.

mod board;
mod differ;
mod family;
mod judge;
mod merged;
mod pooled;
mod reduce;
mod refuse;

pub use board::{
    Cause, Fleet, FleetCell, FleetLayer, FleetMean, FleetRow, HostRatio, PooledRatio, Property,
    Spread, Subgroup,
};
pub use judge::fleet;
pub use merged::{
    HostEffect, Merged, MergedCell, MergedHost, MergedLayer, MissingHost, NotMerged, Subject,
};
pub use reduce::Merger;
pub use refuse::MergeError;

//! Campaigns of one plan from many hosts, as one result: the host is a level above the block.
//!
//! [`Reduced`] is a campaign's log ratios with their standard errors, [`Merger`] puts those of all hosts together ([`Merged`], which
//! is what `tare merge` keeps), [`fleet`] pools them over hosts, and [`fleet_limits`] tests conditions on the result.

mod board;
mod differ;
mod family;
mod judge;
mod limit;
mod merged;
mod merger;
mod pooled;
mod reduce;
mod refuse;

pub use board::{
    Cause, Fleet, FleetCell, FleetLayer, FleetMean, FleetRow, HostRatio, PooledRatio, Property,
    Spread, Subgroup,
};
pub use judge::fleet;
pub use limit::fleet_limits;
pub use merged::{
    HostEffect, Merged, MergedCell, MergedHost, MergedLayer, MissingHost, NotMerged, Subject,
};
pub use merger::Merger;
pub use reduce::Reduced;
pub use refuse::MergeError;

//! Decides from the plan and the history: what a block measures, in which order, with how many samples, and when to stop.

pub(crate) mod allocation;
pub(crate) mod block;
pub(crate) mod budget;
pub(crate) mod curve;
pub(crate) mod forecast;
pub(crate) mod order;
pub(crate) mod runs;
pub(crate) mod samples;
pub(crate) mod so_far;
pub(crate) mod turns;

//! The suite `sandbox`: what it costs to start whole layers, to keep them and to end them.
//!
//! The host measures it around sessions of its own, so every sample is a fresh start. In a block every layer has a visit
//! ([`visit`]): layers take turns start by start, so that the machine's drift is shared, and what a visit found becomes the
//! block's series. Its rows are those of `sandbox_benches.rs`.

pub(crate) mod alive;
mod asked;
mod at_once;
mod beside;
mod block;
mod clones;
mod crowd;
mod image;
mod ledger;
mod limits;
mod many;
mod restore;
mod single;
pub(crate) mod start;
mod steps;
mod take;
mod truths;
mod visit;

pub(crate) use at_once::starts_at_once;
pub(crate) use block::{Place, visits};
pub(crate) use start::Starter;

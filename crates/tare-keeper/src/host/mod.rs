//! What this host lets tare do: programs, threads, folders that nobody else may write to, and why something cannot run.

pub(crate) mod availability;
pub(crate) mod before;
pub mod cache;
pub mod knobs;
pub mod programs;
pub mod threads;

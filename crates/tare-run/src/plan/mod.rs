//! What was asked for: the plan, its layers and benchmarks, which boots there are, and what each is asked.

pub(crate) mod host_benches;
pub(crate) mod one_cpu;
pub(crate) mod programs;
pub(crate) mod requests;
pub mod sandbox_benches;
pub(crate) mod setup;
pub mod simulated;
pub(crate) mod slot;

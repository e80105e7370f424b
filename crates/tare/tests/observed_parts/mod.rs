//! What is asked of watched campaigns beside counts.

pub mod functions;
pub mod quota;
pub mod service;
pub mod stacks;

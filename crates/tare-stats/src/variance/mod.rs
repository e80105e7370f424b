//! Where variance comes from, and variances that rows and blocks tell together.

pub mod components;
pub mod moderate;
pub mod uneven;

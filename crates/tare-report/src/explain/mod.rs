//! Explanations written out.

mod folded;
mod metrics;
mod text;
mod tried;

pub use folded::{alone_stacks_text, stacks_text};
pub use metrics::{factors_text, metrics_text};
pub use text::{alone_text, explanations_text};
pub(crate) use text::{count, table};
pub use tried::tried_text;

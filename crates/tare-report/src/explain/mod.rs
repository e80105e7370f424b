//! Explanations written out.

mod folded;
mod metrics;
mod text;
mod tried;

pub use folded::{alone_stacks_text, stacks_text};
pub use metrics::{factors_text, metrics_text};
pub(crate) use text::{OVERALL, count, of_layers, table};
pub use text::{alone_text, explanations_text};
pub use tried::tried_text;

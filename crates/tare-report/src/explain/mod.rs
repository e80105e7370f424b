//! Explanations written out.

mod metrics;
mod rendered;

pub use metrics::{factors_text, metrics_text};
pub use rendered::explanations_text;
pub(crate) use rendered::table;

//! Explanations written out.

mod metrics;
mod text;

pub use metrics::{factors_text, metrics_text};
pub use text::explanations_text;
pub(crate) use text::table;

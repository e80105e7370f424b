//! Explanations written out: for a terminal and as part of the page.

mod metrics;
mod rendered;

pub use metrics::{factors_text, metrics_text};
pub(crate) use rendered::explanations_html;
pub use rendered::explanations_text;

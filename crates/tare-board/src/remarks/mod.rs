//! What a reader should know before believing a figure.
//!
//! - A [`comment`] is about one cell: a short label for a table, and a sentence.
//! - A [`note`] is about a whole layer: how it differs from the baseline in what should be the same.
//! - A [`finding`] is a sign in samples or blocks that a ratio may mislead; a comment carries it.
//! - A warning (`warn.rs`, beside what it follows from) is about the whole campaign.

pub(crate) mod comment;
pub(crate) mod finding;
pub mod identity;
pub(crate) mod note;
pub(crate) mod remark;

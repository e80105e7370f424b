//! The scoreboard as a document, section by section.

mod details;
mod document;
mod loads;
mod matrix;
mod provenance;
mod trouble;

pub(crate) use document::document;

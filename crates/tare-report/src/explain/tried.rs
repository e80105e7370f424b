//! What was tried of an explanation, for a terminal.

use super::text::table;
use crate::clean::clean;
use crate::document::{Block, Document, Ink, Place, Section, paragraphs};
use crate::text::{ON_PAPER, written};
use crate::words;
use tare_board::Tried;
use tare_board::format::short_ratio;

/// The row with the change and without it, and what its causes became; 80 columns.
#[must_use]
pub fn tried_text(tried: &Tried) -> String {
    let [layer, changed] = [&tried.layer, &tried.changed].map(words::name);
    let ratio = short_ratio(tried.ratio.value);
    let heading = format!("{}: {changed} against {layer} × {ratio}", clean(&tried.benchmark));
    let mut blocks = paragraphs(Ink::Plain, vec![clean(&tried.sentence)]);
    blocks.push(Block::Table(table(&[&tried.layer, &tried.changed], &tried.table)));
    let sections = vec![Section::new(Place::Rows, heading, blocks)];
    written(&Document { title: String::new(), sections }, &ON_PAPER)
}

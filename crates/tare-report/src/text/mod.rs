//! The terminal form: headlines in words, the matrix, and below them the details and provenance.

mod details;
mod ending;
mod loads;
mod matrix;
mod page;
mod sweep;

pub use page::Paint;
pub(crate) use page::{Page, written};

use crate::document::{Ink, Table};
use crate::trouble::reason;
use crate::{headline, index, sandbox, words};
use tare_board::Scoreboard;
use tare_board::format::count;

/// How the terminal form looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns; no line is wider. Fewer than [`TextStyle::NARROWEST`] are taken as that.
    pub width: usize,
    /// Colour or none.
    pub paint: Paint,
    /// With a table of intervals, raw pairs and comments for every layer.
    pub details: bool,
}

impl TextStyle {
    /// The fewest columns that a table needs.
    pub const NARROWEST: usize = 60;
}

/// Writes the scoreboard for a terminal.
pub fn text(board: &Scoreboard, style: &TextStyle) -> String {
    let mut page = Page::new(style.width.max(TextStyle::NARROWEST), style.paint);
    title(&mut page, board);
    sandboxes(&mut page, board);
    page.gap();
    headline::headlines(board).iter().for_each(|item| page.item(item));
    sweep::sweeps(&mut page, board, style);
    matrix::matrix(&mut page, board);
    sandbox::tables(board).iter().for_each(|table| titled(&mut page, table));
    index::tables(board).for_each(|table| titled(&mut page, &table));
    ending::floor(&mut page, board);
    loads::curves(&mut page, board);
    loads::rankings(&mut page, board);
    ending::notes(&mut page, board);
    if style.details {
        details::details(&mut page, board);
    }
    ending::warnings(&mut page, board);
    ending::failed_boots(&mut page, board);
    ending::unavailable(&mut page, board);
    ending::provenance(&mut page, board);
    page.finish()
}

fn title(page: &mut Page, board: &Scoreboard) {
    let measured = board.others().filter(|layer| layer.measured > 0).count();
    let baseline = words::name(&board.baseline);
    let what = match board.others().count() {
        0 => format!("{baseline} alone"),
        _ => format!("{} against {baseline}", count(measured, "layer")),
    };
    let summary = format!(
        "{what}, {}, {}",
        count(board.rows.len(), "benchmark"),
        headline::replicates(board),
    );
    page.paragraph(Ink::Bold, "", &summary);
    for notice in headline::notices(board) {
        page.paragraph(Ink::Caution, "", &notice);
    }
}

/// A table below a heading of its own.
fn titled(page: &mut Page, table: &Table) {
    page.heading(&table.title);
    page.paragraph(Ink::Dim, "", &table.note);
    page.table(table);
}

/// A sentence for each layer about its starts.
fn sandboxes(page: &mut Page, board: &Scoreboard) {
    page.gap();
    for (layer, text) in sandbox::sentences(board) {
        page.labelled(&format!("{layer} "), Ink::Plain, &format!("{text}."));
    }
}

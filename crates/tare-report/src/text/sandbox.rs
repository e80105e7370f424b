//! The suite `sandbox` in the terminal: a sentence a layer at the top, and tables below the matrix.

use super::page::{Ink, Page, Piece, Side};
use crate::sandbox;
use tare_board::Scoreboard;

/// Fewest columns of a layer's name.
const NAME: usize = 8;

/// The sentences.
pub(super) fn lead(page: &mut Page, board: &Scoreboard) {
    let sentences = sandbox::sentences(board);
    if !sentences.is_empty() {
        page.gap();
    }
    for (layer, text) in sentences {
        page.labelled(&format!("{layer} "), Ink::Plain, &format!("{text}."));
    }
}

/// The tables.
pub(super) fn tables(page: &mut Page, board: &Scoreboard) {
    for table in sandbox::tables(board) {
        page.heading(table.title);
        page.paragraph(Ink::Dim, "", table.note);
        let mut sides = vec![Side::Left];
        sides.resize(table.head.len(), Side::Right);
        let line = |ink: Ink, cells: Vec<String>| {
            cells.into_iter().map(|cell| Piece::new(ink, cell)).collect::<Vec<_>>()
        };
        let head = table.head.iter().map(ToString::to_string).collect();
        let mut rows = vec![line(Ink::Bold, head)];
        rows.extend(table.rows.into_iter().map(|cells| line(Ink::Plain, cells)));
        page.grid(&sides, &rows, NAME);
    }
}

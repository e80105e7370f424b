//! A sweep in the terminal: for each benchmark a sentence, the settings, the effects and the largest interactions.

use super::TextStyle;
use super::page::{Ink, Page, Piece, Side};
use crate::sweep::{Table, heading, note, sentence, tables, title};
use tare_board::{Response, Scoreboard};

/// Fewest columns of the first name of a table.
const NAME: usize = 6;

/// Benchmarks whose tables are shown without `--details`; of the others the sentence is.
const SHOWN: usize = 4;

pub(super) fn sweeps(page: &mut Page, board: &Scoreboard, style: &TextStyle) {
    for sweep in board.sweeps.iter().filter(|sweep| !sweep.responses.is_empty()) {
        page.heading(&title(sweep));
        page.paragraph(Ink::Dim, "", &note(sweep));
        for (at, response) in sweep.responses.iter().enumerate() {
            one(page, response, style.details || at < SHOWN);
        }
        if sweep.responses.len() > SHOWN && !style.details {
            page.gap();
            page.paragraph(Ink::Dim, "", "--details has the tables of the other benchmarks, too.");
        }
    }
}

fn one(page: &mut Page, response: &Response, whole: bool) {
    page.gap();
    page.paragraph(Ink::Bold, "", &heading(response));
    page.paragraph(Ink::Plain, "", &sentence(response));
    for shown in tables(response).iter().filter(|_| whole) {
        page.gap();
        table(page, shown);
    }
}

fn table(page: &mut Page, table: &Table) {
    page.paragraph(Ink::Dim, "", &format!("{}. {}", table.title, table.note));
    let side = |at: usize| if at < table.names { Side::Left } else { Side::Right };
    let mut sides: Vec<Side> = (0..table.head.len()).map(side).collect();
    if table.head.last().is_some_and(|title| title == "verdict") {
        sides.pop();
        sides.push(Side::Left);
    }
    let line = |ink: Ink, cells: &[String]| -> Vec<Piece> {
        cells.iter().map(|cell| Piece::new(ink, cell.clone())).collect()
    };
    let mut rows = vec![line(Ink::Bold, &table.head)];
    rows.extend(table.rows.iter().map(|cells| line(Ink::Plain, cells)));
    page.grid(&sides, &rows, NAME);
}

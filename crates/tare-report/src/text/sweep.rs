//! A sweep in the terminal: for each benchmark a sentence, the settings, the effects and the largest interactions.

use super::TextStyle;
use super::page::Page;
use crate::document::Ink;
use crate::sweep::{heading, note, sentence, tables, title};
use tare_board::{Response, Scoreboard};

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
    for table in tables(response).iter().filter(|_| whole) {
        page.gap();
        page.paragraph(Ink::Dim, "", &format!("{}. {}", table.title, table.note));
        page.table(table);
    }
}

//! The page: one self-contained HTML file with every figure drawn into it. It makes no network requests.
//!
//! Templates are `maud`'s, which escape whatever is put into them; figures escape their own texts (`svg::canvas`).
//! Every string of a campaign goes through [`crate::clean()`] first. The page's policy allows only our style sheet and our
//! script, by their hashes, so that even markup that slipped through could not load or run anything.

mod bench;
mod cell;
mod common;
mod compare;
mod controls;
mod document;
mod explain;
mod fleet;
mod history;
mod index;
mod page;
mod predict;
mod provenance;
mod ranking;
mod sandbox;
mod shape;
mod summary;
mod sweep;
mod table;
mod trouble;

pub use compare::compare_html;
pub use fleet::fleet_html;
pub use history::history_html;
pub use page::{Shell, shell};

use crate::clean::fit;
use crate::{clean, scoreboard};
use maud::{Markup, html};
use tare_board::{Extras, Scoreboard};
use tare_store::Campaign;

/// Writes a campaign's report as one HTML file.
pub fn html(campaign: &Campaign, board: &Scoreboard, extras: &Extras) -> String {
    let predicted = tare_board::held(campaign, board);
    let said = scoreboard::document(board);
    let explained = explain::explained(campaign, board);
    let why = explain::overall(&explained);
    let body = html! {
        main {
            (summary::summary(board, &said))
            (sweep::section(board))
            (sandbox::section(campaign, board, extras))
            (table::section(board))
            (index::section(board))
            (ranking::section(board))
            (predict::section(board, &predicted))
            (why)
            (bench::sections(campaign, board, extras, &explained))
            (trouble::section(board, &said))
            (provenance::section(campaign, board))
        }
    };
    let mut nav = vec![
        ("#scoreboard", "Scoreboard"),
        ("#benchmarks", "Benchmarks"),
        ("#trouble", "Can I trust it?"),
        ("#provenance", "Where it comes from"),
    ];
    if sweep::any(board) {
        nav.insert(0, ("#sweeps", "Sweeps"));
    }
    if sandbox::any(board) {
        nav.insert(0, ("#sandboxes", "Starts"));
    }
    if ranking::any(board) {
        nav.insert(1, ("#optimise", "Where to optimise"));
    }
    if !predicted.is_empty() {
        nav.insert(nav.len() - 2, ("#predicted", "Predicted"));
    }
    if !why.0.is_empty() {
        nav.insert(nav.len() - 3, ("#why", "Why"));
    }
    let title = titled(board, &said.title);
    shell(&Shell { title: &title, nav: &nav, connects: false }, &body).into_string()
}

/// What it is about, with the date and the machine.
fn titled(board: &Scoreboard, about: &str) -> String {
    let from = &board.provenance;
    let day: String = clean(&from.created).chars().take(10).collect();
    let machine = fit(&clean(&from.cpu_model), 40);
    [about.to_owned(), day, machine]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The top of a report alone: notices, a sentence a layer, the geometric means drawn.
pub fn summary_html(board: &Scoreboard) -> Markup {
    summary::summary(board, &scoreboard::document(board))
}

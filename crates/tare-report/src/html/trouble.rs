//! "Can I trust it?": what differs besides the layer, warnings, failed boots with their consoles, what could not run.

use super::document::section as written;
use crate::document::{Document, Place};
use crate::headline;
use maud::{Markup, html};
use tare_board::Scoreboard;
use tare_board::format::count;

pub(super) fn section(board: &Scoreboard, said: &Document) -> Markup {
    let all = |place: Place| said.sections.iter().filter(move |section| section.place == place);
    html! {
        section #trouble aria-labelledby="h-trouble" {
            h2 #h-trouble { "Can I trust it?" }
            p { (headline::floor(board)) }
            @if all(Place::Differences).next().is_none() { p.quiet { "The probes could see no other differences between the layers." } }
            @if board.warnings.is_empty() { p.quiet { "There are no warnings." } }
            @if board.failed_boots.is_empty() { p.quiet { "None of " (count(board.counts.boots, "boot")) " failed." } }
            @for place in [Place::Differences, Place::Trouble, Place::Unavailable] { @for one in all(place) { (written(one)) } }
        }
    }
}

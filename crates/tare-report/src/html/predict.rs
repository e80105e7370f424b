//! Programs of a campaign as they are predicted from each other, beside what was measured, and what makes each prediction.

use crate::svg::figure::{predicted, waterfall};
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::format::short_ratio;
use tare_board::{Held, Scoreboard};

pub(super) fn section(board: &Scoreboard, all: &[Held]) -> Markup {
    let series = |held: &Held| board.others().position(|layer| layer.name == held.layer);
    let all: Vec<(usize, &Held)> =
        all.iter().filter_map(|held| Some((series(held)? + 1, held))).collect();
    html! {
        @if !all.is_empty() {
            section #predicted aria-labelledby="h-predicted" {
                h2 #h-predicted { "Predicted programs" }
                p { "Each program is predicted from how often it does what, from what that costs on the layer, and from the other \
                     programs, as " code { "tare predict" } " does." }
                div.figures { (PreEscaped(predicted::figure(&all))) }
                @for (n, held) in &all { (details(*n, held)) }
            }
        }
    }
}

fn details(n: usize, held: &Held) -> Markup {
    html! {
        details {
            summary {
                bdi { (words::name(&held.program)) } " on " bdi { (words::name(&held.layer)) } ": predicted "
                (short_ratio(held.predicted)) " (" (short_ratio(held.low)) "–" (short_ratio(held.high)) "), measured "
                (short_ratio(held.measured))
            }
            (PreEscaped(waterfall::figure(held, n)))
        }
    }
}

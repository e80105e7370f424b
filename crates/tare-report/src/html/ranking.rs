//! Where to optimise: a table per layer, largest addition first; only for suites whose benchmarks have weights.

use super::common::swatch;
use crate::clean::{clean, fit};
use crate::text::signed;
use crate::words;
use maud::{Markup, html};
use tare_board::format::{digits, percent, quantity};
use tare_board::ranking::{Added, ranking, sum};
use tare_board::{Measure, Scoreboard};
use tare_proto::Unit;

/// Benchmarks that are shown of a layer.
const SHOWN: usize = 12;

/// Whether there is anything to rank.
pub(super) fn any(board: &Scoreboard) -> bool {
    board.rows.iter().any(|row| row.weight.is_some())
}

pub(super) fn section(board: &Scoreboard) -> Markup {
    html! {
        @if any(board) {
            section #optimise aria-labelledby="h-optimise" {
                h2 #h-optimise { "Where to optimise" }
                p.quiet { "What a layer adds to each test of a mix (difference of the means over blocks), multiplied by how often the mix runs it, largest first." }
                div.figures {
                    @for (at, layer) in board.others().enumerate() {
                        @let all = ranking(board, at);
                        @if !all.is_empty() {
                            div { h3 { (swatch(at + 1)) " " bdi { (words::name(&layer.name)) } }
                                (table(&all)) }
                        }
                    }
                }
            }
        }
    }
}

fn table(all: &[Added]) -> Markup {
    let (total, baseline) = sum(all);
    let positive: f64 = all.iter().map(|one| one.total().max(0.0)).sum();
    html! {
        div.wide tabindex="0" role="region" aria-label="What adds most, scrolls sideways" {
            table.counters {
                caption { (signed(total)) " on top of the " (quantity(Unit::Nanoseconds, baseline)) " that the mix takes" }
                thead { tr {
                    @for title in ["Test", "Runs", "Adds per run", "Adds in total", "Share of total", "Significant"] { th scope="col" { (title) } }
                } }
                tbody {
                    @for one in all.iter().filter(|one| one.total() > 0.0).take(SHOWN) {
                        tr {
                            th scope="row" { bdi { (fit(&clean(&one.row.benchmark), 60)) } }
                            td { (digits(one.weight).trim_end_matches(".00")) }
                            td { (signed(one.layer - one.baseline)) }
                            td { (signed(one.total())) }
                            td { (percent(100.0 * one.total() / positive)) }
                            td { (words::mark(one.verdict)) " " (words::word(one.verdict, Measure::Speed)) }
                        }
                    }
                }
            }
        }
    }
}

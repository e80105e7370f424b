//! The suite `sandbox` on the page: how starts are spread, where their time goes, what layers take that are alive, and how many can be
//! started a second.

use super::document;
use crate::sandbox::{series, tables};
use crate::svg::figure::{density, ecdf, load, phases};
use crate::svg::samples::{numbers, of_benchmark};
use maud::{Markup, PreEscaped, html};
use tare_board::{Counted, Extras, Sandbox, Scoreboard};
use tare_proto::Unit;
use tare_store::Campaign;

pub(super) fn any(board: &Scoreboard) -> bool {
    !board.sandboxes.is_empty()
}

pub(super) fn section(campaign: &Campaign, board: &Scoreboard, extras: &Extras) -> Markup {
    if !any(board) {
        return html! {};
    }
    let named: Vec<(usize, &Sandbox)> =
        board.sandboxes.iter().filter_map(|found| Some((series(board, found)?, found))).collect();
    html! {
        section #sandboxes aria-labelledby="h-sandboxes" {
            h2 #h-sandboxes { "Starts and idle layers" }
            div.figures {
                (starts(campaign))
                (PreEscaped(phases::figure(&named)))
                (PreEscaped(density::figure(&named)))
                (rates(campaign, extras))
            }
            @for table in tables(board) { (document::plain(&table)) }
        }
    }
}

fn at(campaign: &Campaign, name: &str) -> Option<usize> {
    campaign.benchmarks.iter().position(|bench| bench.name == name)
}

/// The distribution functions of warm starts.
fn starts(campaign: &Campaign) -> Markup {
    let counted = Counted::new(campaign, None);
    let layers = at(campaign, "start/warm").map(|at| of_benchmark(campaign, &counted, at));
    let layers = layers.unwrap_or_default();
    html! { @if !layers.is_empty() { (PreEscaped(ecdf::figure(&layers, Unit::Nanoseconds).0)) } }
}

/// Starts a second against how many are started at once.
fn rates(campaign: &Campaign, extras: &Extras) -> Markup {
    let series = numbers(campaign);
    let of_rates = |benchmark: usize| {
        campaign.benchmarks.get(benchmark).is_some_and(|bench| bench.name.starts_with("start/rate"))
    };
    let own = extras.curves.iter().filter(|(benchmark, _)| of_rates(*benchmark));
    let own: Vec<_> =
        own.filter_map(|(_, curve)| Some((*series.get(curve.layer)?, curve))).collect();
    html! { @if !own.is_empty() { (PreEscaped(load::figure(&own, Unit::PerSecond, "starts at once"))) } }
}

//! A sweep on the page: curves against the knobs that are numbers, and the tables.

use super::document;
use crate::svg::figure::sweep::{self as plot, Along};
use crate::svg::figure::{WIDTH, key};
use crate::sweep;
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::{Response, Scoreboard};

/// Benchmarks that are open at first.
const OPEN: usize = 3;

pub(super) fn any(board: &Scoreboard) -> bool {
    sweep::any(board)
}

pub(super) fn section(board: &Scoreboard) -> Markup {
    html! {
        @if any(board) {
            section #sweeps aria-labelledby="h-sweeps" {
                h2 #h-sweeps { "Sweeps" }
                @for found in &board.sweeps {
                    h3 { bdi { (sweep::title(found)) } }
                    p.quiet { (sweep::note(found)) }
                    @for (at, response) in found.responses.iter().enumerate() {
                        details.bench open[at < OPEN] {
                            summary { h3 { bdi { (sweep::heading(response)) } } }
                            p { (sweep::sentence(response)) }
                            div.figures { @for knob in 0..response.knobs.len() { (plots(response, knob)) } }
                            @for table in sweep::tables(response) { (document::plain(&table)) }
                        }
                    }
                }
            }
        }
    }
}

/// The curves against one knob, with their key.
fn plots(response: &Response, knob: usize) -> Markup {
    let curves: Vec<_> = response.curves.iter().filter(|curve| curve.knob == knob).collect();
    let Some(factor) = response.knobs.get(knob).filter(|_| !curves.is_empty()) else {
        return html! {};
    };
    let named: Vec<(usize, String)> = curves
        .iter()
        .enumerate()
        .filter_map(|(at, curve)| {
            let (other, level) = curve.at?;
            let other = response.knobs.get(other)?;
            let level = sweep::level_at(other, level);
            Some((at + 1, format!("{}={level}", sweep::name(&other.name))))
        })
        .collect();
    let (key, _) = key(named.iter().map(|(at, name)| (*at, name.as_str())), WIDTH);
    let numbered: Vec<_> = curves.iter().enumerate().map(|(at, curve)| (at + 1, *curve)).collect();
    let knob_name = sweep::name(&factor.name);
    let title = format!("{} against {knob_name}", words::name(&response.benchmark));
    let changed =
        response.steps.iter().filter(|step| step.knob == knob && sweep::is_change(step.verdict));
    let along = Along {
        knob: &knob_name,
        names: factor.numbers.is_none().then(|| sweep::distinct(&factor.levels)),
        changes: changed.map(|step| step.level).collect(),
    };
    html! {
        figure {
            @if !named.is_empty() { (PreEscaped(key)) }
            (PreEscaped(plot::figure(&numbered, &title, &along)))
        }
    }
}

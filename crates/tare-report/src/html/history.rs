//! Several campaigns on one page: every benchmark's costs over them, with the places where something changed.

use super::page::{Shell, shell};
use super::summary::swatch;
use crate::clean::{clean, fit};
use crate::svg::figure::history::{Line, figure};
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::format::{ratio_and_interval, short_ratio};
use tare_board::{Ratio, Scoreboard};
use tare_stats::change_point;

/// Writes the history of every benchmark over campaigns, given as (name, scoreboard), as one HTML file. They are put in
/// the order in which they were made.
#[must_use]
pub fn history_html(campaigns: &[(String, Scoreboard)]) -> String {
    let mut order: Vec<&(String, Scoreboard)> = campaigns.iter().collect();
    order.sort_by(|a, b| a.1.provenance.created.cmp(&b.1.provenance.created));
    let layers = names(order.iter().flat_map(|c| c.1.others().map(|l| l.name.as_str())));
    let benches = names(order.iter().flat_map(|c| c.1.rows.iter().map(|r| r.benchmark.as_str())));
    let histories: Vec<History> =
        benches.iter().map(|bench| History::new(bench, &layers, &order)).collect();
    let title = format!("{} benchmarks over {} campaigns", benches.len(), order.len());
    let body = html! {
        main {
            (changes(&histories, &layers, &order))
            section #scoreboard aria-labelledby="h-history" {
                h2 #h-history { "Costs by campaign" }
                p.quiet { "Layer / baseline of the same campaign, with its interval; right of a dashed line the values differ "
                    "from those before (permutation test at 1%, eight campaigns at least)." }
                p.keys { @for (at, layer) in layers.iter().enumerate() { (swatch(at + 1)) " " bdi { (words::name(layer)) } "  " } }
                div.figures { @for history in &histories { (history.section(order.len())) } }
            }
            (list(&order))
        }
    };
    let nav = [("#changes", "Changes"), ("#scoreboard", "History"), ("#campaigns", "Campaigns")];
    shell(&Shell { title: &title, nav: &nav, connects: false }, &body).into_string()
}

/// Each once, in the order met.
fn names<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// One benchmark over all campaigns.
struct History<'a> {
    bench: &'a str,
    lines: Vec<Line>,
    /// Layer, first campaign after a change, and the change as a log ratio.
    changes: Vec<(usize, usize, f64)>,
}

impl<'a> History<'a> {
    fn new(bench: &'a str, layers: &[&str], order: &[&(String, Scoreboard)]) -> History<'a> {
        let mut history = History { bench, lines: Vec::new(), changes: Vec::new() };
        for (at, layer) in layers.iter().enumerate() {
            let costs: Vec<Option<Ratio>> =
                order.iter().map(|(_, board)| of(board, bench, layer)).collect();
            let known: Vec<(usize, f64)> = costs
                .iter()
                .enumerate()
                .filter_map(|(at, cost)| Some((at, (*cost)?.value.ln())))
                .collect();
            let logs: Vec<f64> = known.iter().map(|(_, log)| *log).collect();
            let change = change_point(&logs).map(|(place, change)| (known[place].0, change));
            history.changes.extend(change.map(|(campaign, size)| (at, campaign, size)));
            history.lines.push(Line { series: at + 1, costs, change: change.map(|c| c.0) });
        }
        history
    }

    fn section(&self, campaigns: usize) -> Markup {
        let label = format!("{} over campaigns", words::name(self.bench));
        html! {
            figure {
                figcaption { strong { bdi { (fit(&clean(self.bench), 60)) } } }
                (PreEscaped(figure(&self.lines, campaigns, &label)))
            }
        }
    }
}

fn of(board: &Scoreboard, bench: &str, layer: &str) -> Option<Ratio> {
    let row = board.rows.iter().find(|row| row.benchmark == bench)?;
    let cell = row.cells.iter().find(|cell| cell.layer == layer)?;
    words::cost(row, cell)
}

fn changes(histories: &[History], layers: &[&str], order: &[&(String, Scoreboard)]) -> Markup {
    let all: Vec<(&History, (usize, usize, f64))> =
        histories.iter().flat_map(|h| h.changes.iter().map(move |c| (h, *c))).collect();
    html! {
        section #changes aria-labelledby="h-changes" {
            h2 #h-changes { "What changed" }
            @if order.len() < 8 { p.notice { "A change needs eight campaigns to be told from chance; there are " (order.len()) "." } }
            @else if all.is_empty() { p { "No benchmark changed beyond chance." } }
            ul {
                @for (history, (layer, campaign, size)) in all {
                    li { strong { bdi { (words::name(history.bench)) } } " on " (swatch(layer + 1)) " " bdi { (words::name(layers[layer])) }
                        ": " (words::times(size.exp(), tare_board::Measure::Speed)) " from campaign " (campaign + 1) " on ("
                        bdi { (words::name(&order[campaign].0)) } ")" }
                }
            }
        }
    }
}

fn list(order: &[&(String, Scoreboard)]) -> Markup {
    let layers = names(order.iter().flat_map(|c| c.1.others().map(|l| l.name.as_str())));
    html! {
        section #campaigns aria-labelledby="h-campaigns" {
            h2 #h-campaigns { "Campaigns" }
            div.wide tabindex="0" role="region" aria-label="Campaigns, scrolls sideways" { table.layers {
                caption { "In the order made, with the geometric mean of each layer's first suite." }
                thead { tr { @for title in ["#", "Campaign", "Made", "Kernel", "State"] { th scope="col" { (title) } }
                    @for layer in &layers { th scope="col" { bdi { (words::name(layer)) } } } } }
                tbody { @for (at, (name, board)) in order.iter().enumerate() { tr {
                    td { (at + 1) } th scope="row" { bdi { (words::name(name)) } }
                    td { (words::name(&board.provenance.created)) } td { (words::name(&board.provenance.kernel)) }
                    td { (words::name(&board.state)) }
                    @for layer in &layers { td { (mean(board, layer)) } }
                } } }
            } }
        }
    }
}

fn mean(board: &Scoreboard, layer: &str) -> String {
    let mean = board.geomeans.iter().find(|mean| mean.layer == layer);
    mean.map_or("–".into(), |mean| match ratio_and_interval(&mean.cost) {
        (value, Some(interval)) => format!("{value} ({interval})"),
        (_, None) => short_ratio(mean.cost.value),
    })
}

//! Several campaigns on one page: the costs of every benchmark over the campaigns, with significant changes marked.

use super::common::swatch;
use super::page::{Shell, shell};
use crate::clean::{clean, fit};
use crate::svg::figure::history::{Trace, figure};
use crate::words;
use maud::{Markup, PreEscaped, html};
use tare_board::format::{count, ratio_with_interval};
use tare_board::{Measure, Ratio, Scoreboard};
use tare_proto::Machine;
use tare_stats::{CHANGE_FROM, change_point};

/// Writes the history of every benchmark over campaigns, given as (name, scoreboard), as one HTML file. They are put in
/// the order in which they were made.
pub fn history_html(campaigns: &[(String, Scoreboard)]) -> String {
    let mut order: Vec<&(String, Scoreboard)> = campaigns.iter().collect();
    order.sort_by(|a, b| a.1.provenance.created.cmp(&b.1.provenance.created));
    let layers = names(order.iter().flat_map(|c| c.1.others().map(|l| l.name.raw())));
    let benches = names(order.iter().flat_map(|c| c.1.rows.iter().map(|r| r.benchmark.raw())));
    // Times and instructions have nothing in common: what was simulated is drawn apart.
    let machines = [Machine::Real, Machine::Sim].into_iter();
    let each = machines.flat_map(|m| benches.iter().map(move |bench| (m, *bench)));
    let histories: Vec<History> =
        each.map(|(machine, bench)| History::new(bench, machine, &layers, &order)).collect();
    let histories: Vec<History> = histories
        .into_iter()
        .filter(|history| history.lines.iter().any(Trace::is_something))
        .collect();
    let title =
        format!("{} over {}", count(benches.len(), "benchmark"), count(order.len(), "campaign"));
    let body = html! {
        main {
            (changes(&histories, &layers, &order))
            section #scoreboard aria-labelledby="h-history" {
                h2 #h-history { "Costs by campaign" }
                p.quiet { "Layer / baseline of the same campaign, with its interval; right of a dashed line the values differ "
                    "from those before (permutation test at 1%, eight campaigns at least). Campaigns of simulated machines count instructions and are drawn apart." }
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

struct History<'a> {
    bench: &'a str,
    machine: Machine,
    /// What it measures where it was measured first.
    measure: Measure,
    lines: Vec<Trace>,
    /// Layer, first campaign after a change, and the change as a log ratio.
    changes: Vec<(usize, usize, f64)>,
}

impl<'a> History<'a> {
    fn new(
        bench: &'a str,
        machine: Machine,
        layers: &[&str],
        order: &[&(String, Scoreboard)],
    ) -> History<'a> {
        let on = |board: &&Scoreboard| board.provenance.machine == machine;
        let rows = order.iter().map(|(_, board)| board).filter(on).flat_map(|board| &board.rows);
        let measure =
            rows.filter(|row| row.benchmark == bench).map(|row| Measure::of(row.unit)).next();
        let measure = measure.unwrap_or(Measure::Speed);
        let mut history =
            History { bench, machine, measure, lines: Vec::new(), changes: Vec::new() };
        for (at, layer) in layers.iter().enumerate() {
            let costs: Vec<Option<Ratio>> = order
                .iter()
                .map(|(_, board)| ratio_of(Some(board).filter(on)?, bench, layer))
                .collect();
            let known: Vec<(usize, f64)> = costs
                .iter()
                .enumerate()
                .filter_map(|(at, cost)| Some((at, (*cost)?.value.ln())))
                .collect();
            let logs: Vec<f64> = known.iter().map(|(_, log)| *log).collect();
            let change = change_point(&logs).map(|(place, change)| (known[place].0, change));
            history.changes.extend(change.map(|(campaign, size)| (at, campaign, size)));
            history.lines.push(Trace { series: at + 1, costs, change: change.map(|c| c.0) });
        }
        history
    }

    fn section(&self, campaigns: usize) -> Markup {
        let label = format!("{} over campaigns{}", words::name(self.bench), self.simulated());
        html! {
            figure {
                figcaption { strong { bdi { (fit(&clean(self.bench), 60)) } } (self.simulated()) }
                (PreEscaped(figure(&self.lines, campaigns, &label)))
            }
        }
    }
}

impl History<'_> {
    fn simulated(&self) -> &'static str {
        match self.machine {
            Machine::Real => "",
            Machine::Sim => " (simulated machine)",
        }
    }
}

/// What is said where nothing changed, or nothing could be told.
fn unchanged(histories: &[History], found: usize) -> Option<String> {
    let points = |line: &Trace| line.costs.iter().flatten().count();
    let series = || histories.iter().flat_map(|history| &history.lines).map(points);
    let all = series().filter(|n| *n > 0).count();
    let tested = series().filter(|n| *n >= CHANGE_FROM).count();
    let longest = series().max().unwrap_or(0);
    match (tested, found) {
        (0, _) => Some(format!(
            "Changes cannot be told from chance: that takes {CHANGE_FROM} campaigns of a series, and the longest has {longest}."
        )),
        (_, 0) if tested == all => Some("No benchmark changed significantly.".into()),
        (_, 0) => Some(format!(
            "No significant change in the {tested} of {all} series that have {CHANGE_FROM} campaigns; the others are too short to judge."
        )),
        _ => None,
    }
}

fn ratio_of(board: &Scoreboard, bench: &str, layer: &str) -> Option<Ratio> {
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
            @if let Some(text) = unchanged(histories, all.len()) { p.notice { (text) } }
            ul {
                @for (history, (layer, campaign, size)) in all {
                    li { strong { bdi { (words::name(history.bench)) } } (history.simulated()) " on " (swatch(layer + 1)) " " bdi { (words::name(layers[layer])) }
                        ": " (words::times(size.exp(), history.measure)) " from campaign " (campaign + 1) " on ("
                        bdi { (words::name(&order[campaign].0)) } ")" }
                }
            }
        }
    }
}

fn list(order: &[&(String, Scoreboard)]) -> Markup {
    let layers = names(order.iter().flat_map(|c| c.1.others().map(|l| l.name.raw())));
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
    mean.map_or("–".into(), |mean| ratio_with_interval(&mean.cost))
}

//! The result of many hosts as one page: for every layer its sentences and a table, for every row a forest of its hosts.

use super::common::swatch;
use super::document;
use super::page::{Shell, shell};
use crate::clean::{clean, fit};
use crate::document::Place;
use crate::fleet;
use crate::fleet::sentences::{ratio, title};
use crate::svg::figure::forest::Strip;
use crate::svg::figure::hosts;
use crate::words::{self, name};
use maud::{Markup, PreEscaped, html};
use tare_board::format::{percent, short_ratio};
use tare_board::{Cause, Fleet, FleetCell, FleetMean, FleetRow, Property, Spread};
use tare_proto::Better;

/// Writes the result of many hosts as one HTML file.
pub fn fleet_html(fleet: &Fleet) -> String {
    let title = title(fleet);
    let said = fleet::document(fleet);
    let strips: Vec<_> = (0..fleet.layers.len()).map(|at| strips(fleet, at)).collect();
    let caption = format!("Means over hosts, against {}", name(&fleet.baseline));
    let body = html! {
        main {
            (document::statements(said.blocks(Place::Summary)))
            section #scoreboard aria-labelledby="h-board" {
                h2 #h-board { "Scoreboard" }
                (document::quiet(said.blocks(Place::Method)))
                (document::layers(&said, &strips, fleet.method.margin, &caption))
            }
            section #forests aria-labelledby="h-forests" {
                h2 #h-forests { "Every host" }
                p.quiet { "Costs with their intervals, in the order of the cost; below them the mean over hosts, and where the next \
                    host lies. Hosts in bold are unlike the others." }
                @for (at, layer) in fleet.layers.iter().enumerate() {
                    @for mean in &layer.means { (of_mean(fleet, at, mean)) }
                }
                @for row in &fleet.rows { (of_row(fleet, row)) }
            }
            (list(fleet))
        }
    };
    let nav = [("#scoreboard", "Scoreboard"), ("#forests", "Every host"), ("#hosts", "Hosts")];
    shell(&Shell { title: &title, nav: &nav, connects: false }, &body).into_string()
}

/// Each row's mean over hosts as a cost.
fn strips(fleet: &Fleet, at: usize) -> Vec<(Better, Strip)> {
    let strip = |row: &FleetRow| {
        let pooled = row.cells[at].pooled.as_ref();
        let cost = pooled.map(|pooled| words::cost_of(ratio(pooled), row.better));
        Strip { marks: vec![(at + 1, cost)], floor: row.floor }
    };
    fleet.rows.iter().map(|row| (row.better, strip(row))).collect()
}

fn of_mean(fleet: &Fleet, at: usize, mean: &FleetMean) -> Markup {
    let layer = name(&fleet.layers[at].name);
    let what = format!(
        "{layer}, geometric mean of {} ({})",
        name(&mean.suite),
        mean.measure.words().about
    );
    html! {
        details open[at == 0] {
            summary { (what) }
            (forest_of(fleet, &mean.cost, Better::Lower, at, &what))
        }
    }
}

fn of_row(fleet: &Fleet, row: &FleetRow) -> Markup {
    html! {
        details {
            summary { bdi { (fit(&clean(&row.benchmark), 60)) } }
            p.quiet { (fit(&clean(&row.about), 200)) }
            @for (at, (layer, cell)) in fleet.layers.iter().zip(&row.cells).enumerate() {
                @if !cell.hosts.is_empty() {
                    @let what = format!("{} on {}", fit(&clean(&row.benchmark), 60), name(&layer.name));
                    h3 { (swatch(at + 1)) " " bdi { (name(&layer.name)) } }
                    (forest_of(fleet, cell, row.better, at, &what))
                }
            }
        }
    }
}

fn forest_of(fleet: &Fleet, cell: &FleetCell, better: Better, at: usize, what: &str) -> Markup {
    let differ = match cell.spread {
        Spread::Unknown => "Not pooled: too few hosts of two blocks.",
        Spread::Alike => "Hosts do not differ beyond their noise.",
        Spread::Little => "Hosts differ, but by less than the margin.",
        Spread::Wide => "Hosts differ.",
    };
    html! {
        figure { (PreEscaped(hosts::figure(fleet, cell, better, at + 1, &format!("{what}, by host"))))
            figcaption.quiet { (differ) }
        }
        @if matches!(cell.spread, Spread::Wide | Spread::Little) {
            @for property in &cell.properties { (subgroups(property)) }
        }
    }
}

/// Groups that are listed of a property.
const GROUPS: usize = 12;

fn subgroups(property: &Property) -> Markup {
    let what = match property.cause {
        Cause::Processor => "Processors",
        Cause::Kernel => "Kernels",
        Cause::Version => "Versions of the layer",
    };
    let more = property.groups.len().saturating_sub(GROUPS);
    html! {
        p { (what) " go with " (percent(100.0 * property.share)) " of the variance between hosts"
            @if !property.explains { " (which is not shown to be more than chance, or is less than half)" } ":" }
        ul { @for group in property.groups.iter().take(GROUPS) {
            li { bdi { (fit(&clean(&group.value), 80)) } ": ratio " b { (short_ratio(group.ratio)) }
                " (" (short_ratio(group.low)) "–" (short_ratio(group.high)) ", " (tare_board::format::count(group.hosts, "host")) ")" }
        } @if more > 0 { li { (more) " more" } } }
    }
}

fn list(fleet: &Fleet) -> Markup {
    html! {
        section #hosts aria-labelledby="h-hosts" {
            h2 #h-hosts { "Hosts" }
            div.wide tabindex="0" role="region" aria-label="Hosts, scrolls sideways" { table.layers {
                caption { "What each host is, and how much it has measured." }
                thead { tr { @for title in ["Host", "Processor", "Kernel", "Blocks", "Failed boots", "State", "Made"] { th scope="col" { (title) } } } }
                tbody { @for host in &fleet.hosts { tr {
                    th scope="row" { bdi { (name(&host.name)) } }
                    td { (fit(&clean(&host.cpu_model), 60)) } td { (name(&host.kernel)) }
                    td { (host.blocks) } td { (host.failed_boots) } td { (name(&host.state)) } td { (name(&host.created)) }
                } }
                @for host in &fleet.missing { tr {
                    th scope="row" { bdi { (name(&host.name)) } } td.worse colspan="6" { "missing: " (fit(&clean(&host.why), 300)) }
                } } }
            } }
            p.quiet { "Probe " (fit(&clean(&fleet.probe_sha256), 64)) }
        }
    }
}

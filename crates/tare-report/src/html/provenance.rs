//! Where the numbers come from: machine, layers with their kernels, settings and hashes, the plan, how to repeat it.

use crate::clean::{clean, fit};
use crate::words;
use maud::{Markup, html};
use tare_board::Scoreboard;
use tare_board::format::quantity;
use tare_board::identity::{Identity, Known};
use tare_proto::{Foreign, Hello, Unit};
use tare_store::{Campaign, LayerRow, Order, Role};

/// Longest command and other text that is shown, and blocks whose order is.
const COMMAND: usize = 2000;
const TEXT: usize = 300;
const BLOCKS: u32 = 50;

pub(super) fn section(campaign: &Campaign, board: &Scoreboard) -> Markup {
    let plan = &campaign.plan;
    html! {
        section #provenance aria-labelledby="h-from" {
            h2 #h-from { "Where it comes from" }
            h3 { "Repeat it" }
            pre.command tabindex="0" { (fit(&clean(&plan.command), COMMAND)) }
            p.quiet { "Seed " (plan.seed) ". The orders of layers and benchmarks follow from it." }
            h3 { "Machine" }
            (machine(campaign, board))
            h3 { "Layers" }
            div.wide tabindex="0" role="region" aria-label="Layers, scrolls sideways" { (layers(campaign)) }
            h3 { "Plan" }
            (settings(campaign, board))
            (order(campaign))
        }
    }
}

fn hello_of(campaign: &Campaign, layer: usize) -> Option<&Hello> {
    campaign.boots.iter().filter(|boot| boot.layer == layer).find_map(|boot| boot.hello.as_ref())
}

/// Names and values; what is not known is left out.
fn list(pairs: &[(&str, impl Foreign)]) -> Markup {
    html! {
        dl {
            @for (name, value) in pairs.iter().filter(|(_, value)| !value.raw().trim().is_empty()) {
                div { dt { (name) } dd { (fit(&clean(value), TEXT)) } }
            }
        }
    }
}

fn machine(campaign: &Campaign, board: &Scoreboard) -> Markup {
    let Some(hello) = campaign.baseline().and_then(|layer| hello_of(campaign, layer)) else {
        return html! { p.notice { "Unknown: the baseline never booted." } };
    };
    let cpus: Vec<String> = board.provenance.cpus.iter().map(u32::to_string).collect();
    let pinned = if cpus.is_empty() {
        "not pinned".into()
    } else {
        format!("pinned to {}", cpus.join(", "))
    };
    let weak: Vec<String> =
        hello.mitigations.iter().map(|m| format!("{}: {}", m.name, m.state)).collect();
    let pairs = [
        ("CPU", hello.cpu_model.clone()),
        ("CPUs", format!("{}, {pinned}", hello.cpus)),
        ("Memory", quantity(Unit::Bytes, hello.memory_kib as f64 * 1024.0)),
        ("Kernel", format!("{} {} {}", hello.kernel, hello.machine, hello.kernel_version)),
        (
            "Clock",
            format!(
                "{}, resolution {} ns, {:.1} ns a reading",
                hello.clock_source, hello.clock_resolution_ns, hello.clock_read_ns
            ),
        ),
        ("Frequency", hello.governor.clone()),
        ("Idle", hello.idle.clone()),
        ("Huge pages", hello.thp.clone()),
        ("Scratch files", format!("{} on {}", hello.scratch, hello.scratch_fs)),
    ];
    html! {
        (list(&pairs))
        @if !weak.is_empty() {
            details { summary { (weak.len()) " CPU mitigations" }
                ul { @for one in &weak { li { (fit(&clean(one), TEXT)) } } } }
        }
    }
}

fn layers(campaign: &Campaign) -> Markup {
    html! {
        table.layers.cards {
            caption { "Each layer as it was booted." }
            thead { tr { @for title in ["Layer", "Kind", "Settings", "Kernel", "CPUs", "Clock", "Made of"] { th scope="col" { (title) } } } }
            tbody { @for (at, row) in campaign.layers.iter().enumerate() { (layer(campaign, at, row)) } }
        }
    }
}

fn layer(campaign: &Campaign, at: usize, row: &LayerRow) -> Markup {
    let hello = hello_of(campaign, at);
    let kind = row.kind.raw();
    let settings = row.settings.raw();
    let artifacts = &row.artifacts;
    let what = Identity::of(Known { kind, settings, artifacts, hello }).what;
    let text = |value: Option<String>| fit(&clean(&value.unwrap_or_else(|| "–".into())), TEXT);
    html! {
        tr {
            th scope="row" { bdi { (words::name(&row.name)) } @if campaign.plan.baseline == row.name { small { " baseline" } } }
            td data-label="Kind" { (words::name(&row.kind)) @if !what.is_empty() { br; small { (fit(&clean(&what), TEXT)) } } }
            td.broad data-label="Settings" { code { (fit(&clean(&row.settings), TEXT)) } }
            td data-label="Kernel" { (text(hello.map(|h| h.kernel.clone()))) }
            td data-label="CPUs" { (text(hello.map(|h| h.cpus.to_string()))) }
            td data-label="Clock" { (text(hello.map(|h| h.clock_source.clone()))) }
            td.broad data-label="Made of" {
                @if row.artifacts.is_empty() { "–" }
                @for file in &row.artifacts {
                    p { (words::name(&file.role)) " " code { (fit(&clean(&file.path), TEXT)) } " " (fit(&clean(&file.version), 80))
                        br; code.hash { "sha256 " (fit(&clean(&file.sha256), 64)) } }
                }
            }
        }
    }
}

fn settings(campaign: &Campaign, board: &Scoreboard) -> Markup {
    let plan = &campaign.plan;
    let extent = match (plan.blocks, plan.budget_s) {
        (Some(blocks), _) => format!("{blocks} blocks"),
        (None, Some(seconds)) => format!("a budget of {seconds:.0} s"),
        (None, None) => String::new(),
    };
    let clock = plan.machine.unit(Unit::Nanoseconds);
    let pairs = [
        ("Made", plan.created.clone()),
        ("Asked for", extent.into()),
        ("Seed", plan.seed.to_string().into()),
        ("Baseline", plan.baseline.clone()),
        ("Order", taken(plan.order).into()),
        ("Margin δ", words::percent_of(plan.margin).into()),
        ("Machine", plan.machine.to_string().into()),
        (
            "Programs",
            crate::notices::written(board).map(|(_, text)| text).unwrap_or_default().into(),
        ),
        ("Shortest batch", quantity(clock, plan.batch_ns as f64).into()),
        ("Longest series", quantity(clock, plan.series_ms as f64 * 1e6).into()),
        ("Longest boot", format!("{} s", plan.boot_s).into()),
        ("tare", plan.tare_version.clone()),
        ("Probe", format!("sha256 {}", plan.probe_sha256.raw()).into()),
    ];
    list(&pairs)
}

/// How the layers of a block took turns.
fn taken(order: Order) -> &'static str {
    match order {
        Order::Rounds => {
            "rounds: the layers of a block are alive together and take turns of a few samples"
        }
        Order::Series => {
            "series: the layers of a block are alive together and take a whole series each"
        }
        Order::Boots => "boots: one layer after the other",
    }
}

/// The boots of every block in the order they were made.
fn order(campaign: &Campaign) -> Markup {
    let blocks: Vec<u32> = {
        let mut all: Vec<u32> = campaign.boots.iter().map(|boot| boot.block).collect();
        all.dedup();
        all.truncate(BLOCKS as usize);
        all
    };
    let said = |block: u32| {
        let boots = campaign.boots.iter().filter(|boot| boot.block == block);
        let name = |layer: usize| campaign.layers.get(layer).map_or("", |l| l.name.raw());
        let one = |boot: &tare_store::Boot| {
            let role = match boot.role {
                Role::Weigh => "",
                Role::Floor => " (A/A)",
                Role::OneCpu => " (one CPU)",
            };
            let retry = if boot.attempt > 1 { " (again)" } else { "" };
            format!("{}{role}{retry}", words::name(name(boot.layer)))
        };
        boots.map(one).collect::<Vec<_>>().join(", ")
    };
    html! {
        @if !blocks.is_empty() {
            details {
                summary { "Order of the boots" }
                ol { @for block in blocks { li value=(block + 1) { (fit(&said(block), 2000)) } } }
            }
        }
    }
}

//! Merged results of many hosts: a line of the list, and the page. As in `draw.rs`, called off the thread that answers.

use crate::found::{CampaignEntry, name};
use axum::body::Bytes;
use maud::{Markup, html};
use std::fs::File;
use std::io::Read;
use tare_board::{Merged, Options, fleet};
use tare_report::{clean, fleet_html};
use tare_store::MERGED;

/// The largest file that is read, in bytes: ten thousand hosts.
const LONGEST: u64 = 256 << 20;

/// Characters of the layers' names that are shown.
const SHOWN: usize = 200;

fn load(found: &CampaignEntry) -> Result<Merged, String> {
    let mut text = String::new();
    let file = File::open(found.path.join(MERGED)).map_err(|e| e.to_string())?;
    file.take(LONGEST).read_to_string(&mut text).map_err(|e| e.to_string())?;
    Merged::from_json(&text).map_err(|e| e.to_string())
}

pub(crate) fn report(found: &CampaignEntry) -> Result<Bytes, String> {
    let merged = load(found)?;
    Ok(fleet_html(&fleet(&merged, &Options::from_plan(&merged.plan))).into())
}

pub(crate) fn table(all: &[CampaignEntry]) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Merged results, scrolls sideways" { table.layers.cards {
            caption { "Campaigns of many hosts as one, the latest written first." }
            thead { tr { @for title in ["Merged result", "Hosts", "Missing", "Rows", "Layers"] { th scope="col" { (title) } } } }
            tbody { @for found in all { (row(found)) } }
        } }
    }
}

fn row(found: &CampaignEntry) -> Markup {
    let merged = match load(found) {
        Ok(merged) => merged,
        Err(why) => {
            return html! { tr { th scope="row" { bdi { (name(found)) } } td colspan="4" { "cannot be read: " (clean(&why)) } } };
        }
    };
    let layers: Vec<String> = merged.layers.iter().map(|layer| clean(&layer.name)).collect();
    let layers: String = layers.join(", ").chars().take(SHOWN).collect();
    html! { tr {
        th scope="row" { a href=(format!("/c/{}", found.id)) { bdi { (name(found)) } } }
        td data-label="Hosts" { (merged.hosts.len()) }
        td data-label="Missing" { (merged.missing.len()) }
        td data-label="Rows" { (merged.benchmarks.len()) }
        td.broad data-label="Layers" { bdi { (layers) } }
    } }
}

//! What the pages show, made from campaigns. Reading and judging them takes a while, so all of this is only ever called
//! on a thread of its own ([`crate::apart::apart`]), never on the one that answers.

use crate::apart::is_apart;
use crate::found::{CampaignEntry, Folders, Holds, name};
use crate::merged;

use axum::body::Bytes;
use maud::{Markup, html};
use std::path::Path;
use std::time::Duration;
use tare_board::{CompareOptions, Extras, Options, Scoreboard, scoreboard};
use tare_report::{clean, compare_html, history_html, summary_html};
use tare_store::{Campaign, StoreError, load, load_plan_within, load_within};

/// Campaigns in a history, at most.
const HISTORY: usize = 100;
/// Layers that the list names of a campaign.
const LAYERS: usize = 12;

/// How long one of many campaigns may take to be read; and how long those behind it may where that many were given up.
const PATIENCE: Duration = Duration::from_secs(5);
const HURRY: Duration = Duration::from_millis(100);
const GIVEN_UP: u32 = 2;

/// Reads many campaigns: those that take too long must not keep the others back.
#[derive(Default)]
struct Patience {
    given_up: u32,
}

impl Patience {
    fn limit(&self) -> Duration {
        if self.given_up < GIVEN_UP { PATIENCE } else { HURRY }
    }

    /// What `load` finds within the limit.
    fn read<T>(
        &mut self,
        found: &CampaignEntry,
        load: impl FnOnce(&Path, Duration) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let read = load(&found.path, self.limit());
        self.given_up += u32::from(matches!(read, Err(StoreError::Slow(..))));
        read
    }
}

/// A campaign that was looked for, and what came of it.
type Read = (CampaignEntry, Result<Campaign, StoreError>);

fn judged(campaign: &Campaign) -> Scoreboard {
    debug_assert!(is_apart(), "campaigns are judged off the thread that answers");
    scoreboard(campaign, &Options::from_plan(&campaign.plan))
}

pub(crate) fn report(found: &CampaignEntry) -> Result<Bytes, StoreError> {
    let campaign = load(&found.path)?;
    let board = judged(&campaign);
    Ok(tare_report::html(&campaign, &board, &Extras::of(&campaign, &board)).into())
}

/// The newest campaigns over time. Which these are is found first, so that not all of them are held and judged.
pub(crate) fn history(folders: &Folders) -> String {
    let mut patience = Patience::default();
    let made =
        |one: CampaignEntry| Some((patience.read(&one, load_plan_within).ok()?.created, one));
    let mut newest: Vec<(_, CampaignEntry)> =
        folders.campaigns().into_iter().filter_map(made).collect();
    newest.sort_by(|a, b| b.0.cmp(&a.0));
    newest.truncate(HISTORY);
    let boards = newest.into_iter().filter_map(|(_, one)| {
        let campaign = patience.read(&one, load_within).ok()?;
        Some((one.name, judged(&campaign)))
    });
    history_html(&boards.collect::<Vec<_>>())
}

/// Two campaigns side by side, and what `tare compare` says of them.
pub(crate) fn comparison([before, after]: &[CampaignEntry; 2]) -> Result<Markup, StoreError> {
    let old = load(&before.path)?;
    let new = load(&after.path)?;
    let options = Options::from_plan(&old.plan);
    let wanted = CompareOptions { options, by: None, fail_if: Vec::new(), fail_undecided: false };
    let compared = tare_board::compare((&before.name, &old), (&after.name, &new), &wanted);
    Ok(html! {
        main #scoreboard {
            h2 { "After against before" }
            @match compared {
                Ok(comparison) => { (compare_html(&comparison)) }
                Err(error) => { p.notice { "These two cannot be compared: " (clean(&error.to_string())) "." } }
            }
            h2 { "Each by itself" }
            div.pair { @for (word, found, campaign) in [("Before", before, &old), ("After", after, &new)] {
                section { h3 { (word) ": " a href=(format!("/c/{}", found.id)) { bdi { (name(found)) } } }
                    (summary_html(&judged(campaign))) }
            } }
        }
    })
}

/// Every campaign, the newest first, those that cannot be read last; before them the merged results.
pub(crate) fn index(folders: &Folders) -> Markup {
    let (campaigns, of_hosts): (Vec<_>, Vec<_>) =
        folders.scan().into_iter().partition(|one| one.holds == Holds::Campaign);
    let mut patience = Patience::default();
    let mut read: Vec<Read> = campaigns
        .into_iter()
        .map(|one| (patience.read(&one, load_within), one))
        .map(|(campaign, one)| (one, campaign))
        .collect();
    let made = |read: &Read| read.1.as_ref().ok().map(|campaign| campaign.plan.created.clone());
    read.sort_by_cached_key(|one| std::cmp::Reverse(made(one)));
    html! {
        main #scoreboard {
            @if !of_hosts.is_empty() { (merged::table(&of_hosts)) }
            @if read.is_empty() && of_hosts.is_empty() { p.notice { "No campaign in these folders yet. 'tare run' makes one." } }
            @if !read.is_empty() {
                div.wide tabindex="0" role="region" aria-label="Campaigns, scrolls sideways" { table.layers.cards {
                    caption { "Campaigns in the folders that 'tare serve' was given, the newest first." }
                    thead { tr { @for title in ["Campaign", "Made", "State", "Blocks", "Layers", "Machine"] { th scope="col" { (title) } } } }
                    tbody { @for (found, campaign) in &read { (row(found, campaign)) } }
                } }
                @if read.len() > 1 { (choose(&read)) }
            }
        }
    }
}

/// `2026-01-31 17:05` of a time as campaigns have it; anything else as it is.
fn minute(time: &str) -> String {
    match time.split_once('T') {
        Some((day, hour)) => clean(&format!("{day} {}", hour.chars().take(5).collect::<String>())),
        None => clean(time),
    }
}

fn row(found: &CampaignEntry, campaign: &Result<Campaign, StoreError>) -> Markup {
    let report = format!("/c/{}", found.id);
    let campaign = match campaign {
        Ok(campaign) => campaign,
        Err(why) => {
            return html! { tr { th scope="row" { bdi { (name(found)) } } td colspan="5" { "cannot be read: " (clean(&why.to_string())) } } };
        }
    };
    let mut blocks: Vec<u32> = campaign.boots.iter().map(|boot| boot.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let layers = campaign.layers.iter().take(LAYERS);
    let layers: Vec<String> =
        layers.map(|layer| clean(&layer.name).chars().take(32).collect()).collect();
    let baseline = campaign.baseline();
    let mut of_baseline = campaign.boots.iter().filter(|boot| Some(boot.layer) == baseline);
    let hello = of_baseline.find_map(|boot| boot.hello.as_ref());
    let model = hello.map(|hello| clean(&hello.cpu_model)).unwrap_or_default();
    html! { tr {
        th scope="row" { a href=(report) { bdi { (name(found)) } } }
        td.once data-label="Made (UTC)" { (minute(campaign.plan.created.raw())) }
        td data-label="State" { (clean(&campaign.state)) @if campaign.state == "running" { " " a href=(format!("{report}/live")) { "follow" } } }
        td data-label="Blocks" { (blocks.len()) }
        td.broad data-label="Layers" { bdi { (layers.join(", ")) } }
        td.broad data-label="Machine" { (model) }
    } }
}

/// Two campaigns to choose: the newest, and the one before it.
fn choose(read: &[Read]) -> Markup {
    let readable = || read.iter().filter(|(_, campaign)| campaign.is_ok()).map(|(found, _)| found);
    html! {
        h2 { "Compare two" }
        form.controls action="/compare" method="get" {
            @for (chosen, field, word) in [(1, "a", "before"), (0, "b", "after")] {
                label { (word) " " select name=(field) { @for (at, found) in readable().enumerate() { option value=(found.id) selected[at == chosen] { (name(found)) } } } }
            }
            button type="submit" { "Compare" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_behind_campaigns_that_take_too_long_have_less_time() {
        let found = CampaignEntry {
            id: String::new(),
            name: String::new(),
            path: "/no/such".into(),
            holds: Holds::Campaign,
        };
        let mut patience = Patience::default();
        for wanted in [PATIENCE, PATIENCE, HURRY, HURRY] {
            let slow = |path: &Path, limit| {
                assert_eq!(limit, wanted);
                Err::<(), _>(StoreError::Slow(path.to_owned(), limit))
            };
            patience.read(&found, slow).expect_err("too slow");
        }
        patience.read(&found, |_, _| Ok(())).expect("one that is quick is read all the same");
    }
}

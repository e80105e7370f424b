//! The server's own pages: the list, a comparison, a history, and what is said when there is nothing.

use crate::found::Found;
use crate::{Served, render};
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use tare_board::{CompareOptions, Options, Scoreboard, scoreboard};
use tare_report::{
    Paint, Shell, TextStyle, clean, compare_text, history_html, shell, summary_html,
};
use tare_store::{Campaign, load};

/// Campaigns in a history, at most.
const HISTORY: usize = 100;

/// A page that is already written.
pub(crate) fn html(page: impl Into<Bytes>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, Body::from(page.into())).into_response()
}

/// One of the server's own pages.
pub(crate) fn page(title: &str, body: &Markup) -> Response {
    let nav = [("/", "All campaigns")];
    html(shell(&Shell { title, nav: &nav, connects: true }, body).into_string())
}

pub(crate) fn missing() -> Response {
    let body = html! { main #scoreboard { p.notice { "There is no such campaign or page. " a href="/" { "All campaigns" } } } };
    (StatusCode::NOT_FOUND, page("Not found", &body)).into_response()
}

pub(crate) fn broken(why: &str) -> Response {
    let body = html! { main #scoreboard { p.notice { (clean(why)) } } };
    (StatusCode::UNPROCESSABLE_ENTITY, page("This campaign cannot be read", &body)).into_response()
}

/// `GET /`: every campaign.
pub(crate) async fn index(State(served): State<Arc<Served>>) -> Response {
    let found = served.folders.scan();
    let read = render::apart(&served, move || {
        Ok(found.into_iter().map(|one| (load(&one.path).map_err(|e| e.to_string()), one)).collect())
    });
    let read: Vec<(Result<Campaign, String>, Found)> = match read.await {
        Ok(read) => read,
        Err(why) => return broken(&why),
    };
    let body = html! {
        main #scoreboard {
            @if read.is_empty() { p.notice { "No campaign in these folders yet. 'tare run' makes one." } }
            @else {
                div.wide { table.layers {
                    caption { "Campaigns in the folders that 'tare serve' was given." }
                    thead { tr { @for title in ["Campaign", "Made", "State", "Layers", "Blocks", "Machine"] { th scope="col" { (title) } } } }
                    tbody { @for (campaign, found) in &read { (row(campaign, found)) } }
                } }
                @if read.len() > 1 { (choose(&read)) }
            }
        }
    };
    page("Campaigns", &body)
}

fn name(found: &Found) -> String {
    clean(&found.name).chars().take(120).collect()
}

fn row(campaign: &Result<Campaign, String>, found: &Found) -> Markup {
    let report = format!("/c/{}", found.id);
    match campaign {
        Err(why) => {
            html! { tr { th scope="row" { bdi { (name(found)) } } td colspan="5" { "cannot be read: " (clean(why)) } } }
        }
        Ok(campaign) => {
            let mut blocks: Vec<u32> = campaign.boots.iter().map(|boot| boot.block).collect();
            blocks.sort_unstable();
            blocks.dedup();
            let layers: Vec<String> = campaign
                .layers
                .iter()
                .take(12)
                .map(|l| clean(&l.name).chars().take(32).collect())
                .collect();
            let baseline = campaign.baseline();
            let mut of_baseline = campaign.boots.iter().filter(|boot| Some(boot.layer) == baseline);
            let hello = of_baseline.find_map(|boot| boot.hello.as_ref());
            let model = hello.map(|hello| clean(&hello.cpu_model));
            html! { tr {
                th scope="row" { a href=(report) { bdi { (name(found)) } } }
                td { (clean(&campaign.plan.created)) }
                td { (clean(&campaign.state)) @if campaign.state == "running" { " " a href=(format!("{report}/live")) { "follow" } } }
                td { bdi { (layers.join(", ")) } } td { (blocks.len()) } td { (model.unwrap_or_default()) }
            } }
        }
    }
}

/// Two campaigns to choose.
fn choose(read: &[(Result<Campaign, String>, Found)]) -> Markup {
    let readable = || read.iter().filter(|(campaign, _)| campaign.is_ok()).map(|(_, found)| found);
    html! {
        h2 { "Compare two" }
        form.controls action="/compare" method="get" {
            @for (chosen, field, word) in [(0, "a", "before"), (1, "b", "after")] {
                label { (word) " " select name=(field) { @for (at, found) in readable().enumerate() { option value=(found.id) selected[at == chosen] { (name(found)) } } } }
            }
            button type="submit" { "Compare" }
        }
        p { a href="/history" { "History of all campaigns" } }
    }
}

/// `GET /c/{id}`: a campaign's report.
pub(crate) async fn report(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Response {
    match served.folders.by_id(&id) {
        Some(found) => render::report(&served, found).await,
        None => missing(),
    }
}

/// Which two.
#[derive(Deserialize)]
pub(crate) struct Two {
    a: String,
    b: String,
}

/// `GET /compare?a=ID&b=ID`: two campaigns side by side, and what `tare compare` says of them.
pub(crate) async fn compare(
    State(served): State<Arc<Served>>,
    two: Result<Query<Two>, QueryRejection>,
) -> Response {
    let found = two.ok().and_then(|Query(two)| {
        Some(vec![served.folders.by_id(&two.a)?, served.folders.by_id(&two.b)?])
    });
    let Some(found) = found else { return missing() };
    let both = match render::campaigns(&served, found).await {
        Ok(both) => both,
        Err(why) => return broken(&why),
    };
    let [(before, old), (after, new)] = &both[..] else { return missing() };
    let options = Options::from_plan(&old.plan);
    let wanted = CompareOptions { options, by: None, fail_if: Vec::new() };
    let compared = tare_board::compare((&before.name, old), (&after.name, new), &wanted);
    let said = match compared {
        Ok(comparison) => {
            let style = TextStyle { width: 110, paint: Paint::Plain, details: true };
            compare_text(&comparison, &style)
        }
        Err(error) => format!("These two cannot be compared: {error}."),
    };
    let body = html! {
        main #scoreboard {
            div.pair { @for (found, campaign) in &both {
                section { h2 { a href=(format!("/c/{}", found.id)) { bdi { (name(found)) } } }
                    (summary_html(&scoreboard(campaign, &Options::from_plan(&campaign.plan)))) }
            } }
            h2 { "After against before" }
            pre tabindex="0" { (said) }
        }
    };
    page("Two campaigns", &body)
}

/// `GET /history`: all campaigns over time.
pub(crate) async fn history(State(served): State<Arc<Served>>) -> Response {
    let found = served.folders.scan();
    let drawn = render::apart(&served, move || {
        let boards = found.into_iter().take(HISTORY).filter_map(|one| {
            let campaign = load(&one.path).ok()?;
            let board: Scoreboard = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
            Some((one.name, board))
        });
        Ok(history_html(&boards.collect::<Vec<_>>()))
    });
    match drawn.await {
        Ok(page) => html(page),
        Err(why) => broken(&why),
    }
}

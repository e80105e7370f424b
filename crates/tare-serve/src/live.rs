//! Following a campaign while it runs: a page, and the events that keep it up to date.

use crate::apart::{apart, find};
use crate::found::CampaignEntry;
use crate::render::stamp;
use crate::{Served, answer};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use maud::html;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tare_store::{BootState, Campaign, Outcome, load};

/// How often a campaign is looked at.
const PERIOD: Duration = Duration::from_secs(1);

#[derive(Serialize, Clone, PartialEq)]
struct Progress {
    state: String,
    now: String,
    blocks: usize,
    boots: usize,
    failed: usize,
    series: usize,
    samples: usize,
    /// Boots that the plan asks for, when it counts blocks.
    planned: Option<usize>,
    ended: bool,
}

impl Progress {
    fn of(campaign: &Campaign) -> Progress {
        let boots = &campaign.boots;
        let measured = campaign.series.iter().filter(|row| row.outcome == Outcome::Measured);
        let running = boots.iter().rfind(|boot| boot.state == BootState::Running);
        let name = |layer: usize| campaign.layers.get(layer).map_or("", |row| row.name.raw());
        let able = campaign.layers.iter().filter(|row| row.unavailable.is_none()).count();
        Progress {
            state: campaign.state.clone(),
            now: running.map_or("–".into(), |boot| {
                tare_report::clean(&format!("{}, block {}", name(boot.layer), boot.block + 1))
            }),
            blocks: boots.iter().map(|boot| boot.block as usize + 1).max().unwrap_or(0),
            boots: boots.len(),
            failed: boots.iter().filter(|boot| boot.state == BootState::Failed).count(),
            series: measured.clone().count(),
            samples: measured.map(|row| row.samples.len()).sum(),
            planned: campaign.plan.blocks.map(|blocks| blocks as usize * (able + 1)),
            ended: campaign.state != "running",
        }
    }
}

async fn progress(served: &Served, found: &CampaignEntry) -> Result<Progress, String> {
    let path = found.path.clone();
    apart(served, move || load(&path).map(|campaign| Progress::of(&campaign))).await
}

/// `GET /c/{id}/live`.
pub(crate) async fn page(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Response {
    let Some([found]) = find(&served, [id]).await else { return answer::missing() };
    let now = match progress(&served, &found).await {
        Ok(now) => now,
        Err(why) => return answer::broken(&why),
    };
    let report = format!("/c/{}", found.id);
    let parts: [(&str, &str, String); 7] = [
        ("state", "State", now.state.clone()),
        ("now", "Boots now", now.now.clone()),
        ("blocks", "Blocks begun", now.blocks.to_string()),
        ("boots", "Boots", now.boots.to_string()),
        ("failed", "Failed boots", now.failed.to_string()),
        ("series", "Series", now.series.to_string()),
        ("samples", "Samples", now.samples.to_string()),
    ];
    let events = (!now.ended).then(|| format!("{report}/events"));
    let body = html! {
        main #scoreboard {
            div data-live=[events] {
                @if let Some(planned) = now.planned { progress data-part="boots" max=(planned) value=(now.boots) aria-label="Boots made" {} }
                dl { @for (part, word, value) in &parts { div { dt { (word) } dd data-part=(part) { (value) } } } }
            }
            p { a href=(report) { "The report so far" } }
        }
    };
    let title: String = tare_report::clean(&found.name).chars().take(120).collect();
    answer::page(&title, &body)
}

/// `GET /c/{id}/events`: the campaign's progress whenever it changes, until it ends.
pub(crate) async fn events(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Response {
    let Some([found]) = find(&served, [id]).await else { return answer::missing() };
    let Ok(place) = Arc::clone(&served.followers).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many followers\n").into_response();
    };
    let begin = (served, found, place, None, false);
    let stream = unfold(begin, |(served, found, place, mut seen, ended)| async move {
        if ended {
            return None;
        }
        loop {
            let mark = stamp(&found.path);
            if seen != Some(mark) {
                seen = Some(mark);
                let now = progress(&served, &found).await.ok()?;
                let text = tare_report::json_line(&now);
                let event: Result<Event, Infallible> = Ok(Event::default().data(text));
                tokio::time::sleep(PERIOD).await;
                return Some((event, (served, found, place, seen, now.ended)));
            }
            tokio::time::sleep(PERIOD).await;
        }
    });
    Sse::new(stream).into_response()
}

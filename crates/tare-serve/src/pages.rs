//! The routes: which page answers which address.

use crate::answer::{broken, html, missing, page};
use crate::apart::{apart, find};
use crate::{Served, draw, render};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use serde::Deserialize;
use std::sync::Arc;
use tare_store::StoreError;

/// `GET /`: every campaign.
pub(crate) async fn index(State(served): State<Arc<Served>>) -> Response {
    let all = Arc::clone(&served);
    match apart(&served, move || Ok::<_, StoreError>(draw::index(&all.folders))).await {
        Ok(body) => page("Campaigns", &body),
        Err(why) => broken(&why),
    }
}

/// `GET /c/{id}`: a campaign's report.
pub(crate) async fn report(State(served): State<Arc<Served>>, Path(id): Path<String>) -> Response {
    match find(&served, [id]).await {
        Some([found]) => render::report(&served, found).await,
        None => missing(),
    }
}

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
    let Ok(Query(Two { a, b })) = two else { return missing() };
    let Some(found) = find(&served, [a, b]).await else { return missing() };
    match apart(&served, move || draw::comparison(&found)).await {
        Ok(body) => page("Two campaigns", &body),
        Err(why) => broken(&why),
    }
}

/// `GET /history`: all campaigns over time.
pub(crate) async fn history(State(served): State<Arc<Served>>) -> Response {
    let all = Arc::clone(&served);
    match apart(&served, move || Ok::<_, StoreError>(draw::history(&all.folders))).await {
        Ok(page) => html(page),
        Err(why) => broken(&why),
    }
}

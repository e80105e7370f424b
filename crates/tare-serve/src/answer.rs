//! Answers: a page, or an error page.

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use tare_report::{Shell, clean, shell};

/// A page that is already written.
pub(crate) fn html(page: impl Into<Bytes>) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, Body::from(page.into())).into_response()
}

/// One of the server's own pages.
pub(crate) fn page(title: &str, body: &Markup) -> Response {
    let nav = [("/", "All campaigns"), ("/history", "History")];
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

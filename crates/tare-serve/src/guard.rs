//! The checks that every request has to pass, and the headers that every answer carries.

use crate::{METHODS, Served};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Said to browsers about every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(crate) async fn guard(
    State(served): State<Arc<Served>>,
    request: Request,
    next: Next,
) -> Response {
    let Ok(_one) = served.requests.try_acquire() else {
        return dressed((StatusCode::SERVICE_UNAVAILABLE, "too many requests at once\n"));
    };
    if !METHODS.contains(request.method()) {
        return dressed((StatusCode::METHOD_NOT_ALLOWED, "this server is read-only\n"));
    }
    if !names_us(request.headers(), served.address) {
        let why = "this server answers only to its own address (see the line that 'tare serve' printed)\n";
        return dressed((StatusCode::MISDIRECTED_REQUEST, why));
    }
    dressed(next.run(request).await)
}

fn dressed(answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether the request was sent to this address by number or as `localhost`, and to no other name: a page from
/// elsewhere whose name was made to point here says that name.
fn names_us(headers: &HeaderMap, address: SocketAddr) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next())
    else {
        return false;
    };
    let port = address.port();
    let (name, given) = match host.rsplit_once(':') {
        Some((name, digits)) if !digits.ends_with(']') => (name, digits.parse().ok()),
        _ => (host, Some(80)),
    };
    if given != Some(port) {
        return false;
    }
    if name.eq_ignore_ascii_case("localhost") {
        return address.ip().is_loopback();
    }
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    // Listening everywhere, any number is this machine's: a number cannot be pointed elsewhere.
    let ours = |ip: IpAddr| ip == address.ip() || address.ip().is_unspecified();
    bare.parse().is_ok_and(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_address_is_answered() {
        let ours: SocketAddr = "127.0.0.1:7878".parse().unwrap();
        let ask = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            names_us(&headers, ours)
        };
        assert!(ask("127.0.0.1:7878") && ask("localhost:7878") && ask("LOCALHOST:7878"));
        for host in [
            "evil.example:7878",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil:7878",
            "",
            "[::1]:7878",
        ] {
            assert!(!ask(host), "{host}");
        }
        assert!(!names_us(&HeaderMap::new(), ours));
    }
}

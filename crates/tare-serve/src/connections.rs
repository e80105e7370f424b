//! Connections: their number is limited, and each must send its request soon, so that idle connections cannot keep others
//! out.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Connections that are open at once; others wait in the system's queue.
const CONNECTIONS: usize = 256;

/// Time to send a whole head of a request, from the opening of the connection or the last answer.
const HEAD: Duration = Duration::from_secs(5);

/// How long to wait when the system can accept no connection (descriptors are used up).
const PAUSE: Duration = Duration::from_millis(500);

/// Answers on `listener` for ever.
pub(crate) async fn answer(listener: TcpListener, router: Router) -> Infallible {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // The semaphore is never closed: an error cannot happen, and would only cost the limit.
        let place = Arc::clone(&places).acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD);
            // A connection that breaks is the other side's affair.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
}

//! `tare-serve`: a local web page over folders of campaigns. It lists them, opens their reports and those of merged results,
//! compares two, and follows one that is running.
//!
//! Read-only: GET and HEAD, no path from a request ever reaches the file system (addresses hold identities that only
//! a scan of the given folders makes), and a request must name this server as its host, so that no page from
//! elsewhere can read it through a name that it points here. What campaigns hold is written out by `tare-report`,
//! which escapes it.

mod answer;
mod apart;
mod connections;
mod draw;
mod found;
mod guard;
mod live;
mod merged;
mod pages;
mod render;

use axum::Router;
use axum::http::{Method, StatusCode};
use axum::middleware;
use axum::routing::get;
use found::Folders;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Requests that are answered at once, reports that are drawn at once, and campaigns that are followed at once.
const REQUESTS: usize = 64;
const DRAWINGS: usize = 2;
const FOLLOWERS: usize = 16;

/// How often the server looks whether it should end.
const LOOK: Duration = Duration::from_millis(100);

/// What every handler shares.
pub(crate) struct Served {
    pub(crate) folders: Folders,
    pub(crate) address: SocketAddr,
    pub(crate) requests: Semaphore,
    pub(crate) drawings: Semaphore,
    pub(crate) followers: Arc<Semaphore>,
    pub(crate) drawn: render::Cache,
}

/// Serves the campaigns in `folders` on `listener` until `stop` says so.
pub fn serve(listener: TcpListener, folders: Vec<PathBuf>, stop: fn() -> bool) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let served = Arc::new(Served {
        folders: Folders::new(folders),
        address: listener.local_addr()?,
        requests: Semaphore::new(REQUESTS),
        drawings: Semaphore::new(DRAWINGS),
        followers: Arc::new(Semaphore::new(FOLLOWERS)),
        drawn: render::Cache::default(),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::select! {
            never = connections::answer(listener, router(served)) => match never {},
            () = stopped(stop) => Ok(()),
        }
    });
    // A report that is being drawn may take its time; nobody waits for it any more.
    runtime.shutdown_background();
    done
}

async fn stopped(stop: fn() -> bool) {
    while !stop() {
        tokio::time::sleep(LOOK).await;
    }
}

fn router(served: Arc<Served>) -> Router {
    Router::new()
        .route("/", get(pages::index))
        .route("/compare", get(pages::compare))
        .route("/history", get(pages::history))
        .route("/c/{id}", get(pages::report))
        .route("/c/{id}/live", get(live::page))
        .route("/c/{id}/events", get(live::events))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .fallback(|| async { answer::missing() })
        .layer(middleware::from_fn_with_state(Arc::clone(&served), guard::guard))
        .with_state(served)
}

pub(crate) const METHODS: [Method; 2] = [Method::GET, Method::HEAD];

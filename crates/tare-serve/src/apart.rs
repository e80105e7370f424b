//! Slow work runs on threads of its own, few at once, so that the one thread that answers requests stays free.

use crate::Served;
use crate::found::CampaignEntry;
use std::cell::Cell;
use std::fmt::Display;
use std::sync::Arc;

/// The campaigns that these identities mean, all of them or none. Folders are read aside, too.
pub(crate) async fn find<const N: usize>(
    served: &Arc<Served>,
    ids: [String; N],
) -> Option<[CampaignEntry; N]> {
    let served = Arc::clone(served);
    let look = move || -> Option<Vec<CampaignEntry>> {
        let all = served.folders.scan();
        ids.iter().map(|id| all.iter().find(|found| found.id == *id).cloned()).collect()
    };
    tokio::task::spawn_blocking(look).await.ok()??.try_into().ok()
}

/// Does work that takes a while on a thread of its own.
pub(crate) async fn apart<T: Send + 'static, E: Display + Send + 'static>(
    served: &Served,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, String> {
    let _one = served.drawings.acquire().await.map_err(|e| e.to_string())?;
    let work = move || {
        APART.set(true);
        work()
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err("the report could not be drawn; tare's standard error says why".into()),
    }
}

thread_local! {
    /// Whether this thread draws and does not answer.
    static APART: Cell<bool> = const { Cell::new(false) };
}

/// Whether what is called now keeps nobody waiting.
pub(crate) fn is_apart() -> bool {
    APART.get()
}

//! What one run of a program costs this host beside its time, where counting would disturb the runs that are timed: one more run, in a
//! measurement of its own, after what is around the runs has begun and the program has warmed up.

use super::booting::Booted;
use crate::plan::setup::Setup;
use tare_layers::{SessionError, Turn};
use tare_observe::Wakeups;
use tare_proto::counter::{HOST_DISK, HOST_WAKEUPS};
use tare_proto::{Counter, Request};

/// Why wake-ups cannot be counted here; `None` where they can.
#[must_use]
pub fn no_wakeups() -> Option<String> {
    let own = Wakeups::of(&[nix::unistd::gettid().as_raw() as u32]);
    own.and_then(|own| own.so_far()).err().map(|why| why.to_string())
}

/// The counters of one more run of the program of `request`, where one is wanted and the layer's processes can be seen.
pub(super) fn counted(
    setup: &Setup,
    booted: &mut Booted,
    bench: usize,
    request: &Request,
) -> Result<Vec<Counter>, SessionError> {
    let wanted = [HOST_DISK, HOST_WAKEUPS].iter().any(|name| setup.wants(bench, name));
    // A scripted layer runs what its script says and no more.
    if !wanted || booted.session.scripted() {
        return Ok(Vec::new());
    }
    let id = booted.next_id();
    let request = Request { id, turns: true, samples: 1, events: false, ..request.clone() };
    let within = setup.within(&request);
    let session = &mut booted.session;
    let Turn::Waiting(_) = session.prepare(&request, within)? else { return Ok(Vec::new()) };
    let wakeups = session.threads().and_then(|threads| Wakeups::of(&threads).ok());
    let before = session.moved_bytes();
    session.take(&request, (1, true), within)?;
    let woken = wakeups.and_then(|wakeups| wakeups.so_far().ok());
    let moved =
        before.zip(session.moved_bytes()).map(|(before, after)| after.saturating_sub(before));
    let counters = [(HOST_DISK, moved), (HOST_WAKEUPS, woken)];
    let seen = counters.into_iter().filter_map(|(name, count)| Some((name, count?)));
    Ok(seen.map(|(name, count)| Counter::new(name, count as f64)).collect())
}

//! What a layer is asked about its state: one request, a thousand, writing into all of it, and who it says that it is.

use super::start::{Failed, Up};
use crate::plan::slot::patience;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tare_layers::{Answer, SessionError};
use tare_proto::{Machine, Request, STATE_IDENTITY, STATE_REQUEST, STATE_TOUCH};

/// Requests after which a restored service is taken to be as fast as before, and the one in a hundred that is slow.
const REQUESTS: u32 = 1000;
const SLOW: usize = 990;

/// How long they may take: a service may need milliseconds for each.
const OF_TAIL_MS: u64 = 10_000;

/// Who a layer says that it is, and what its realtime clock says beyond the host's, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub identity: String,
    pub ahead_s: f64,
}

/// The 99th percentile of a thousand requests; nothing of a layer that does not answer as many in time.
pub(super) fn tail(up: &mut Up) -> Result<Option<f64>, Failed> {
    let request = Request { limit_ms: OF_TAIL_MS, ..state(STATE_REQUEST, REQUESTS) };
    let mut all = up.samples(&request)?;
    all.sort_by(f64::total_cmp);
    Ok((all.len() == REQUESTS as usize).then(|| all[SLOW]))
}

/// Time for writing into each page of the state.
pub(super) fn touch(up: &mut Up) -> Result<f64, Failed> {
    Ok(up.state(STATE_TOUCH, 1)?[0])
}

impl Up {
    /// Asks for one request of the service, and waits for the answer.
    pub(super) fn first(&mut self, within: Duration) -> Result<(), SessionError> {
        let request = state(STATE_REQUEST, 1);
        match self.session.measure(&request, within)? {
            Answer::Series(..) => Ok(()),
            Answer::Unavailable(why) | Answer::Failed(why) => Err(SessionError::Panic(why)),
        }
    }

    /// The samples of a request about the layer's state.
    pub(super) fn state(&mut self, name: &str, samples: u32) -> Result<Vec<f64>, Failed> {
        self.samples(&state(name, samples))
    }

    /// Who the layer says that it is.
    pub(super) fn identity(&mut self) -> Result<Seen, Failed> {
        let request = state(STATE_IDENTITY, 1);
        let answer = self.session.measure(&request, patience(Machine::Real, request.limit_ms))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        match answer {
            Answer::Series(series, _) if !series.samples.is_empty() => {
                let ahead_s = (series.samples[0] - now.as_nanos() as f64) / 1e9;
                Ok(Seen { identity: series.note, ahead_s })
            }
            _ => Err(Failed::Start("it does not say who it is".into())),
        }
    }
}

/// A request about a layer's state, which may take a while where everything is slow.
fn state(name: &str, samples: u32) -> Request {
    let bench = name.to_owned();
    Request { id: 1, bench, samples, batch_ns: 1, limit_ms: 2000, ..Request::default() }
}

//! Searches for the loads of a load curve in one boot of the baseline. Its measurements serve no other purpose and are thrown
//! away: every layer is measured at the same loads afterwards.

use crate::decide::curve::climb;
use crate::plan::programs::Wrong;
use crate::plan::sandbox_benches::is_row;
use crate::plan::slot::{patience, to_greet};
use crate::record::found::FoundLoads;
use crate::record::observer::{Event, Observer};
use crate::sandbox::{Starter, starts_at_once};
use std::time::Duration;
use tare_layers::{Answer, BootName, Host, Keeper, Layer, Session, SessionError, fresh_id};
use tare_proto::{BenchInfo, Machine, Request, Unit, at_load, throughput};

/// Samples of a series: enough to tell a fall from noise.
const SAMPLES: u32 = 3;

/// Time for a series of a benchmark that leaves it to the campaign, in milliseconds.
const SERIES_MS: u64 = 250;

/// What a search needs: the layer that it is done on, and how its boots are made.
pub struct Search<'a> {
    /// The layer's name.
    pub name: &'a str,
    /// How it starts.
    pub layer: &'a dyn Layer,
    /// What layers may use of this host.
    pub host: &'a Host,
    /// How keepers are started.
    pub keeper: &'a Keeper,
    /// The machine that it runs on.
    pub machine: Machine,
    /// CPUs that it is pinned to.
    pub cpus: &'a [u32],
    /// Shortest timed batch, in nanoseconds.
    pub batch_ns: u64,
    /// Time that it may take from its start to its greeting.
    pub boot: Duration,
    /// Asked while waiting.
    pub interrupted: fn() -> bool,
}

/// Why a boot before the campaign did not answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// What was asked for cannot be measured, or the program is wrong; part of a sentence.
    #[error("{0}")]
    Refused(String),
    /// The boot failed, or the campaign is interrupted.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl From<Wrong> for SearchError {
    fn from(Wrong(why): Wrong) -> SearchError {
        SearchError::Refused(why)
    }
}

impl Search<'_> {
    /// Looks for the loads of `bench` in a boot of its own.
    pub fn loads(
        &self,
        bench: &BenchInfo,
        observer: &mut dyn Observer,
    ) -> Result<FoundLoads, SessionError> {
        if is_row(bench) {
            let starter = Starter {
                layer: self.layer,
                host: self.host,
                keeper: self.keeper,
                cpus: self.cpus,
                within: self.boot,
                interrupted: self.interrupted,
            };
            return starts_at_once(&starter, self.name, bench, observer);
        }
        let name = BootName { id: fresh_id(), ..BootName::default() };
        let mut session = self.boot(&name)?;
        let mut ended: Option<String> = None; // after that nothing can be asked any more
        let (loads, end) = climb(bench.unit == Unit::PerMinute, |load| {
            let row = at_load(&bench.name, load);
            observer.event(Event::Searching { name: &row, layer: self.name });
            if let Some(why) = &ended {
                return Err(why.clone());
            }
            self.once(&mut session, bench, load).map_err(|error| match error {
                SearchError::Refused(why) => why,
                SearchError::Session(error) => ended.insert(error.to_string()).clone(),
            })
        });
        if (self.interrupted)() {
            return Err(SessionError::Interrupted);
        }
        session.end(Duration::from_secs(5));
        Ok(FoundLoads { benchmark: bench.name.clone(), loads, end })
    }

    /// Boots the layer and waits for its greeting.
    pub(super) fn boot(&self, name: &BootName) -> Result<Session, SessionError> {
        let Search { layer, host, keeper, cpus, interrupted, .. } = *self;
        let mut session = tare_layers::start(layer, host, keeper, name, cpus, None, interrupted)?;
        session.greet(to_greet(self.machine, self.boot))?;
        Ok(session)
    }

    /// The total throughput at `load`.
    fn once(
        &self,
        session: &mut Session,
        bench: &BenchInfo,
        load: u32,
    ) -> Result<f64, SearchError> {
        let limit_ms = if bench.series_ms == 0 { SERIES_MS } else { bench.series_ms };
        let request = Request {
            id: load,
            bench: at_load(&bench.name, load),
            samples: bench.samples.min(SAMPLES),
            batch_ns: self.batch_ns,
            limit_ms,
            ..Request::default()
        };
        match session.measure(&request, patience(self.machine, limit_ms))? {
            Answer::Series(series, _) => {
                let mean = series.samples.iter().sum::<f64>() / series.samples.len().max(1) as f64;
                Ok(throughput(bench.better, load, mean))
            }
            Answer::Unavailable(why) | Answer::Failed(why) => Err(SearchError::Refused(why)),
        }
    }
}

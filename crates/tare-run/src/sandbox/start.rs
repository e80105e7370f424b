//! One start of a layer, timed from when it was asked for, and one stop.

use crate::plan::sandbox_benches::{HOST, KERNEL, PROBE, RUNTIME, STOP};
use crate::plan::setup::Setup;
use crate::plan::slot::patience;
use std::time::{Duration, Instant};
use tare_layers::{
    Answer, BootName, Host, Keeper, Layer, Phases, Saved, Session, SessionError, fresh_id,
};
use tare_proto::{Machine, Request};

/// How long a layer may take to end when asked.
const FAREWELL: Duration = Duration::from_secs(5);

/// How layers of one kind are started.
pub(crate) struct Starter<'a> {
    pub layer: &'a dyn Layer,
    pub host: &'a Host,
    pub keeper: &'a Keeper,
    /// CPUs that they are pinned to; empty when they are not.
    pub cpus: &'a [u32],
    /// Time that one may take until it greets.
    pub within: Duration,
    /// Asked while waiting.
    pub interrupted: fn() -> bool,
}

/// A layer that has greeted.
pub(crate) struct Up {
    pub session: Session,
    /// When it was asked for.
    pub asked: Instant,
    /// From then to its greeting, in nanoseconds.
    pub start_ns: f64,
    /// Of a restored one, until its first word; `start_ns` is until it has answered its first request.
    pub first_ns: f64,
    pub phases: Phases,
}

/// Why there is none.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The campaign is interrupted.
    Interrupted,
    /// The layer has failed, in words.
    Start(String),
}

impl From<SessionError> for Failed {
    fn from(error: SessionError) -> Failed {
        match error {
            SessionError::Interrupted => Failed::Interrupted,
            other => Failed::Start(other.to_string()),
        }
    }
}

impl<'a> Starter<'a> {
    /// How layer number `layer` is started for its rows.
    pub fn of(setup: &'a Setup, layer: usize) -> Starter<'a> {
        Starter {
            layer: &*setup.layers[layer].layer,
            host: setup.host,
            keeper: setup.keeper,
            cpus: &setup.plan.cpus,
            within: Duration::from_secs_f64(setup.plan.boot_s),
            interrupted: setup.interrupted,
        }
    }
}

impl Starter<'_> {
    /// Starts one layer, the `number`th of its kind.
    pub fn start(&self, number: u32) -> Result<Up, Failed> {
        self.prepare(1)?;
        self.start_now(number)
    }

    /// Has keepers wait for `count` layers, since they are tare's and not the layers' own.
    pub fn prepare(&self, count: usize) -> Result<(), Failed> {
        self.keeper.spare(count).map_err(|e| Failed::Start(format!("no keeper: {e}")))
    }

    /// Starts one layer whose keeper may wait already.
    pub fn start_now(&self, number: u32) -> Result<Up, Failed> {
        self.start_as(number, Saved::Never)
    }

    /// The session of a layer that starts now.
    pub(super) fn session(&self, number: u32, saved: Saved) -> Result<Session, SessionError> {
        let name = BootName { id: fresh_id(), number, saved, ..BootName::default() };
        let Starter { layer, host, keeper, cpus, interrupted, .. } = *self;
        tare_layers::start(layer, host, keeper, &name, cpus, None, interrupted)
    }

    /// The same of one that may be `saved`.
    pub fn start_as(&self, number: u32, saved: Saved) -> Result<Up, Failed> {
        let asked = Instant::now();
        let mut session = self.session(number, saved)?;
        match session.greet(self.within) {
            Ok(greeting) => {
                let measured = (greeting.at - asked).as_nanos() as f64;
                let (start_ns, phases) = scripted(&session).unwrap_or((measured, greeting.phases));
                Ok(Up { session, asked, start_ns, first_ns: start_ns, phases })
            }
            Err(error) => {
                let console = session.console_tail();
                let left = session.abandon().left;
                Err(told(error, &console, &left))
            }
        }
    }
}

/// A failure with what the layer said last, and with what is left of it.
fn told(error: SessionError, console: &str, left: &[String]) -> Failed {
    let Failed::Start(why) = error.into() else { return Failed::Interrupted };
    let mut why = with_console(why, console);
    if !left.is_empty() {
        why += &format!("; not removed: {}", left.join(", "));
    }
    Failed::Start(why)
}

/// A reason with what the layer said last.
pub(super) fn with_console(why: String, console: &str) -> String {
    match console.lines().rfind(|line| !line.trim().is_empty()) {
        Some(last) => format!("{why}; its console ends with: {}", last.trim()),
        None => why,
    }
}

/// The start of a scripted layer, as its script has it.
fn scripted(session: &Session) -> Option<(f64, Phases)> {
    const UNTOLD: &str = "the script does not say";
    let [host, runtime, kernel, probe] =
        [HOST, RUNTIME, KERNEL, PROBE].map(|row| session.told(row));
    let whole = [host, runtime, kernel, probe].into_iter().flatten().sum();
    let part = |told: Option<f64>| told.ok_or(UNTOLD);
    let runtime = part(runtime);
    let kernel = part(kernel);
    let probe = part(probe);
    Some((whole, Phases { host: host?, runtime, kernel, probe }))
}

impl Up {
    /// A restored layer, of which nothing is known yet.
    pub(super) fn restored(mut session: Session, asked: Instant) -> Up {
        const RESTORED: &str = "it was restored";
        session.take_up();
        let phases = Phases {
            host: 0.0,
            runtime: Err(RESTORED),
            kernel: Err(RESTORED),
            probe: Err(RESTORED),
        };
        Up { session, asked, start_ns: 0.0, first_ns: 0.0, phases }
    }

    /// Ends a layer that failed; why, and what it said last.
    pub(super) fn failed(self, error: SessionError) -> Failed {
        let console = self.session.console_tail();
        let left = self.session.abandon().left;
        told(error, &console, &left)
    }

    /// The sample of a benchmark of the probe's, taken once.
    pub fn ask(&mut self, bench: &str, limit_ms: u64) -> Result<f64, Failed> {
        let bench = bench.to_owned();
        let request =
            Request { id: 1, bench, samples: 1, batch_ns: 1, limit_ms, ..Request::default() };
        Ok(self.samples(&request)?[0])
    }

    /// The samples that answer `request`, at least one.
    pub fn samples(&mut self, request: &Request) -> Result<Vec<f64>, Failed> {
        match self.session.measure(request, patience(Machine::Real, request.limit_ms))? {
            Answer::Series(series, _) if series.samples.is_empty() => {
                Err(Failed::Start("it took no sample".into()))
            }
            Answer::Series(series, _) => Ok(series.samples),
            Answer::Unavailable(why) | Answer::Failed(why) => Err(Failed::Start(why)),
        }
    }

    /// Asks the layer to finish: when it began to, how long its end took in nanoseconds, and what was not removed.
    pub fn stop(self) -> Stopped {
        let told = self.session.told(STOP);
        let begin = Instant::now();
        let ended = self.session.end(FAREWELL);
        let ns = told.unwrap_or((ended.at - begin).as_nanos() as f64);
        Stopped { at: ended.at, ns, left: ended.left }
    }
}

/// A layer that has ended.
pub(crate) struct Stopped {
    /// When all of it was gone.
    pub at: Instant,
    /// How long that took, in nanoseconds.
    pub ns: f64,
    /// What was not removed.
    pub left: Vec<String>,
}

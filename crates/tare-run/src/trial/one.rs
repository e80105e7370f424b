//! The trial of one layer: it is booted, and ended as soon as its probe has greeted.

use super::made::describe;
use crate::plan::slot::to_greet;
use crate::record::found::Trial;
use std::time::{Duration, Instant};
use tare_layers::{BootName, Host, Keeper, Layer, SessionError, Settings, fresh_id};
use tare_proto::Machine;

/// The settings with which a layer's trial runs alone, because it creates devices or networks on the host, fills a disk or
/// turns a knob.
const ALONE: &[&str] = &["disk", "files", "knobs", "net"];

/// A layer to try.
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its kind's name.
    pub kind: &'a str,
    /// The machine that it runs on.
    pub machine: Machine,
    /// All its settings.
    pub settings: &'a Settings,
    /// How it starts.
    pub layer: &'a dyn Layer,
}

impl Candidate<'_> {
    pub(crate) fn alone(&self) -> bool {
        ALONE.iter().any(|key| self.settings.get(key).is_some_and(|value| value != "none"))
    }
}

/// How layers are tried.
pub struct Trials<'a> {
    /// What layers may use of this host.
    pub host: &'a Host,
    /// How keepers are started.
    pub keeper: &'a Keeper,
    /// Time that a layer may take from its start to its greeting.
    pub within: Duration,
    /// Whether a layer is booted even where it is known that its boots repeat.
    pub anew: bool,
    /// Asked while waiting.
    pub interrupted: fn() -> bool,
}

/// A boot that did not come up.
pub(crate) struct Failed {
    pub error: SessionError,
    /// The console's last lines.
    pub console: String,
    /// What could not be removed.
    pub left: Vec<String>,
}

/// Boots `layer` once to find out whether it runs here.
pub(crate) fn boot(layer: &dyn Layer, machine: Machine, on: &Trials) -> Result<Trial, Failed> {
    let begin = Instant::now();
    let name = BootName { id: fresh_id(), ..BootName::default() };
    let failed = |error, console, left| Failed { error, console, left };
    let started = tare_layers::start(layer, on.host, on.keeper, &name, &[], None, on.interrupted);
    let mut session = started.map_err(|error| failed(error, String::new(), Vec::new()))?;
    let greeting = match session.greet(to_greet(machine, on.within)) {
        Ok(greeting) => greeting,
        Err(error) => {
            let console = session.console_tail();
            return Err(failed(error, console, session.abandon().left));
        }
    };
    let artifacts = session.artifacts().to_vec();
    let left = session.end(Duration::from_secs(5)).left;
    let whole = begin.elapsed();
    let artifacts = artifacts.iter().map(describe).collect();
    Ok(Trial { hello: greeting.hello, start: greeting.start, whole, artifacts, left })
}

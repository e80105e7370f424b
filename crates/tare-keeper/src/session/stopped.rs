//! A layer that is not quiet while it waits is stopped until it is spoken to again.
//!
//! By SIGSTOP, which needs no right that tare does not have, where the control groups' freezer needs root or a delegated
//! group. A guest's clock goes on meanwhile, as it does in any pause of its host.

use crate::error::SessionError;
use crate::processes::{Held, Processes, is_traced};
use crate::session::Session;
use crate::session::whereabouts::Whereabouts;
use std::collections::BTreeSet;

/// The processes of a layer that is stopped while it waits.
#[derive(Default)]
pub(super) struct Stopped {
    processes: Vec<Held>,
    now: bool,
}

impl Session {
    /// From now on the layer is stopped while nothing is asked of it; false where that cannot be done: where it has no
    /// processes below its keeper, or where a tracer has them, as gVisor's and User-Mode Linux's have their guests'.
    pub fn stop_while_waiting(&mut self) -> bool {
        let Some(pids) = self.below_keeper() else { return false };
        if pids.is_empty() || pids.iter().any(|pid| is_traced(*pid)) {
            return false;
        }
        self.stopped = Some(Stopped::default());
        self.halt(true);
        true
    }

    /// Stops the layer, if it is one of those; `anew`: its processes may be others than before.
    pub(super) fn halt(&mut self, anew: bool) {
        let Some(mut stopped) = self.stopped.take() else { return };
        if anew && let Some(pids) = self.below_keeper() {
            stopped.processes = pids.into_iter().filter_map(Held::of).collect();
        }
        stopped.processes.iter().for_each(|process| process.signal(libc::SIGSTOP));
        stopped.now = true;
        self.stopped = Some(stopped);
    }

    /// The processes that may be stopped. Those of a layer that is elsewhere are never among them, even where `pids=` or
    /// `cgroup=` names them: if tare were killed now, its keeper would not end them, and nobody would let them go on.
    fn below_keeper(&self) -> Option<BTreeSet<u32>> {
        match self.processes {
            Whereabouts::Below => self.own_processes(&Processes::now()),
            _ => None,
        }
    }

    /// Lets it go on, with the host's knobs where it has them.
    pub(super) fn go_on(&mut self) -> Result<(), SessionError> {
        if let Some(stopped) = self.stopped.as_mut().filter(|stopped| stopped.now) {
            stopped.processes.iter().for_each(|process| process.signal(libc::SIGCONT));
            stopped.now = false;
        }
        self.beside.turn_knobs()
    }
}

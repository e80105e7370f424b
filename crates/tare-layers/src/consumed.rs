//! What a booted layer takes of the host: memory and CPU time.

use crate::keeper::memory;
use crate::keeper::procs::{self, Processes};
use crate::session::Session;
use std::time::Duration;

impl Session {
    /// Memory that all host processes of the layer hold, in bytes, as if it were alone on the host; `None` when it has none
    /// of its own or they cannot be read.
    pub fn footprint(&self) -> Option<u64> {
        let running = self.running.as_ref()?;
        memory::held_bytes(&running.processes(&Processes::now()))
    }

    /// CPU time that all host processes of the layer have used, those included that have ended and been
    /// waited for; `None` when it has none of its own. What kernel threads do for it is not in it.
    pub fn cpu_time(&self, now: &Processes) -> Option<Duration> {
        let running = self.running.as_ref()?;
        Some(procs::cpu_time(&running.processes(now)))
    }

    pub(crate) fn cpu_time_now(&self) -> Option<Duration> {
        self.cpu_time(&Processes::now())
    }

    /// The same to the nanosecond, of all threads that live; `None` where the kernel does not keep it, too.
    pub fn run_time(&self, now: &Processes) -> Option<Duration> {
        procs::run_time(&self.running.as_ref()?.processes(now))
    }

    /// CPU time that the other end of the layer's network has used; `None` when there is none.
    pub fn peer_cpu_time(&self) -> Option<Duration> {
        let helpers = self.running.as_ref()?.helpers();
        (!helpers.is_empty()).then(|| procs::cpu_time(helpers))
    }
}

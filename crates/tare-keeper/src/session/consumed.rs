//! What a booted layer takes of the host, memory and CPU time, and what it is given of its CPUs.

use crate::processes::memory::Held;
use crate::processes::moved::moved_bytes;
use crate::processes::whose::{self, Whose};
use crate::processes::{self, Processes, cpu_time, memory, tally};
use crate::session::Session;
use crate::session::whereabouts::Whereabouts;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;
use tare_proto::outside::Part;

/// Looks at the memory of a layer's processes, whichever these are at that moment.
pub struct Memory(Box<dyn Fn() -> Option<BTreeSet<u32>> + Send>);

impl Memory {
    /// What they hold; `None` as for [`Session::footprint`].
    pub fn held(&self) -> Option<Held> {
        memory::held(&(self.0)()?)
    }

    /// What they hold in files that are memory themselves, in bytes: a part of that which can be looked at often.
    pub fn in_files(&self) -> u64 {
        memory::in_files(&(self.0)().unwrap_or_default())
    }
}

impl Session {
    /// Memory that all host processes of the layer hold, in bytes, as if it were alone on the host; `None` when it has none
    /// of its own or they cannot be read.
    pub fn footprint(&self) -> Option<u64> {
        self.memory().held().map(Held::all)
    }

    /// What looks at that memory from another thread.
    pub fn memory(&self) -> Memory {
        let running = self.running.as_ref();
        let known = running.map(|running| (running.processes(), self.processes.clone()));
        Memory(Box::new(move || {
            let (below, processes) = known.as_ref()?;
            processes.processes(below, &Processes::now())
        }))
    }

    /// Why nobody knows what the layer's processes use of this host; `None` when it is known.
    pub fn out_of_sight(&self) -> Option<&str> {
        match &self.processes {
            Whereabouts::Unknown(why) => Some(why),
            _ => None,
        }
    }

    /// How long the last request took to a layer that is behind a daemon or on another host, and the first answer back: the
    /// probe says at once that it has read it, before it measures. `None` for a layer whose line is this host's alone.
    pub fn wire(&self) -> Option<Duration> {
        self.round_trip.filter(|_| !matches!(self.processes, Whereabouts::Below))
    }

    /// CPU time that all host processes of the layer have used, to the nanosecond, and to 10 ms that of those that have ended and
    /// been waited for; `None` when it has none of its own. What kernel threads do for it is not in it.
    pub fn cpu_time(&self, now: &Processes) -> Option<Duration> {
        Some(cpu_time::cpu_time(&self.own_processes(now)?))
    }

    /// How long threads of the layer's host processes were ready to run and had no CPU, each counted by itself; `None` when it has none
    /// of its own or the kernel does not say.
    pub fn run_delay(&self, now: &Processes) -> Option<Duration> {
        cpu_time::run_delay(&self.own_processes(now)?)
    }

    /// Bytes that the layer's host processes have moved between memory and block devices, those that have ended among them; `None` when
    /// it has none of its own or one may not be looked at.
    pub fn moved_bytes(&self) -> Option<u64> {
        let own = self.own_processes(&Processes::now())?;
        // What nobody else waits for, the keeper does.
        let keeper = self.running.as_ref().map(|running| running.pid());
        moved_bytes(own.iter().chain(keeper.as_ref()))
    }

    /// Every thread of the layer's host processes; `None` when it has none of its own.
    pub fn threads(&self) -> Option<Vec<u32>> {
        Some(processes::tids(&self.own_processes(&Processes::now())?).collect())
    }

    pub(crate) fn cpu_time_now(&self) -> Option<Duration> {
        self.cpu_time(&Processes::now())
    }

    /// Memory that all host processes of the layer hold by their proportional share, in bytes; `None` as for
    /// [`Session::footprint`].
    pub fn proportional(&self, now: &Processes) -> Option<u64> {
        memory::proportional_bytes(&self.own_processes(now)?)
    }

    /// Moves the layer's processes to `cpus`; nothing where these are out of sight.
    pub fn pin(&self, cpus: &[u32]) {
        processes::pin(&self.own_processes(&Processes::now()).unwrap_or_default(), cpus);
    }

    /// CPUs that the quotas of the layer's control groups allow it, as the host sees them; `None` where it sees none.
    pub fn cpu_quota(&self) -> Option<f64> {
        let pids = self.own_processes(&Processes::now()).filter(|_| !self.scripted())?;
        pids.iter().filter_map(|pid| tare_proto::cpu_quota(&pid.to_string())).reduce(f64::min)
    }

    /// How long the quotas of the layer's control groups have stopped it until now, on each CPU by itself; `None` where there is none.
    pub fn stopped_by_quota(&self) -> Option<Duration> {
        let pids = self.own_processes(&Processes::now()).filter(|_| !self.scripted())?;
        pids.iter().filter_map(|pid| tare_proto::stopped_by_quota(&pid.to_string())).max()
    }

    /// What the keeper alone takes of the host's available memory, in bytes: tare's, not the layer's.
    pub fn keeper_bytes(&self) -> u64 {
        self.running.as_ref().map_or(0, |running| memory::taken_bytes(running.pid()))
    }

    /// Threads of the layer's host processes, and how often these have given up their CPU to wait; `None` when it has none of
    /// its own.
    pub fn threads_and_waits(&self, now: &Processes) -> Option<(u64, u64)> {
        Some(cpu_time::threads_and_waits(&self.own_processes(now)?))
    }

    /// The files that this layer is made of: those that decide what it is, and those that its processes have mapped.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let mapped = self.own_processes(&Processes::now()).unwrap_or_default();
        let made_of = self.artifacts().iter().map(|artifact| artifact.path.clone());
        memory::mapped_files(&mapped).into_iter().chain(made_of).collect()
    }

    /// CPU time that the other end of the layer's network has used; `None` when there is none.
    pub fn peer_cpu_time(&self) -> Option<Duration> {
        let helpers = self.running.as_ref()?.helpers();
        (!helpers.is_empty()).then(|| cpu_time::cpu_time(helpers))
    }

    /// Every thread of the layer's host processes, and whose it is by the layer's `table`; `None` when it has none of its own.
    pub fn parts(&self, table: &[Whose]) -> Option<Vec<(u32, Part)>> {
        Some(whose::parts(&self.own_processes(&Processes::now())?, table))
    }

    /// What `/proc` has counted of these threads, by the names of counters: switches and page faults.
    pub fn tally(&self, threads: &[(u32, Part)]) -> BTreeMap<String, f64> {
        tally::tally(threads)
    }

    pub(crate) fn own_processes(&self, now: &Processes) -> Option<BTreeSet<u32>> {
        let running = self.running.as_ref()?;
        self.processes.processes(running.processes(), now)
    }
}

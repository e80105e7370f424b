//! What a measurement costs the host and what the host sees of the layer meanwhile.

use super::booting::Booted;
use crate::host::cpus::allowed_cpus;
use crate::host::disks;
use crate::host::ticks::idle_time;
use std::time::{Duration, Instant};
use tare_layers::{Answer, Processes};
use tare_proto::Counter;
use tare_proto::counter::{
    ACTIVE_NS, CPU_HOST, CPU_SYSTEM, CPU_USER, CPU_WAITED, DISK_BYTES, HOST_MEMORY,
};
use tare_store::{Outcome, Recorded, WIRE};

/// How the benchmarks of the disk begin.
const DISK: &str = "disk/";

/// Measures what a measurement costs the host, from its beginning.
pub(crate) struct Meter {
    /// CPUs that the layer may use.
    cpus: usize,
    /// The probe sees CPU time as the host does.
    shares_kernel: bool,
    cpu: Option<Duration>,
    delay: Option<Duration>,
    /// Its CPUs, where it has several: its own threads then wait for each other on one of them while another is idle.
    several: Vec<u32>,
    /// What all had of them in its turns.
    of_cpus: Option<Duration>,
    peer: Option<Duration>,
    /// Bytes that the host's disks have moved in the layer's turns; only for a benchmark of the disk.
    disks: Option<u64>,
    /// The most memory that the layer has held; only for a program of which that is asked.
    memory: Option<u64>,
    /// Time that the layer has measured, without the turns of others.
    busy: Duration,
}

impl Meter {
    pub(crate) fn begin(booted: &Booted, bench: &str, now: &Processes) -> Meter {
        let session = &booted.session;
        let cpu = session.cpu_time(now).filter(|_| !session.scripted());
        // What a quota stops waits, too: that is the layer's own cost, and no neighbour's.
        let is_known = cpu.is_some() && !booted.under_quota;
        let delay = is_known.then(|| session.run_delay(now)).flatten();
        Meter {
            cpus: booted.cpus(),
            shares_kernel: booted.shares_kernel,
            cpu,
            delay,
            several: booted.several_cpus().to_vec(),
            of_cpus: (!booted.several_cpus().is_empty()).then_some(Duration::ZERO),
            peer: session.peer_cpu_time(),
            disks: (bench.starts_with(DISK) && !session.scripted()).then_some(0),
            memory: None,
            busy: Duration::ZERO,
        }
    }

    /// Does `work`, a turn of the layer.
    pub(crate) fn turn<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let moved = || self.disks.and_then(|_| disks::moved_bytes());
        let idle = || self.of_cpus.and_then(|_| idle_time(&self.several));
        let before = (moved(), idle());
        let begin = Instant::now();
        let done = work();
        let took = begin.elapsed();
        self.busy += took;
        let after = (moved(), idle());
        let more = before.0.zip(after.0).map(|(before, after)| after.saturating_sub(before));
        self.disks = self.disks.zip(more).map(|(sum, more)| sum + more);
        let idle = before.1.zip(after.1).map(|(before, after)| after.saturating_sub(before));
        let more = idle.map(|idle| (took * self.several.len() as u32).saturating_sub(idle));
        self.of_cpus = self.of_cpus.zip(more).map(|(sum, more)| sum + more);
        done
    }

    /// The layer has held so many bytes of memory.
    pub(crate) fn held(&mut self, memory: Option<u64>) {
        self.memory = self.memory.max(memory);
    }

    /// Whether its network's other end runs on its several CPUs: that runs where tare does.
    fn is_beside_peer(&self) -> bool {
        allowed_cpus().iter().all(|cpu| self.several.contains(cpu))
    }

    /// Time that the layer has measured so far.
    pub(crate) fn busy(&self) -> Duration {
        self.busy
    }

    /// The share of the `active` time, in which the probe measured, that the layer lacked a CPU: its threads waited for one, and it did
    /// not use all it may.
    ///
    /// Each condition alone means nothing. A thread of a runtime waits while the layer's own program has the CPU, and a program that
    /// sleeps uses none. What a layer waited when it was woken for its turn, before the probe had read the request, is in no sample.
    ///
    /// Of several CPUs it lacked no more than `others` had of them.
    fn lacked(
        &self,
        used: Duration,
        delay: Duration,
        active: Duration,
        others: Option<Duration>,
    ) -> f64 {
        let outside = self.busy.saturating_sub(active);
        let waited = delay.saturating_sub(outside);
        let unused = (active * self.cpus as u32).saturating_sub(used);
        let lacked = waited.min(unused).min(others.unwrap_or(Duration::MAX));
        let share = lacked.as_secs_f64() / active.as_secs_f64().max(1e-9);
        share.min(1.0)
    }

    /// What is recorded of an answer, from what the layer's processes have used until `now`.
    pub(crate) fn recorded(
        self,
        name: &str,
        answer: Answer,
        booted: &Booted,
        now: &Processes,
    ) -> Recorded {
        let since = |before: Option<Duration>, now: Option<Duration>| {
            before.zip(now).map(|(before, after)| after.saturating_sub(before))
        };
        let session = &booted.session;
        match answer {
            Answer::Series(mut series, took) => {
                let took = took.unwrap_or_default();
                let waited = took.saturating_sub(self.busy);
                let busy_s = (took - waited).as_secs_f64().max(1e-9);
                let cpus = |used: Duration| used.as_secs_f64() / busy_s;
                let used = since(self.cpu, session.cpu_time(now));
                let delay = since(self.delay, self.delay.and_then(|_| session.run_delay(now)));
                let active = take_active(&mut series.counters).unwrap_or(self.busy).min(self.busy);
                let own = if self.shares_kernel { own_cpu(&series.counters) } else { 0.0 };
                let used_by_peer = since(self.peer, session.peer_cpu_time());
                // The other end of its network is no neighbour, also where it has the same CPUs.
                let beside = used_by_peer.filter(|_| self.is_beside_peer()).unwrap_or_default();
                let lacked = used.zip(delay).map(|(used, delay)| {
                    let others = self.of_cpus.map(|all| all.saturating_sub(used + beside));
                    self.lacked(used.max(active.mul_f64(own)), delay, active, others)
                });
                let cpu_peer = used_by_peer.map(cpus).filter(|cpus| *cpus > 0.0);
                let gigabytes = gigabytes(&series.counters);
                let memory = self.memory.map(|most| most.max(session.footprint().unwrap_or(0)));
                let counted = [
                    memory.map(|bytes| Counter::new(HOST_MEMORY, bytes as f64)),
                    cpu_peer.map(|cpus| Counter::new("cpu_peer", cpus)),
                    session.wire().map(|wire| Counter::new(WIRE, wire.as_nanos() as f64)),
                    used.map(|used| Counter::new(CPU_HOST, cpus(used))),
                    lacked.map(|lacked| Counter::new(CPU_WAITED, lacked)),
                    used.zip(gigabytes).and_then(|(used, gigabytes)| per_gigabyte(used, gigabytes)),
                    self.disks
                        .zip(gigabytes)
                        .and_then(|(moved, gigabytes)| by_disks(moved, gigabytes)),
                ];
                series.counters.extend(counted.into_iter().flatten());
                Recorded {
                    benchmark: name.to_owned(),
                    outcome: Outcome::Measured,
                    why: None,
                    series,
                    host_ns: took.as_nanos() as u64,
                    waited_ns: waited.as_nanos() as u64,
                }
            }
            Answer::Unavailable(why) => Recorded::without_samples(name, Outcome::Unavailable, &why),
            Answer::Failed(why) => Recorded::without_samples(name, Outcome::Failed, &why),
        }
    }
}

/// CPUs that the probe and its children used, by its own account: the host sees the time of children that have ended in ticks of 10 ms.
fn own_cpu(counters: &[Counter]) -> f64 {
    let own = counters.iter().filter(|counter| [CPU_USER, CPU_SYSTEM].contains(&&*counter.name));
    let cpus: f64 = own.map(|counter| counter.value).sum();
    if cpus.is_finite() { cpus.clamp(0.0, 1e3) } else { 0.0 }
}

/// Takes from `counters` how long the probe measured, without the waits between its turns.
fn take_active(counters: &mut Vec<Counter>) -> Option<Duration> {
    let at = counters.iter().position(|counter| counter.name == ACTIVE_NS)?;
    let active = counters.remove(at).value;
    Duration::try_from_secs_f64(active / 1e9).ok()
}

/// Gigabytes (10^9 bytes) that the probe says it has moved.
fn gigabytes(counters: &[Counter]) -> Option<f64> {
    Some(counters.iter().find(|counter| counter.name == "bytes")?.value / 1e9)
}

/// CPU seconds of the host for each gigabyte; nothing where none was moved.
fn per_gigabyte(used: Duration, gigabytes: f64) -> Option<Counter> {
    let seconds = used.as_secs_f64() / gigabytes;
    seconds.is_finite().then(|| Counter::new("cpu_host_s_per_gb", seconds))
}

/// What the host's disks have moved of what a benchmark of the disk has; nothing where it moved none.
fn by_disks(moved: u64, gigabytes: f64) -> Option<Counter> {
    let share = moved as f64 / 1e9 / gigabytes;
    share.is_finite().then(|| Counter::new(DISK_BYTES, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_lacked_a_cpu_only_while_it_waited_and_used_less_than_it_may() {
        let ms = Duration::from_millis;
        let busy = ms(30);
        let meter = Meter {
            cpus: 1,
            shares_kernel: true,
            cpu: None,
            delay: None,
            several: Vec::new(),
            of_cpus: None,
            peer: None,
            disks: None,
            memory: None,
            busy,
        };
        let lacked = |used, delay| meter.lacked(ms(used), ms(delay), ms(20), None);
        assert_eq!(lacked(20, 20), 0.0, "threads of its own waited for each other");
        assert_eq!(lacked(2, 0), 0.0, "it slept");
        assert_eq!(lacked(20, 10), 0.0, "it waited before the probe began");
        assert_eq!(lacked(10, 20), 0.5, "others had the CPU");
        assert_eq!(lacked(0, 90), 1.0, "many threads of it waited");
        let others = |had| meter.lacked(ms(10), ms(20), ms(20), Some(ms(had)));
        assert_eq!(others(0), 0.0, "its threads waited for each other beside an idle CPU");
        assert_eq!(others(2), 0.1);
    }
}

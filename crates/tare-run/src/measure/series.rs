//! One benchmark on one booted layer: what is asked, and what is recorded of the answer.

use super::booting::Booted;
use super::held::most;
use crate::decide::samples::Samples;
use crate::host::cpus::allowed_cpus;
use crate::host::disks;
use crate::host::machine::Since;
use crate::host::ticks::busy_time;
use crate::plan::host_benches::HOST_BENCHES;
use crate::record::recorder::Recorder;
use std::time::{Duration, Instant};
use tare_layers::{Answer, Processes, SessionError};
use tare_proto::counter::{
    ACTIVE_NS, CPU_HOST, CPU_SYSTEM, CPU_USER, CPU_WAITED, DISK_BYTES, HOST_MEMORY,
};
use tare_proto::{Counter, Request};
use tare_stats::Estimator;
use tare_store::{Outcome, Recorded, WIRE};

/// The largest number of series that are combined into one when the estimator asks for a narrow interval.
const MOST_SERIES: u32 = 10;

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
        let of_cpus = || self.of_cpus.and_then(|_| busy_time(&self.several));
        let before = (moved(), of_cpus());
        let begin = Instant::now();
        let done = work();
        self.busy += begin.elapsed();
        let after = (moved(), of_cpus());
        let more = before.0.zip(after.0).map(|(before, after)| after.saturating_sub(before));
        self.disks = self.disks.zip(more).map(|(sum, more)| sum + more);
        let more = before.1.zip(after.1).map(|(before, after)| after.saturating_sub(before));
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
                let memory = self.memory.max(self.memory.and_then(|_| session.footprint()));
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

/// How long a series of all samples at once lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// As the plan says.
    Usual,
    /// Batches of a millisecond: the baseline's beside a sustained series, which has one mode and no quota, but ticks and bursts.
    Beside,
    /// Batches of 10 ms: 30 of them meet three periods of the usual quota of CPU time (100 ms), and both modes of gVisor's systrap,
    /// which begins with the slow one and looks every few milliseconds for whether the fast one pays.
    Sustained,
}

impl Length {
    /// The same request, for a series of this length.
    fn of(self, request: Request) -> Request {
        let (batch_ms, limit_ms) = match self {
            Length::Usual => return request,
            Length::Beside => (1, 200),
            Length::Sustained => (10, 1000),
        };
        let batch_ns = request.batch_ns.max(batch_ms * 1_000_000);
        Request { batch_ns, limit_ms: request.limit_ms.max(limit_ms), ..request }
    }
}

/// Measures a benchmark on a booted layer: all samples at once.
pub(crate) fn measure(
    recorder: &mut Recorder,
    booted: &mut Booted,
    bench: usize,
    samples: &Samples,
    length: Length,
) -> Result<Recorded, SessionError> {
    let setup = recorder.setup;
    let id = booted.next_id();
    if let Some(known) = known(recorder, booted, bench) {
        return Ok(known);
    }
    let request = length.of(setup.request(id, bench, samples.get(&bench).copied()));
    let held = match setup.wants(bench, HOST_MEMORY) {
        true => held_in_one_more_run(recorder, booted, &request)?,
        false => None,
    };
    let mut recorded = ask(recorder, booted, &request, held)?;
    // "Until the interval is within p%" asks again; the other estimators are content at once.
    let estimator = setup.benches[bench].estimator.parse().ok();
    let until = estimator.filter(|estimator| matches!(estimator, Estimator::MeanUntil { .. }));
    let Some(estimator) = until.filter(|_| request.program.is_none()) else { return Ok(recorded) };
    for _ in 1..if booted.session.scripted() { 1 } else { MOST_SERIES } {
        let samples = &recorded.series.samples;
        if samples.is_empty() || estimator.satisfied(samples) {
            break;
        }
        let again = ask(recorder, booted, &request, None)?;
        recorded.series.samples.extend(again.series.samples);
        recorded.series.elapsed_ns += again.series.elapsed_ns;
        recorded.host_ns += again.host_ns;
    }
    Ok(recorded)
}

/// Answers that need no probe: what only the host can measure, and benchmarks that have ended this layer before.
pub(crate) fn known(recorder: &Recorder, booted: &Booted, bench: usize) -> Option<Recorded> {
    let name = &recorder.setup.benches[bench].name;
    if recorder.history.fatal.contains(&(booted.slot.layer, bench)) {
        let why = "not tried again: it ended the layer twice in an earlier block";
        return Some(Recorded::without_samples(name, Outcome::Failed, why));
    }
    let host = HOST_BENCHES.iter().find(|host| host.name == name)?;
    Some(match (host.measure)(&booted.session, booted.start_ns) {
        Ok(value) => Recorded::by_host(name, vec![value]),
        Err(why) => Recorded::without_samples(name, Outcome::Unavailable, &why),
    })
}

/// What the layer holds at most in a run that does not count: looking disturbs those that do.
fn held_in_one_more_run(
    recorder: &mut Recorder,
    booted: &mut Booted,
    request: &Request,
) -> Result<Option<u64>, SessionError> {
    let request = Request { id: booted.next_id(), samples: 1, events: false, ..request.clone() };
    let within = recorder.setup.within(&request);
    let (answer, held) =
        most(booted.session.footprint_later(), || booted.session.measure(&request, within));
    answer.map(|_| held)
}

/// Asks the probe once, of a layer that has `held` so many bytes of memory.
fn ask(
    recorder: &mut Recorder,
    booted: &mut Booted,
    request: &Request,
    held: Option<u64>,
) -> Result<Recorded, SessionError> {
    let within = recorder.setup.within(request);
    let mut meter = Meter::begin(booted, &request.bench, &Processes::now());
    meter.held(held);
    let since = Since::now();
    let answer = meter.turn(|| booted.session.measure(request, within))?;
    recorder.own.add(&since);
    booted.busy += meter.busy();
    Ok(meter.recorded(&request.bench, answer, booted, &Processes::now()))
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

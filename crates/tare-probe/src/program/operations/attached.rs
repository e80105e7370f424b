//! `tare-probe count PID MS`: what a process that runs already, its threads and its children do. It is watched for that long
//! without a tracer, for its time, and then traced for as long, for its calls. At the end, and also when this program is
//! killed, it runs on as before.

use super::census::{Used, family};
use super::tracer::{Looks, Tracer};
use crate::clock::now_ns;
use crate::program::{proc, transfers};
use crate::signals::Handler;
use crate::sys::check;
use std::io;
use std::ptr;
use std::thread;
use std::time::Duration;
use tare_proto::{Counter, OPERATION_COUNTER, counter};

/// Between two looks at the clock, while nothing stops.
const TICK: libc::suseconds_t = 20_000;

/// Time for all threads to be let go.
const LET_GO_NS: u64 = 5_000_000_000;

/// A program whose own code ran slower than this while it was traced would have made more calls without a tracer.
const SLOWED: f64 = 1.25;

/// Less time in its own code says nothing about that.
const LEAST_S: f64 = 0.05;

/// Prints what process `pid` does in `ms` milliseconds, as counters in JSON.
pub fn main(pid: &str, ms: &str) -> i32 {
    let counted = match (pid.parse(), ms.parse()) {
        (Ok(pid), Ok(ms)) => count(pid, Duration::from_millis(ms)),
        _ => Err(io::Error::other(format!("{pid} is no process id, or {ms} no time"))),
    };
    match counted {
        Ok(counters) => {
            println!("{}", serde_json::json!(counters));
            0
        }
        Err(why) => {
            eprintln!("{why}");
            1
        }
    }
}

fn count(pid: libc::pid_t, time: Duration) -> io::Result<Vec<Counter>> {
    // SAFETY: prctl with this option takes a number: whoever has started this takes it with it.
    check("prctl", unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    let before = Used::of(pid)?;
    let begin = now_ns();
    thread::sleep(time);
    let used = Used::of(pid)?.since(&before);
    let watched = now_ns() - begin;
    if used.user + used.system <= 0.0 {
        return Err(io::Error::other(format!(
            "process {pid} has used no CPU time within {time:?}"
        )));
    }
    let mut tracer = Tracer::new(Looks::All);
    attach(pid, &mut tracer)?;
    let before = Used::of(pid)?;
    let begin = now_ns();
    let ticks = Ticks::begin()?;
    let end = begin + time.as_nanos() as u64;
    while now_ns() < end && !tracer.seen.is_empty() && tracer.seen.refused.is_none() {
        tracer.step(drop)?;
    }
    let after = Used::of(pid);
    let traced = now_ns() - begin;
    let counters = tracer.seen.counters(1.0);
    let refused = tracer.seen.refused.take();
    let late = now_ns() + LET_GO_NS;
    if !tracer.let_go(|| now_ns() >= late) {
        eprintln!(
            "process {pid} has threads that did not stop within 5 s; the kernel lets them go"
        );
    }
    drop(ticks);
    if let Some(why) = refused {
        return Err(io::Error::other(format!("process {pid}: {why}")));
    }
    let disturbed = after?.since(&before);
    let slowed = (used.user / watched as f64) / (disturbed.user / traced as f64);
    let known = used.user >= LEAST_S && slowed.is_finite() && slowed > SLOWED;
    let slowed = if known { slowed } else { 1.0 };
    let scale = slowed * watched as f64 / traced as f64;
    let scaled = counters.into_iter().map(|count| Counter::new(&count.name, scale * count.value));
    let mut counters: Vec<Counter> = scaled.collect();
    if let Some((disturbed, free)) = disturbed.transfers.zip(used.transfers) {
        transfers::correct(&mut counters, scale * disturbed, free);
    }
    counters.push(Counter::new(&format!("{OPERATION_COUNTER}switch"), used.all_switches()));
    counters.push(Counter::new(counter::RUN_USER, used.user));
    counters.push(Counter::new(counter::RUN_SYSTEM, used.system));
    counters.push(Counter::new(counter::COUNTING_SLOWDOWN, slowed));
    Ok(counters)
}

/// Traces every thread of the family of `pid`, and what they start from here on.
fn attach(pid: libc::pid_t, tracer: &mut Tracer) -> io::Result<()> {
    loop {
        let all = family(pid).into_iter().flat_map(proc::threads);
        let new: Vec<_> = all.filter(|tid| !tracer.seen.knows(*tid) && runs(*tid)).collect();
        if new.is_empty() {
            return Ok(());
        }
        for tid in new {
            match tracer.attach(tid) {
                Ok(()) => {}
                // It has ended meanwhile, or was started by one that is traced.
                Err(why) if why.raw_os_error() == Some(libc::ESRCH) => {}
                Err(_) if tracer_of(tid) == std::process::id() => tracer.seen.runs(tid),
                Err(why) => return Err(io::Error::new(why.kind(), not_traced(tid, &why))),
            }
        }
    }
}

/// Whether `tid` has not ended, as one has that its parent has not waited for yet.
fn runs(tid: libc::pid_t) -> bool {
    proc::status(tid, "State:").is_some_and(|state| !state.starts_with(['Z', 'X']))
}

/// Who traces `tid`; 0 for nobody.
fn tracer_of(tid: libc::pid_t) -> u32 {
    proc::status(tid, "TracerPid:").and_then(|pid| pid.parse().ok()).unwrap_or(0)
}

fn not_traced(tid: libc::pid_t, why: &io::Error) -> String {
    let reason: String = match tracer_of(tid) {
        0 => "tracing it needs root (or its owner, where /proc/sys/kernel/yama/ptrace_scope is 0)"
            .into(),
        other => format!("process {other} traces it already"),
    };
    format!("process {tid} cannot be counted: {why}: {reason}")
}

/// Waits are interrupted now and then, so that the clock is looked at, for as long as this is there.
struct Ticks {
    _handler: Handler,
}

impl Ticks {
    fn begin() -> io::Result<Ticks> {
        let handler = Handler::install(libc::SIGALRM, nothing)?;
        every(TICK)?;
        Ok(Ticks { _handler: handler })
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        let _ = every(0); // which is never refused
    }
}

extern "C" fn nothing(_: libc::c_int) {}

/// A signal after every so many microseconds; none after 0.
fn every(us: libc::suseconds_t) -> io::Result<()> {
    let tick = libc::timeval { tv_sec: 0, tv_usec: us };
    let timer = libc::itimerval { it_interval: tick, it_value: tick };
    // SAFETY: the timer is valid for the call; the former one is not asked for.
    let set = unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, ptr::null_mut()) };
    check("setitimer", set).map(drop)
}

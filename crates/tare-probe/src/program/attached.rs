//! `tare-probe count PID MS`: what a process that runs already, its threads and its children do. It is watched for that long
//! without a tracer, for its time, and then traced for as long, for its calls. At the end, and also when this program is
//! killed, it runs on as before.

use super::OF_32_BITS;
use super::call::Call;
use super::census::{Used, family, threads};
use super::filter::is_own;
use super::seen::Seen;
use super::stopped::{CALL, STOPPED, TOLD, asked, child_of_event, info, next_stop, request};
use super::task::{Begun, line};
use super::transfers;
use crate::clock::now_ns;
use crate::signals::Handler;
use crate::sys::check;
use std::collections::HashSet;
use std::io;
use std::ptr;
use std::thread;
use std::time::Duration;
use tare_proto::{Counter, OPERATION_COUNTER};

/// Between two looks at the clock, while nothing stops.
const TICK: libc::suseconds_t = 20_000;

/// Time for all threads to be let go.
const LEAVE_NS: u64 = 5_000_000_000;

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
    let (before, begin) = (Used::of(pid)?, now_ns());
    thread::sleep(time);
    let (used, watched) = (Used::of(pid)?.since(&before), now_ns() - begin);
    if used.user + used.system <= 0.0 {
        return Err(io::Error::other(format!(
            "process {pid} has used no CPU time within {time:?}"
        )));
    }
    let mut seen = Seen::default();
    attach(pid, &mut seen)?;
    let (before, begin) = (Used::of(pid)?, now_ns());
    follow(&mut seen, time)?;
    let (after, traced) = (Used::of(pid), now_ns() - begin);
    let counters = seen.counters(1.0);
    if !leave(&seen) {
        eprintln!(
            "process {pid} has threads that did not stop within 5 s; the kernel lets them go"
        );
    }
    if let Some(why) = seen.refused.take() {
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
    counters.push(Counter::new("run_user_s", used.user));
    counters.push(Counter::new("run_system_s", used.system));
    counters.push(Counter::new(super::COUNTING, slowed));
    Ok(counters)
}

/// Traces every thread of the family of `pid`, and what they start from here on.
fn attach(pid: libc::pid_t, seen: &mut Seen) -> io::Result<()> {
    loop {
        let all = family(pid).into_iter().flat_map(threads);
        let new: Vec<_> = all.filter(|tid| !seen.knows(*tid) && runs(*tid)).collect();
        if new.is_empty() {
            return Ok(());
        }
        for tid in new {
            match asked(libc::PTRACE_SEIZE, tid, TOLD as usize) {
                Ok(()) => request(libc::PTRACE_INTERRUPT, tid, 0),
                // It has ended meanwhile, or was started by one that is traced.
                Err(why) if why.raw_os_error() == Some(libc::ESRCH) => continue,
                Err(_) if tracer(tid) == std::process::id() => {}
                Err(why) => return Err(io::Error::new(why.kind(), not_traced(tid, &why))),
            }
            seen.runs(tid);
        }
    }
}

/// Whether `tid` has not ended, as one has that its parent has not waited for yet.
fn runs(tid: libc::pid_t) -> bool {
    let state = line(tid, "State:");
    state.is_some_and(|state| !state.trim_start().starts_with(['Z', 'X']))
}

/// Who traces `tid`; 0 for nobody.
fn tracer(tid: libc::pid_t) -> u32 {
    line(tid, "TracerPid:").and_then(|pid| pid.trim().parse().ok()).unwrap_or(0)
}

/// Why `tid` cannot be traced.
fn not_traced(tid: libc::pid_t, why: &io::Error) -> String {
    let reason: String = match tracer(tid) {
        0 => "tracing it needs root (or its owner, where /proc/sys/kernel/yama/ptrace_scope is 0)"
            .into(),
        other => format!("process {other} traces it already"),
    };
    format!("process {tid} cannot be counted: {why}: {reason}")
}

/// Counts for as long as `time`, or until all threads have ended or something cannot be counted.
fn follow(seen: &mut Seen, time: Duration) -> io::Result<()> {
    let _ticks = ticks()?;
    let end = now_ns() + time.as_nanos() as u64;
    while now_ns() < end && !seen.is_empty() && seen.refused.is_none() {
        match next_stop(drop) {
            Ok((tid, status)) if libc::WIFSTOPPED(status) => stopped(seen, tid, status),
            Ok((tid, _)) => seen.ends(tid),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

/// What `tid` has stopped for, and on it goes.
fn stopped(seen: &mut Seen, tid: libc::pid_t, status: i32) {
    let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
    let mut deliver = 0;
    if !seen.knows(tid) {
        seen.begins(tid, Begun::Other);
    } else if event == STOPPED {
        // Attached, or stopped by a signal: it stays so until another one goes on with it.
        if signal != libc::SIGTRAP {
            return request(libc::PTRACE_LISTEN, tid, 0);
        }
    } else if event != 0 {
        seen.event(tid, event);
    } else if signal == libc::SIGTRAP | CALL {
        at_call(seen, tid);
    } else {
        seen.signal(tid, signal);
        deliver = signal;
    }
    request(libc::PTRACE_SYSCALL, tid, deliver as usize);
}

/// The begin or the end of a call.
fn at_call(seen: &mut Seen, tid: libc::pid_t) {
    let Some(info) = info(tid) else { return };
    if info.op == libc::PTRACE_SYSCALL_INFO_EXIT {
        // SAFETY: the kernel has filled this member, as the kind of stop says.
        return seen.left(tid, unsafe { info.u.exit }.sval);
    }
    if info.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
        return;
    }
    // SAFETY: as above.
    let begun = unsafe { info.u.entry };
    match is_own(info.arch, begun.nr) {
        true => seen.entered(tid, Call { number: begun.nr, args: begun.args }),
        false => seen.refuse(OF_32_BITS),
    }
}

/// Lets every thread go where it stops next; false if one does not stop in time, which the kernel lets go when this program ends.
fn leave(seen: &Seen) -> bool {
    let Ok(_ticks) = ticks() else { return false };
    let mut left: HashSet<libc::pid_t> = seen.threads().into_iter().collect();
    let mut gone = HashSet::new();
    left.iter().for_each(|tid| request(libc::PTRACE_INTERRUPT, *tid, 0));
    let end = now_ns() + LEAVE_NS;
    while now_ns() < end && !left.is_empty() {
        match next_stop(drop) {
            Ok((tid, status)) if libc::WIFSTOPPED(status) => {
                let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
                if STARTS.contains(&event) {
                    left.extend(child_of_event(tid).filter(|child| !gone.contains(child)));
                }
                let former = child_of_event(tid);
                let own = event == 0 && signal != libc::SIGTRAP | CALL;
                request(libc::PTRACE_DETACH, tid, if own { signal as usize } else { 0 });
                if event == libc::PTRACE_EVENT_EXEC {
                    former.inspect(|former| _ = left.remove(former)); // it has this number now
                }
                left.remove(&tid);
                gone.insert(tid);
            }
            Ok((tid, _)) => {
                left.remove(&tid);
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    left.is_empty()
}

/// Events of something that is started, which is traced, too.
const STARTS: [i32; 3] =
    [libc::PTRACE_EVENT_FORK, libc::PTRACE_EVENT_VFORK, libc::PTRACE_EVENT_CLONE];

/// Waits are interrupted now and then, so that the clock is looked at, for as long as this is there.
struct Ticks {
    _handler: Handler,
}

fn ticks() -> io::Result<Ticks> {
    let handler = Handler::install(libc::SIGALRM, nothing)?;
    every(TICK)?;
    Ok(Ticks { _handler: handler })
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

//! What processes have used of the CPUs, and how often they waited.

use super::files::{self, Stat};
use super::threads;
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use std::fs;
use std::time::Duration;

/// CPU time of `pids`, to the nanosecond, and of their children that have been waited for, to the kernel's ticks of 10 ms. A
/// process that ended meanwhile counts with its parent.
pub fn cpu_time<'a>(pids: impl IntoIterator<Item = &'a u32>) -> Duration {
    let per_second = files::ticks_per_second();
    let used = |pid: &u32| {
        let ticks = Stat::of(*pid)?.ticks_of_children;
        let ended = Duration::from_secs_f64(ticks as f64 / per_second);
        Some(own_time(*pid)? + ended)
    };
    pids.into_iter().filter_map(used).sum()
}

/// CPU time of all threads of `pid`, living or not, by the clock that the kernel keeps for it.
fn own_time(pid: u32) -> Option<Duration> {
    let clock = clock_getcpuclockid(Pid::from_raw(pid.try_into().ok()?)).ok()?;
    Some(clock.now().ok()?.into())
}

/// How long the living threads of `pids` have been ready to run and had no CPU, each counted by itself, to the nanosecond; `None` on a
/// kernel that does not count it (`CONFIG_SCHED_INFO`).
pub fn run_delay<'a>(pids: impl IntoIterator<Item = &'a u32>) -> Option<Duration> {
    let delay = |thread: fs::DirEntry| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
    };
    let delays: Vec<Duration> = pids.into_iter().flat_map(threads).filter_map(delay).collect();
    (!delays.is_empty()).then(|| delays.iter().sum())
}

/// How many living threads `pids` have, and how often these have given up their CPU to wait: each such wait ends with a wakeup.
pub fn threads_and_waits<'a>(pids: impl IntoIterator<Item = &'a u32>) -> (u64, u64) {
    let waits = |thread: fs::DirEntry| {
        let text = fs::read_to_string(thread.path().join("status")).ok()?;
        files::value(&text, "voluntary_ctxt_switches:")?.parse::<u64>().ok()
    };
    let all = pids.into_iter().flat_map(threads).filter_map(waits);
    all.fold((0, 0), |(threads, sum), waits| (threads + 1, sum + waits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Child, Command, Stdio};

    #[test]
    fn cpu_time_is_of_living_processes_and_of_children_that_were_waited_for() {
        let own = || cpu_time([&std::process::id()]);
        let before = own();
        let mut sum = 0u64;
        (0..1_000_000u64).for_each(|at| sum = sum.wrapping_add(std::hint::black_box(at * at)));
        assert!(own() > before && sum > 0, "less than a tick is seen");
        let of_shell = |child: &Child| cpu_time([&child.id()]);
        let script =
            "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'; echo; exec sleep 1000";
        let mut shell = Command::new("sh");
        let mut shell = shell.args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut byte = [0];
        shell.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
        assert!(
            of_shell(&shell) >= Duration::from_millis(20),
            "its child's: {:?}",
            of_shell(&shell)
        );
        shell.kill().and_then(|()| shell.wait()).unwrap();
        assert_eq!(of_shell(&shell), Duration::ZERO);
    }
}

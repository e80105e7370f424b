//! How often threads wait and are woken, counted by the kernel without a record of each.

use crate::refused::{NO_TRACEPOINTS, Refused};
use crate::tracefs::Tracefs;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use tare_proto::perf_event::{PerfEvent, TRACEPOINT, filter};

/// A thread that leaves its CPU in one of these states waits for somebody to wake it or, where it is traced, to continue it: `S`, `D` and `t`. One
/// that lost its CPU, has ended or was stopped by SIGSTOP (`T`), as tare stops layers that are not asked, does not.
const WAITS: &CStr = c"prev_state & 11";

const SWITCH: &str = "sched/sched_switch";

/// Threads that are begun by those that are counted are counted with them (`inherit`).
const INHERITED: u64 = 1 << 1;

/// Counts from its beginning until it is dropped.
pub struct Wakeups {
    /// One of each thread.
    events: Vec<File>,
}

impl Wakeups {
    /// Counts `threads` from here on, and those that they begin. One that has ended meanwhile is left out.
    ///
    /// # Errors
    /// The kernel refuses an event.
    pub fn of(threads: &[u32]) -> Result<Wakeups, Refused> {
        let looked_up = Tracefs::open().and_then(|tracefs| tracefs.tracepoint(SWITCH));
        let switch = looked_up.map_err(Refused::tracefs)?;
        let event = PerfEvent {
            kind: TRACEPOINT,
            event: switch.id,
            flags: INHERITED,
            ..PerfEvent::default()
        };
        let open = |tid: u32| -> io::Result<OwnedFd> {
            let opened = event.open(tid as libc::pid_t, -1, None)?;
            filter(&opened, WAITS)?;
            Ok(opened)
        };
        let mut events = Vec::new();
        for tid in threads {
            match open(*tid) {
                Ok(event) => events.push(event.into()),
                Err(e) if e.raw_os_error() == Some(libc::ESRCH) => {}
                Err(e) => return Err(Refused::event(SWITCH, e)),
            }
        }
        Ok(Wakeups { events })
    }

    /// How many there were so far.
    ///
    /// # Errors
    /// The kernel does not tell.
    pub fn so_far(&self) -> Result<u64, Refused> {
        let count = |mut event: &File| {
            let mut bytes = [0; 8];
            event.read_exact(&mut bytes).map(|()| u64::from_ne_bytes(bytes))
        };
        let unread = |e| Refused::Event(SWITCH.into(), e, NO_TRACEPOINTS);
        self.events.iter().map(count).sum::<io::Result<u64>>().map_err(unread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::process::Command;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn waits_are_counted_also_of_children_and_a_busy_loop_waits_for_nothing() {
        let (tell, told) = channel();
        let (go, gone) = channel::<()>();
        let work = thread::spawn(move || {
            // SAFETY: gettid has no preconditions.
            tell.send(unsafe { libc::gettid() } as u32).unwrap();
            gone.recv().unwrap();
            (0..50).for_each(|_| thread::sleep(Duration::from_micros(100)));
            (0..3_000_000u64).for_each(|at| _ = black_box(at * at));
            let script = "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.001; done";
            assert!(Command::new("sh").args(["-c", script]).status().unwrap().success());
            gone.recv().unwrap();
        });
        let tid = told.recv().unwrap();
        let wakeups = Wakeups::of(&[tid]).unwrap();
        go.send(()).unwrap();
        thread::sleep(Duration::from_millis(5));
        go.send(()).unwrap();
        work.join().unwrap();
        let count = wakeups.so_far().unwrap();
        // 50 naps, 10 of them in children for whom the shell waits, one wait for the shell, and up to 20 of starting programs.
        assert!((70..=120).contains(&count), "{count}");
        assert_eq!(Wakeups::of(&[u32::MAX >> 1]).unwrap().so_far().unwrap(), 0, "has ended");
    }
}

//! The most memory that a layer holds while a program runs in it: looked at from the host, in runs whose time does not count.

use super::booting::Booted;
use crate::record::recorder::Recorder;
use nix::time::ClockId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tare_layers::{Held, Session, SessionError};
use tare_proto::Request;

/// Between two looks at what can be looked at often.
const PAUSE: Duration = Duration::from_millis(2);

/// How many times as long as a look at all memory the pause after it is: more than a part of a CPU would disturb the layer.
const REST: u32 = 4;

/// So long may whoever looks be without a CPU: a program's memory may have come and gone meanwhile.
const MISSED: Duration = Duration::from_millis(250);

/// So often a program runs once more for its memory, where a busy machine kept tare from looking.
const TRIES: usize = 3;

/// What was seen of a layer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The most that it has held, in bytes; `None` where nobody sees that.
    pub most: Option<u64>,
    /// Whoever looked was not kept from it (by a busy machine) for as long as `MISSED`.
    pub is_whole: bool,
}

/// Does `work` with `session` while its memory is looked at.
pub(crate) fn watched<T>(session: &mut Session, work: impl FnOnce(&mut Session) -> T) -> (T, Seen) {
    let memory = session.memory();
    watch(memory, |memory| memory.held(), |memory| memory.in_files(), || work(session))
}

/// What the layer holds at most in a run that does not count: looking disturbs those that do. `None` where nobody sees that, or not
/// without being kept from it.
pub(crate) fn held_in_one_more_run(
    recorder: &Recorder,
    booted: &mut Booted,
    request: &Request,
) -> Result<Option<u64>, SessionError> {
    for _ in 0..TRIES {
        let id = booted.next_id();
        let request = Request { id, turns: false, samples: 1, events: false, ..request.clone() };
        let within = recorder.setup.within(&request);
        let (answer, seen) =
            watched(&mut booted.session, |session| session.measure(&request, within));
        answer?;
        if seen.is_whole {
            return Ok(seen.most);
        }
    }
    Ok(None)
}

/// The same of `memory` as `held` says it and, more often, the part of it in files of memory.
fn watch<M: Send, T>(
    memory: M,
    held: impl Fn(&M) -> Option<Held> + Send,
    in_files: impl Fn(&M) -> u64 + Send,
    work: impl FnOnce() -> T,
) -> (T, Seen) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_over = || over.load(Ordering::Relaxed);
        let looks = scope.spawn(move || {
            let mut seen = Seen { most: None, is_whole: true };
            let mut lacked = Lacked::now();
            while !is_over() {
                let begin = Instant::now();
                let look = held(&memory);
                let pause = PAUSE.max(REST * begin.elapsed());
                seen.most = seen.most.max(look.map(Held::all));
                let end = Instant::now() + pause;
                while !is_over() && Instant::now() < end {
                    thread::sleep(PAUSE);
                    seen.most = seen.most.max(look.map(|look| look.rest + in_files(&memory)));
                    seen.is_whole &= lacked.since_then() < MISSED;
                }
            }
            seen.most = seen.most.max(held(&memory).map(Held::all));
            seen.is_whole &= lacked.since_then() < MISSED;
            seen
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        (done, looks.join().unwrap_or(Seen { most: None, is_whole: true }))
    })
}

/// Time that a thread does not run, which beside its naps is what it lacks.
struct Lacked {
    at: Instant,
    ran: Duration,
}

impl Lacked {
    fn now() -> Lacked {
        let ran = ClockId::CLOCK_THREAD_CPUTIME_ID.now().map_or(Duration::ZERO, Duration::from);
        Lacked { at: Instant::now(), ran }
    }

    /// How much since this was asked last.
    fn since_then(&mut self) -> Duration {
        let now = Lacked::now();
        let ran = now.ran.saturating_sub(self.ran);
        let lacked = now.at.duration_since(self.at).saturating_sub(ran);
        *self = now;
        lacked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn the_most_of_all_looks_is_told_and_nothing_where_nobody_sees() {
        let rest = AtomicU64::new(1);
        let look =
            |rest: &&AtomicU64| Some(Held { rest: rest.load(Ordering::SeqCst), in_files: 0 });
        let work = || {
            rest.store(9, Ordering::SeqCst);
            thread::sleep(100 * PAUSE);
            rest.store(2, Ordering::SeqCst);
            "done"
        };
        let (done, seen) = watch(&rest, look, |_| 0, work);
        assert_eq!((done, seen.most), ("done", Some(9)));
        let ((), seen) = watch((), |()| None, |()| 5, || thread::sleep(5 * PAUSE));
        assert_eq!(seen.most, None);
    }

    #[test]
    fn files_of_memory_are_looked_at_while_a_look_at_all_rests() {
        let (in_files, looks) = (AtomicU64::new(0), AtomicU64::new(0));
        let all = |_: &()| {
            thread::sleep(20 * PAUSE);
            Some(Held { rest: 3, in_files: 0 })
        };
        let often = |_: &()| {
            looks.fetch_add(1, Ordering::SeqCst);
            in_files.load(Ordering::SeqCst)
        };
        let work = || {
            in_files.store(7, Ordering::SeqCst);
            while looks.load(Ordering::SeqCst) == 0 {
                thread::sleep(PAUSE);
            }
        };
        assert_eq!(watch((), all, often, work).1.most, Some(10));
    }

    #[test]
    fn who_is_kept_from_looking_has_not_seen_all() {
        let kept = |_: &()| {
            thread::sleep(MISSED);
            Some(Held { rest: 3, in_files: 0 })
        };
        let seen = Seen { most: Some(3), is_whole: false };
        assert_eq!(watch((), kept, |_| 0, || thread::sleep(PAUSE)), ((), seen));
    }
}

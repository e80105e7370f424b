//! The most memory that a layer holds while a program runs in it: looked at from the host, in runs whose time does not count.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tare_layers::{Held, Session};

/// Between two looks at what can be looked at often.
const PAUSE: Duration = Duration::from_millis(2);

/// How many times as long as a look at all memory the pause after it is: more than a part of a CPU would disturb the layer.
const REST: u32 = 4;

/// Does `work` with `session`, and tells the most memory in bytes that the layer has held meanwhile; `None` where nobody sees that.
pub(crate) fn most_held<T>(
    session: &mut Session,
    work: impl FnOnce(&mut Session) -> T,
) -> (T, Option<u64>) {
    let memory = session.memory();
    most(memory, |memory| memory.held(), |memory| memory.in_files(), || work(session))
}

/// The same of `memory` as `held` says it and, more often, the part of it in files of memory.
fn most<M: Send, T>(
    memory: M,
    held: impl Fn(&M) -> Option<Held> + Send,
    in_files: impl Fn(&M) -> u64 + Send,
    work: impl FnOnce() -> T,
) -> (T, Option<u64>) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_over = || over.load(Ordering::Relaxed);
        let looks = scope.spawn(move || {
            let mut most = None;
            while !is_over() {
                let begin = Instant::now();
                let look = held(&memory);
                let pause = PAUSE.max(REST * begin.elapsed());
                most = most.max(look.map(Held::all));
                let end = Instant::now() + pause;
                while !is_over() && Instant::now() < end {
                    thread::sleep(PAUSE);
                    most = most.max(look.map(|look| look.rest + in_files(&memory)));
                }
            }
            most.max(held(&memory).map(Held::all))
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        (done, looks.join().unwrap_or_default())
    })
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
        assert_eq!(most(&rest, look, |_| 0, work), ("done", Some(9)));
        assert_eq!(most((), |()| None, |()| 5, || thread::sleep(5 * PAUSE)), ((), None));
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
        assert_eq!(most((), all, often, work), ((), Some(10)));
    }
}

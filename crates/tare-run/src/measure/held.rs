//! The most memory that a layer holds while a program runs in it: looked at from the host, in runs whose time does not count.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The least pause between two looks, and how many times as long as a look one is: more than a part of a CPU would disturb the layer.
const PAUSE: Duration = Duration::from_millis(2);
const REST: u32 = 4;

/// Does `work`, and tells the most that `held` said meanwhile, which is asked every few milliseconds by a thread of its own.
pub(crate) fn most<T>(
    held: impl Fn() -> Option<u64> + Send,
    work: impl FnOnce() -> T,
) -> (T, Option<u64>) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_over = &over;
        let looks = scope.spawn(move || {
            let mut most = None;
            while !is_over.load(Ordering::Relaxed) {
                let begin = Instant::now();
                most = most.max(held());
                thread::sleep(PAUSE.max(REST * begin.elapsed()));
            }
            most.max(held())
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
        let held = AtomicU64::new(1);
        let look = || Some(held.load(Ordering::SeqCst));
        let work = || {
            held.store(9, Ordering::SeqCst);
            thread::sleep(100 * PAUSE);
            held.store(2, Ordering::SeqCst);
            "done"
        };
        assert_eq!(most(look, work), ("done", Some(9)));
        assert_eq!(most(|| None, || ()), ((), None));
    }
}

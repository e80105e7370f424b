//! Work that is divided among the CPUs of this host.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many threads work at once: as many as this process may use CPUs.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// What `work` makes of each of `items`, in their order.
pub fn on_all_cpus<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let part = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        // This thread works, too, so that all is done where no other may be started.
        let others = 1..threads().min(items.len());
        let others = others.map_while(|_| thread::Builder::new().spawn_scoped(scope, part).ok());
        let others: Vec<_> = others.collect();
        let own = part();
        let ended =
            others.into_iter().map(|other| other.join().unwrap_or_else(|e| resume_unwind(e)));
        ended.flatten().chain(own).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

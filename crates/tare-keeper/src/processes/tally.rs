//! What `/proc` counts of threads, for those who may not watch them otherwise.

use super::files::{self, Stat};
use std::collections::BTreeMap;
use tare_proto::outside::{ANY, PREEMPTED, Part, Seen, WAITED};

/// The switches and page faults of living threads so far, by the names of their counters. Threads that have ended are missing.
pub(crate) fn tally(threads: &[(u32, Part)]) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    for (tid, part) in threads {
        let mut add = |seen: Seen, kind: &str, count: Option<f64>| {
            *all.entry(seen.counter(*part, kind)).or_default() += count.unwrap_or(0.0);
        };
        let status = files::read(*tid, "status").unwrap_or_default();
        let of = |key: &str| files::value(&status, key)?.parse().ok();
        add(Seen::Switches, WAITED, of("voluntary_ctxt_switches:"));
        add(Seen::Switches, PREEMPTED, of("nonvoluntary_ctxt_switches:"));
        let faults = Stat::of_thread(*tid).map(|stat| stat.minor_faults as f64);
        add(Seen::Faults, ANY, faults);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_waits_and_touches_memory_is_counted() {
        // SAFETY: gettid has no preconditions.
        let own = [(unsafe { libc::gettid() } as u32, Part::Program)];
        let before = tally(&own);
        (0..5).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(1)));
        let touched = std::hint::black_box(vec![1u8; 16 << 20]);
        let after = tally(&own);
        let more = |seen: Seen, kind: &str| {
            let name = seen.counter(Part::Program, kind);
            after[&name] - before[&name]
        };
        assert!(more(Seen::Switches, WAITED) >= 5.0);
        assert!(more(Seen::Faults, ANY) >= 1.0, "{}", touched.len());
    }
}

//! What the processor counts for each part of a layer. Its counters count whatever runs on a CPU. They are read whenever the CPU goes to another
//! thread, and whenever its clock ticks: what was counted since the last reading is of the thread that had the CPU.

use crate::counts::Figures;
use crate::observer::Trace;
use crate::threads::Threads;
use std::collections::HashMap;
use tare_proto::outside::Seen;

/// What was counted of each part in a window. Where others' counters took turns with these, it is as much more as they missed of the time.
#[must_use]
pub fn processor(trace: &Trace, threads: &Threads) -> Figures {
    let mut figures = Figures::new();
    let mut counted_before: HashMap<u32, &[u64]> = HashMap::new();
    for one in &trace.counted {
        let before = counted_before.insert(one.cpu, &one.counts).unwrap_or_default();
        let Some(part) = threads.part(one.tid).filter(|_| one.ran > 0) else { continue };
        let missed = one.enabled as f64 / one.ran as f64;
        for (at, (name, count)) in trace.counters.iter().zip(&one.counts).enumerate() {
            let more = count.saturating_sub(before.get(at).copied().unwrap_or(0));
            *figures.entry(Seen::Processor.counter(part, name)).or_default() +=
                more as f64 * missed;
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::Counter;
    use crate::observer::{Observer, What};
    use crate::record::Counted;
    use nix::unistd::gettid;
    use std::hint::black_box;
    use std::sync::mpsc::channel;
    use std::thread;
    use tare_proto::outside::Part;
    use tare_proto::perf_event::SOFTWARE;

    #[test]
    fn what_is_counted_until_a_reading_is_of_the_thread_that_had_the_cpu() {
        let at = |time, cpu, tid, ran, counts: [u64; 2]| {
            let counts = counts.to_vec();
            Counted { time, cpu, tid, enabled: 100, ran, counts }
        };
        let counted = vec![
            at(10, 0, 10, 100, [5, 50]),
            at(12, 1, 20, 100, [1, 10]),
            at(20, 0, 77, 100, [9, 90]),
            at(30, 0, 10, 100, [10, 100]),
            at(40, 1, 20, 50, [2, 30]),
            at(50, 1, 20, 0, [3, 40]),
        ];
        let trace = Trace { counted, counters: vec!["a", "b"], ..Trace::default() };
        let threads = Threads::new([(10, Part::Program), (20, Part::Kernel)]);
        let expected = [
            (Seen::Processor.counter(Part::Kernel, "a"), 1.0 + 2.0),
            (Seen::Processor.counter(Part::Kernel, "b"), 10.0 + 40.0),
            (Seen::Processor.counter(Part::Program, "a"), 5.0 + 1.0),
            (Seen::Processor.counter(Part::Program, "b"), 50.0 + 10.0),
        ];
        assert_eq!(processor(&trace, &threads), Figures::from(expected));
    }

    /// `PERF_COUNT_SW_PAGE_FAULTS` stands for a processor's counter, since few machines that run tests have one.
    const FAULTS: &[Counter] = &[Counter { name: "faults", kind: SOFTWARE, event: 2 }];

    /// More than any allocator keeps for its next caller.
    const PAGES: usize = 20_000;

    #[test]
    fn page_faults_are_told_by_the_thread_that_had_them() {
        let cpus: Vec<u32> = (0..thread::available_parallelism().unwrap().get() as u32).collect();
        let mut observer = Observer::open(What::Counters(FAULTS), &cpus, 1 << 20).unwrap();
        // SAFETY: no memory is passed.
        assert_eq!(unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) }, 0);
        let (tell, told) = channel();
        let (go, gone) = channel::<()>();
        let faults = thread::spawn(move || {
            tell.send(gettid().as_raw() as u32).unwrap();
            gone.recv().unwrap();
            black_box(vec![1_u8; PAGES << 12]);
        });
        let threads = Threads::new([
            (told.recv().unwrap(), Part::Kernel),
            (gettid().as_raw() as u32, Part::Program),
        ]);
        let (joined, trace) = observer
            .watch(false, || {
                go.send(()).unwrap();
                faults.join()
            })
            .unwrap();
        joined.unwrap();
        let figures = processor(&trace, &threads);
        let of = |part| figures.get(&Seen::Processor.counter(part, "faults")).copied();
        let kernel = of(Part::Kernel).unwrap();
        assert!((PAGES as f64..PAGES as f64 + 100.0).contains(&kernel), "{figures:?}");
        assert!(of(Part::Program).unwrap_or(0.0) < 100.0, "{figures:?}");
    }
}

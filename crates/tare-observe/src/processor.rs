//! What the processor counts for each part of a layer. Its counters count whatever runs on a CPU. They are read whenever the CPU goes to another
//! thread, and whenever its clock ticks: what was counted since the last reading is of the thread that had the CPU.

use crate::counts::Figures;
use crate::observer::Trace;
use crate::threads::Threads;
use std::collections::HashMap;
use tare_proto::outside::{CACHE_MISSES, CYCLES, INSTRUCTIONS, Seen};
use tare_proto::perf_event::HARDWARE;

/// Something that a perf event counts, by the kernel's numbers (`linux/perf_event.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// Its name in figures.
    pub name: &'static str,
    /// The kind of event.
    pub kind: u32,
    /// Which of that kind.
    pub event: u64,
}

/// What every processor with counters counts, all at the same time: user mode, the kernel and guests together.
pub const PROCESSOR: &[Counter] = &[
    Counter { name: CYCLES, kind: HARDWARE, event: 0 },
    Counter { name: INSTRUCTIONS, kind: HARDWARE, event: 1 },
    Counter { name: CACHE_MISSES, kind: HARDWARE, event: 3 },
];

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
    use crate::observer::{Observer, What};
    use crate::record::Counted;
    use nix::unistd::gettid;
    use std::ptr;
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

    /// Makes a page fault for each of so many pages.
    fn touch(pages: usize) {
        let length = pages << 12;
        // SAFETY: memory of this function's own, which is written to inside its bounds, and given back.
        unsafe {
            let (access, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let memory = libc::mmap(ptr::null_mut(), length, access, kind, -1, 0);
            assert_ne!(memory, libc::MAP_FAILED);
            assert_eq!(libc::madvise(memory, length, libc::MADV_NOHUGEPAGE), 0);
            let first = memory.cast::<u8>();
            (0..pages).for_each(|page| first.add(page << 12).write_volatile(1));
            assert_eq!(libc::munmap(memory, length), 0);
        }
    }

    #[test]
    fn page_faults_are_told_by_the_thread_that_had_them() {
        let cpus: Vec<u32> = (0..thread::available_parallelism().unwrap().get() as u32).collect();
        let mut observer = Observer::open(What::Counters(FAULTS), &cpus, 1 << 20).unwrap();
        const PAGES: usize = 3000;
        let (tell, told) = channel();
        let (go, gone) = channel::<()>();
        let faults = thread::spawn(move || {
            tell.send(gettid().as_raw() as u32).unwrap();
            gone.recv().unwrap();
            touch(PAGES);
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

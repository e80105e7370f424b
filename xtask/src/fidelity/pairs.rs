//! The pairs: a benchmark of the probe and the program that it corresponds to.

pub struct Pair {
    /// The row's name, with its load.
    pub bench: &'static str,
    pub original: Original,
}

#[derive(Clone, Copy)]
pub enum Original {
    /// A packaged program: its words, where its result is, and what makes that the probe's unit.
    Command {
        /// Program and arguments, one space between.
        words: &'static str,
        read: fn(&str) -> Option<f64>,
        scale: f64,
    },
    /// A plain C loop, compiled with `gcc -O3`.
    Stream {
        /// A number in [`STREAM`].
        kernel: u32,
        loops: &'static str,
    },
}

impl Original {
    pub fn words(&self) -> &'static str {
        match self {
            Original::Command { words, .. } => words,
            Original::Stream { loops, .. } => loops,
        }
    }
}

const fn pair(
    bench: &'static str,
    words: &'static str,
    scale: f64,
    read: fn(&str) -> Option<f64>,
) -> Pair {
    Pair { bench, original: Original::Command { words, read, scale } }
}

const fn stream(bench: &'static str, kernel: u32, loops: &'static str) -> Pair {
    Pair { bench, original: Original::Stream { kernel, loops } }
}

/// A row beside fio: its job, and the field of its terse output that is the result, times `scale`.
macro_rules! fio {
    ($bench:literal, $job:literal, $scale:literal, $field:literal) => {
        pair(
            $bench,
            concat!(
                "fio --name=pair --filename=target/fidelity/disk --direct=1 --ioengine=io_uring ",
                "--runtime=1 --time_based --minimal ",
                $job
            ),
            $scale,
            |text| terse(text, $field),
        )
    };
}

const MIB: f64 = 1_048_576.0;

pub const PAIRS: &[Pair] = &[
    stream("stream/copy", 0, "gcc -O3: c[i] = a[i]"),
    stream("stream/scale", 1, "gcc -O3: b[i] = 3 * c[i]"),
    stream("stream/add", 2, "gcc -O3: c[i] = a[i] + b[i]"),
    stream("stream/triad", 3, "gcc -O3: a[i] = b[i] + 3 * c[i]"),
    pair("hackbench/process_pipe@10", "hackbench -g 10 -p", 1e9, |text| after(text, "Time:")),
    pair("hackbench/process_socket@10", "hackbench -g 10", 1e9, |text| after(text, "Time:")),
    pair("hackbench/thread_pipe@10", "hackbench -g 10 -T -p", 1e9, |text| after(text, "Time:")),
    pair("hackbench/thread_socket@10", "hackbench -g 10 -T", 1e9, |text| after(text, "Time:")),
    pair("hackbench/thread_pipe@10", "perf bench sched messaging -g 10 -p -t", 1e9, |text| {
        after(text, "Total time:")
    }),
    pair("unixbench/context1", "perf bench sched pipe -l 50000", 1e6, |text| {
        before(text, "usecs/op").map(f64::recip)
    }),
    pair("lmbench/null_call", "perf bench syscall basic -l 2000000", 1e3, |text| {
        before(text, "usecs/op")
    }),
    pair("sysbench/cpu", "sysbench cpu --time=0 --events=500 run", 1.0, |text| {
        after(text, "events per second:")
    }),
    pair(
        "sysbench/memory_read",
        "sysbench memory --memory-block-size=1K --memory-total-size=4G --memory-oper=read --time=0 run",
        MIB,
        |text| before(text, "MiB/sec)"),
    ),
    pair(
        "sysbench/memory_write",
        "sysbench memory --memory-block-size=1K --memory-total-size=4G --memory-oper=write --time=0 run",
        MIB,
        |text| before(text, "MiB/sec)"),
    ),
    pair(
        "sysbench/threads",
        "sysbench threads --threads=1 --time=0 --events=4000 run",
        1.0,
        |text| Some(after(text, "total number of events:")? / after(text, "total time:")?),
    ),
    pair(
        "sysbench/threads@2",
        "sysbench threads --threads=2 --time=0 --events=4000 run",
        1.0,
        |text| Some(after(text, "total number of events:")? / after(text, "total time:")?),
    ),
    pair(
        "sysbench/mutex",
        "sysbench mutex --threads=1 --mutex-locks=50000 run",
        50_000.0,
        |text| after(text, "total time:").map(f64::recip),
    ),
    fio!("disk/read_64k", "--rw=read --bs=64k --iodepth=1", 1024.0, 6),
    fio!("disk/read_64k@16", "--rw=read --bs=64k --iodepth=16", 1024.0, 6),
    fio!("disk/write_64k", "--rw=write --bs=64k --iodepth=1", 1024.0, 47),
    fio!("disk/write_64k@16", "--rw=write --bs=64k --iodepth=16", 1024.0, 47),
    fio!("disk/randread_4k", "--rw=randread --bs=4k --iodepth=1", 1.0, 7),
    fio!("disk/randread_4k@16", "--rw=randread --bs=4k --iodepth=16", 1.0, 7),
    fio!("disk/randwrite_4k", "--rw=randwrite --bs=4k --iodepth=1", 1.0, 48),
    fio!("disk/randwrite_4k@16", "--rw=randwrite --bs=4k --iodepth=16", 1.0, 48),
    pair("net/lo_stream", "iperf -c 127.0.0.1 -p 21987 -l 8K -w 64K -t 1 -f k", 125.0, |text| {
        before(text, "Kbits/sec")
    }),
];

/// Field `at`, from 0, of fio's terse output.
fn terse(text: &str, at: usize) -> Option<f64> {
    text.split(';').nth(at)?.parse().ok()
}

fn after(text: &str, mark: &str) -> Option<f64> {
    let (_, rest) = text.split_once(mark)?;
    rest.split_whitespace().next()?.trim_end_matches('s').parse().ok()
}

fn before(text: &str, mark: &str) -> Option<f64> {
    let (head, _) = text.split_once(mark)?;
    head.split_whitespace().next_back()?.trim_start_matches('(').parse().ok()
}

/// The plain C loops: ten passes after one, the best rate printed. Arrays hold what the compiler cannot know: one
/// that it knows to be zero is not read at all.
pub const STREAM: &str = r#"
#include <stdio.h>
#include <time.h>
static double a[N], b[N], c[N];
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
int main(int one, char **words) {
    double best = 1e30;
    for (long i = 0; i < N; i++) { a[i] = one; b[i] = 2 * one; c[i] = 3 * one; }
    for (int pass = 0; pass < 11; pass++) {
        double start = now();
        for (long i = 0; i < N; i++) {
            if (KERNEL == 0) c[i] = a[i];
            if (KERNEL == 1) b[i] = 3.0 * c[i];
            if (KERNEL == 2) c[i] = a[i] + b[i];
            if (KERNEL == 3) a[i] = b[i] + 3.0 * c[i];
        }
        double took = now() - start;
        if (pass > 0 && took < best) best = took;
        if (a[pass] + b[pass] + c[pass] < 0) return words[0][0];
    }
    printf("%.0f\n", (KERNEL < 2 ? 2 : 3) * 8.0 * N / best);
    return 0;
}
"#;

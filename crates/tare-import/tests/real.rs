//! Every importer on what the tool really printed.

mod common;

use common::{assert_figure, output, outputs, read, values};

/// File, format, how many figures, and one of them with its value in the store's unit.
const EXPECTED: &[(&str, &str, usize, &str, f64)] = &[
    ("dbench.txt", "dbench", 17, "dbench/throughput_1_clients", 83.8087e6),
    ("fio.json", "fio", 8, "fio-iops/randread_read_iops", 9185.185185),
    ("hackbench-1.txt", "hackbench", 1, "hackbench/process_80_tasks", 0.1e9),
    ("iperf3.json", "iperf3", 5, "iperf3/tcp_1_streams_received", 9035328404.162794 / 8.0),
    ("perf-bench.txt", "perf-bench", 3, "perf-bench/syscall-basic", 348.9),
    ("perf-stat.csv", "perf-stat", 3, "perf-stat/page-faults", 75.0),
    ("perf-stat.json", "perf-stat", 3, "perf-stat/task-clock", 793104.0),
    ("stress-ng.yaml", "stress-ng", 2, "stress-ng/pipe", 368498.646974),
    ("stress-ng.txt", "stress-ng", 2, "stress-ng/pipe", 368498.65),
    ("sysbench-cpu.txt", "sysbench", 3, "sysbench-cpu/events", 2625.0 / 1.0030),
    ("sysbench-memory.txt", "sysbench", 3, "sysbench-memory/bandwidth", 4054.43 * 1048576.0),
    ("sysbench-fileio.txt", "sysbench", 8, "sysbench-fileio/writes", 2679.55),
    ("sysbench-threads.txt", "sysbench", 3, "sysbench-threads/latency_p95", 3.25e6),
    ("sysbench-mutex.txt", "sysbench", 3, "sysbench-mutex/latency_avg", 1.35e6),
    ("time-bash.txt", "time", 2, "time/real", 0.055e9),
    ("time-posix.txt", "time", 1, "time/real", 0.05e9),
    ("time-gnu.txt", "time", 1, "time/real", 0.05e9),
    ("time-gnu-v.txt", "time", 2, "time-parts/memory", 1624.0 * 1024.0),
    ("stream-pr.txt", "stream", 4, "stream/triad", 39228.5e6),
    ("unixbench-pr.txt", "unixbench", 26, "unixbench-n/system_call_overhead", 504498.4),
];

#[test]
fn outputs_are_recognised_and_read() {
    for (file, format, figures, name, value) in EXPECTED {
        let stem = file.split('.').next().unwrap();
        let (found, parsed) = read(&output(file), stem);
        let names: Vec<_> = parsed.figures.iter().map(|f| (&f.name, f.value)).collect();
        assert_eq!((found, parsed.figures.len()), (*format, *figures), "{file}: {names:?}");
        assert_figure(&parsed, name, *value);
    }
}

#[test]
fn every_committed_output_is_read() {
    for (name, text) in outputs() {
        let (_, parsed) = read(&text, &name);
        assert!(
            parsed.notes.iter().all(|note| !note.contains("not a number")),
            "{name}: {:?}",
            parsed.notes
        );
    }
}

#[test]
fn runs_in_one_file_are_repeats() {
    let (_, parsed) = read(&output("hyperfine.json"), "h");
    assert_eq!(values(&parsed, "hyperfine/sleep_0.01").len(), 5);
    assert_eq!(values(&parsed, "hyperfine/sleep_0.02")[4], 0.021367586 * 1e9);
    let twice = output("sysbench-cpu.txt").repeat(2);
    assert_eq!(values(&read(&twice, "s").1, "sysbench-cpu/events").len(), 2);
}

#[test]
fn unixbench_indices_follow_from_the_results() {
    // The scores as printed: one copy, then as many as there are CPUs.
    let printed = [
        ("unixbench-native-smt8.txt", 1003.9, 4019.7),
        ("unixbench-native.txt", 1088.8, 3908.1),
        ("unixbench-hv.txt", 1094.4, 4881.2),
        ("unixbench-pr.txt", 127.2, 825.4),
    ];
    for (file, one, all) in printed {
        let (_, parsed) = read(&output(file), file);
        // No note: every index is its result's to the digit that the printed result decides.
        assert!(
            parsed.notes.iter().all(|n| n.contains("parallel copies")),
            "{file}: {:?}",
            parsed.notes
        );
        for (suite, score) in [("unixbench-1", one), ("unixbench-n", all)] {
            let own = values(&parsed, &format!("{suite}-index/score"))[0];
            assert!((own - score).abs() < 0.06, "{file}, {suite}: {own} is not {score}");
        }
    }
}

#[test]
fn a_wrong_unixbench_index_is_told() {
    let wrong = output("unixbench-pr.txt").replace("  35.3\n", "  36.3\n");
    let (_, parsed) = read(&wrong, "u");
    assert!(
        parsed.notes.iter().any(|n| n.contains("printed index 36.3, its result gives 35.3")),
        "{:?}",
        parsed.notes
    );
}

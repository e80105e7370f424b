//! Whole outputs of tools that no test can run, in the form that they have, with figures of ours: nothing is missed.

mod common;

use common::{assert_figure, output, read, values};

/// File, format, figures, lines that say nothing, and some figures with their values in the store's units.
type Sample = (&'static str, &'static str, usize, usize, &'static [(&'static str, f64)]);

const SAMPLES: &[Sample] = &[
    // 8 simple and null_io, 8 selects, 8 latencies, 2 of a file, 8 mappings, 8 of files, 3 and 5 of sockets,
    // 2 bandwidths, 14 sections of 15, 6 of 8 context switches, 5 chases of 16.
    (
        "lmbench.txt",
        "lmbench",
        389,
        19,
        &[
            ("lmbench/null_call", 54.2),
            ("lmbench/null_io", 117.8),
            ("lmbench/select_tcp", 2100.0),
            ("lmbench/page_fault", 512.0),
            ("lmbench/file_write_bandwidth", 150_200.0 * 1024.0),
            ("lmbench/mmap_67.108864_mb", 1_216_000.0),
            ("lmbench/create_0k", 12_500.0),
            ("lmbench/delete_10k", 12_500.0),
            ("lmbench/socket_localhost_10.485760_mb", 4015.2e6),
            ("lmbench/memory_partial_read/write_bandwidth_0.000512_mb", 635e6),
            ("lmbench/ctx_16p_64k", 4430.0),
            ("lmbench/mem_latency_stride_16_0.00049_mb", 1.25),
            ("lmbench/mem_random_stride_16_0.00049_mb", 4.25),
        ],
    ),
    // Three runs of two tables; a row with empty columns is left out, and said.
    (
        "lmbench-summary.txt",
        "lmbench-summary",
        80,
        0,
        &[
            ("lmbench/mem_random", 90.1),
            ("lmbench/select_100fd", 1100.0),
            ("lmbench/bw_mem_write", 7100e6),
        ],
    ),
    (
        "netperf.txt",
        "netperf",
        16,
        0,
        &[
            ("netperf/tcp_maerts", 938.56e6 / 8.0),
            ("netperf/tcp_connect/request/response", 9120.75),
            ("netperf/udp_stream_received", 9532.8e6 / 8.0),
        ],
    ),
    ("phoronix.xml", "phoronix", 22, 0, &[]),
    ("google-benchmark.json", "google-benchmark", 36, 0, &[]),
    ("aim7.txt", "aim", 54, 0, &[]),
    (
        "reaim.txt",
        "aim",
        28,
        0,
        &[("aim/load_13_jobs", 5300.0 / 60.0), ("aim-time/load_3_child_sys", 0.9e9)],
    ),
    (
        "kernel-build.txt",
        "kernel-build",
        3,
        0,
        &[("kernel-build/real", 433.634e9), ("kernel-build-parts/user", 5881.12e9)],
    ),
    // Three of cpu, and one each of memory, threads, mutex, fileio and OLTP.
    (
        "sysbench-0.4.txt",
        "sysbench",
        30,
        0,
        &[
            ("sysbench-memory/operations", 2_097_152.0),
            ("sysbench-memory/bandwidth", 2048.0 * 1_048_576.0),
            ("sysbench-threads/events", 2500.0),
            ("sysbench-mutex/latency_avg", 1999.5e6),
            ("sysbench-fileio/requests", 1000.0),
            ("sysbench-oltp/transactions", 512.5),
        ],
    ),
];

#[test]
fn every_figure_of_a_whole_output_is_read() {
    for (file, format, figures, unknown, some) in SAMPLES {
        let stem = file.rsplit_once('.').unwrap().0;
        let (found, parsed) = read(&output(file), stem);
        let names: Vec<_> = parsed.figures.iter().map(|f| (&*f.name, f.value)).collect();
        assert_eq!((found, parsed.figures.len()), (*format, *figures), "{file}: {names:#?}");
        if *unknown > 0 {
            assert_eq!(parsed.unknown, *unknown, "{file}");
        }
        for (name, value) in *some {
            assert_figure(&parsed, name, *value);
        }
    }
}

#[test]
fn repeats_in_a_file_are_runs() {
    let of = |file: &str, name: &str| values(&read(&output(file), "f").1, name);
    assert_eq!(of("lmbench-summary.txt", "lmbench/ctx_2p_0k"), [1200.0, 1210.0, 1220.0]);
    assert_eq!(
        of("netperf.txt", "netperf/tcp_stream"),
        [940.25, 941.25, 942.25].map(|m| m * 1e6 / 8.0)
    );
    assert_eq!(of("netperf.txt", "netperf-cpu/tcp_stream_local_percent"), [40.1, 41.1, 42.1]);
    assert_eq!(of("phoronix.xml", "phoronix/stream_type_triad").len(), 5);
    assert_eq!(
        of("google-benchmark.json", "google-benchmark/bm_stringcopy/512/repeats_3"),
        [21_000.0, 21_125.0, 21_250.0]
    );
    assert_eq!(of("aim7.txt", "aim-time/load_300_real").len(), 2);
    assert_eq!(of("sysbench-0.4.txt", "sysbench-cpu/events").len(), 3);
}

#[test]
fn what_is_left_out_is_said() {
    let (_, parsed) = read(&output("lmbench-summary.txt"), "s");
    assert!(parsed.notes.iter().any(|note| note.contains("empty columns")), "{:?}", parsed.notes);
    let (_, parsed) = read(&output("google-benchmark.json"), "g");
    assert!(
        parsed.notes.iter().any(|note| note.contains("BM_Broken failed: no device")),
        "{:?}",
        parsed.notes
    );
}

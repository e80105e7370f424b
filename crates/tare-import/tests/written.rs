//! Importers of tools that are not packaged, and of older layouts, on short texts in their form.

mod common;

use common::{assert_figure, read, values};
use tare_import::{find, parse, recognise};
use tare_proto::Better;

#[test]
fn lmbench_raw() {
    let text = "[lmbench3.0 results for Linux host]\n\nSimple syscall: 0.1700 microseconds\n\
        Process fork+exit: 137.5 microseconds\nPipe bandwidth: 1000.5 MB/sec\n\n\
        \"size=16k ovr=1.05\n2 2.98\n8 3.31\n\n\"mappings\n1.048576 12\n\n\"stride=128\n0.00049 1.25\n";
    let (format, parsed) = read(text, "host.0");
    assert_eq!((format, parsed.figures.len(), parsed.unknown), ("lmbench", 7, 1));
    assert_figure(&parsed, "lmbench/null_call", 170.0);
    assert_figure(&parsed, "lmbench/fork_exit", 137_500.0);
    assert_figure(&parsed, "lmbench/ctx_8p_16k", 3310.0);
    assert_figure(&parsed, "lmbench/pipe_bandwidth", 1000.5e6);
}

#[test]
fn lmbench_summary() {
    let text = "                 L M B E N C H  3 . 0   S U M M A R Y\n\n\
        Processor, Processes - times in microseconds - smaller is better\n\
        ------------------------------------------------------------------------------\n\
        Host                 OS  Mhz null null      open slct sig  sig  fork exec sh  \n\
        \u{20}                            call  I/O stat clos TCP  inst hndl proc proc proc\n\
        --------- ------------- ---- ---- ---- ---- ---- ---- ---- ---- ---- ---- ----\n\
        host      Linux 2.6.16- 2400 0.17 0.29 2.14 3.00 8.84 0.68 2.19 137. 536. 3204\n\
        host      Linux 2.6.16- 2400 0.18 0.29 2.14 3.00 8.84 0.68 2.19 2.5K 536. 3204\n\n\
        Memory latencies in nanoseconds - smaller is better\n\
        ------------------------------------------------------------------------------\n\
        Host                 OS   Mhz   L1 $   L2 $    Main mem    Rand mem    Guesses\n\
        --------- -------------   ---   ----   ----    --------    --------    -------\n\
        host      Linux 2.6.16-  2400 1.2500 5.8330   130.5       300.1\n";
    let (format, parsed) = read(text, "summary");
    assert_eq!((format, parsed.figures.len()), ("lmbench-summary", 24), "{:?}", parsed.notes);
    assert_eq!(values(&parsed, "lmbench/fork_exit"), [137_000.0, 2_500_000.0]);
    assert_figure(&parsed, "lmbench/mem_main", 130.5);
}

#[test]
fn sysbench_of_2010() {
    let text = "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\nDoing OLTP test.\n\
        OLTP test statistics:\n    transactions:                        10000  (512.50 per sec.)\n\
        \u{20}   deadlocks:                           0      (0.00 per sec.)\n\
        \u{20}   read/write requests:                 190000 (9737.50 per sec.)\n\n\
        Test execution summary:\n    total time:                          19.5122s\n\
        \u{20}   total number of events:              10000\n\
        \u{20}        avg:                                  1.95ms\n\
        sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\
        Doing memory operations speed test\nOperations performed: 1024 (  512.00 ops/sec)\n\
        1024.00 MB transferred (512.00 MB/sec)\n\
        sysbench 0.4.12:\nExtra file open flags: 0\n\
        Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (15.6Mb/sec)\n  1000.00 Requests/sec executed\n";
    let (format, parsed) = read(text, "old");
    assert_eq!(format, "sysbench");
    assert_figure(&parsed, "sysbench-oltp/transactions", 512.5);
    assert_figure(&parsed, "sysbench-oltp/requests", 9737.5);
    assert_figure(&parsed, "sysbench-oltp/latency_avg", 1.95e6);
    assert_figure(&parsed, "sysbench-memory/operations", 512.0);
    assert_figure(&parsed, "sysbench-memory/bandwidth", 512.0 * 1048576.0);
    assert_figure(&parsed, "sysbench-fileio/bandwidth", 15.6 * 1048576.0);
    assert_figure(&parsed, "sysbench-fileio/requests", 1000.0);
}

#[test]
fn netperf_streams_and_requests() {
    let text = "MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0 AF_INET to 10.0.0.1 () port 0 AF_INET\n\
        Recv   Send    Send\nSize   Size    Size     Time     Throughput\n\
        bytes  bytes   bytes    secs.    10^6bits/sec\n\n 87380  16384  16384    10.00    948.20   43.00 42.00 1.5 1.4\n\
        TCP REQUEST/RESPONSE TEST from 0.0.0.0 port 0 AF_INET\nbytes  Bytes  bytes    bytes   secs.    per sec\n\n\
        16384  87380  1        1       10.00    45000.12\n16384  87380\n\
        UDP UNIDIRECTIONAL SEND STREAM TEST from 0.0.0.0 port 0 AF_INET\n\
        bytes   bytes    secs            #      #   10^6bits/sec\n\n\
        212992   65507   10.00      123456      0    6470.00\n212992           10.00      123000           6446.00\n";
    let (format, parsed) = read(text, "netperf");
    assert_eq!(format, "netperf");
    assert_figure(&parsed, "netperf/tcp_stream", 948.2e6 / 8.0);
    assert_figure(&parsed, "netperf-cpu/tcp_stream_local_percent", 43.0);
    assert_figure(&parsed, "netperf/tcp_request/response", 45000.12);
    assert_figure(&parsed, "netperf/udp_unidirectional_send_stream_received", 6446e6 / 8.0);
}

#[test]
fn phoronix_runs_and_systems() {
    let entry = |name: &str| {
        format!(
            "<Entry><Identifier>{name}</Identifier><Value>2</Value><RawString>1.5:2:2.5</RawString></Entry>"
        )
    };
    let file = |entries: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<PhoronixTestSuite><Result><Identifier>pts/x</Identifier><Title>Build</Title>\
             <Scale>Seconds</Scale><Proportion>LIB</Proportion><Data>{entries}</Data></Result></PhoronixTestSuite>"
        )
    };
    let (format, parsed) = read(&file(&entry("host")), "composite");
    assert_eq!((format, parsed.figures[0].better), ("phoronix", Better::Lower));
    assert_eq!(values(&parsed, "phoronix/build"), [1.5e9, 2e9, 2.5e9]);
    let two = file(&(entry("kvm") + &entry("native")));
    let phoronix = find("phoronix").unwrap();
    assert!(parse(phoronix, &two, "c", "kvm").is_ok());
    assert!(parse(phoronix, &two, "c", "xen").unwrap_err().why.contains("kvm, native"));
}

#[test]
fn google_benchmark_repetitions() {
    let run = |kind: &str, time: f64| {
        format!(
            "{{\"name\":\"BM_x\",\"run_type\":\"{kind}\",\"real_time\":{time},\"cpu_time\":1,\"time_unit\":\"us\"}}"
        )
    };
    let text = format!(
        "{{\"benchmarks\":[{},{},{}]}}",
        run("iteration", 2.0),
        run("iteration", 3.0),
        run("aggregate", 2.5)
    );
    let (format, parsed) = read(&text, "g");
    assert_eq!(format, "google-benchmark");
    assert_eq!(values(&parsed, "google-benchmark/bm_x"), [2000.0, 3000.0]);
}

#[test]
fn aim_tables() {
    let seven = "AIM Multiuser Benchmark - Suite VII\nTasks    jobs/min  jti  jobs/min/task      real       cpu\n\
        \u{20}   1      172.41  100       172.4138     33.76      2.10   Mon\n   10      900.00   99        90.0        64.7       20.1\n";
    let (format, parsed) = read(seven, "aim");
    assert_eq!(format, "aim");
    assert_figure(&parsed, "aim/load_10_jobs", 15.0);
    assert_figure(&parsed, "aim-time/load_1_real", 33.76e9);
    let re = "REAIM Workload\nNum     Parent   Child   Child  Jobs per   Jobs/min/  Std_dev  Std_dev  JTI\n\
        Forked  Time     SysTime UTime   Minute     Child      Time     Percent\n1       1.23     0.30    0.80    4878.0    4878.05    0.00     0.00    100\n";
    assert_figure(&read(re, "reaim").1, "aim/load_1_jobs", 4878.0 / 60.0);
}

#[test]
fn kernel_builds() {
    let text = "  CC      init/main.o\n  LD      vmlinux\nKernel: arch/x86/boot/bzImage is ready\n\nreal\t4m15.934s\nuser\t3m1.000s\nsys\t0m9.500s\n";
    let (format, parsed) = read(text, "log");
    assert_eq!((format, parsed.unknown), ("kernel-build", 0));
    assert_figure(&parsed, "kernel-build/real", 255.934e9);
}

#[test]
fn what_is_no_output_is_an_error_with_its_place() {
    let cases = [
        (
            "unixbench",
            "BYTE UNIX Benchmarks\n\nPipe Throughput   14x0.2 lps   (10.0 s, 7 samples)\n",
            3,
            19,
        ),
        ("unixbench", "Pipe Throughput   14.2 furlongs (10.0 s, 7 samples)\n", 1, 24),
        ("stream", "\n\nhello\n", 3, 1),
        ("fio", "fio: note\n{\"jobs\": [}\n", 2, 11),
        ("hyperfine", "", 1, 1),
        ("phoronix", "<PhoronixTestSuite>\n<Result></PhoronixTestSuite>", 2, 9),
        ("perf-stat", "many,,page-faults,1,1\n", 1, 1),
        ("time", "real 0m1.x\n", 1, 6),
        ("aim", "Tasks jobs/min jti\n 1 2\n", 2, 5),
    ];
    for (format, text, line, column) in cases {
        let fault = parse(find(format).unwrap(), text, "f", "l").expect_err(text);
        assert_eq!((fault.line, fault.column), (line, column), "{format}: {fault}");
    }
    assert!(recognise("Dear diary").is_none());
}

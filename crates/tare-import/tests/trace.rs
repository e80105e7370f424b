//! Traces of strace and perf, as operations.

use tare_import::{Trace, trace};

const STRACE: &str = r#"
100 1700000000.000001 execve("/bin/x", ["x"], 0x7ffe /* 9 vars */) = 0
100 1700000000.000002 openat(AT_FDCWD</home>, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3</etc/ld.so.cache>
100 1700000000.000003 newfstatat(3</etc/ld.so.cache>, "", {st_mode=S_IFREG|0644, st_size=9, ...}, AT_EMPTY_PATH) = 0
100 1700000000.000004 read(3</etc/ld.so.cache>, "a, (b\"= 7", 8192) = 2048 <0.000010>
100 1700000000.000005 access("/etc/no", R_OK) = -1 ENOENT (No such file or directory)
100 1700000000.000006 pipe2([4<pipe:[7]>, 5<pipe:[7]>], O_CLOEXEC) = 0
100 1700000000.000007 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 101
101 1700000000.000008 write(5<pipe:[7]>, "x", 1 <unfinished ...>
100 1700000000.000009 getppid() = 1
101 1700000000.000010 <... write resumed>) = 1
101 1700000000.000011 brand_new_call(1) = 0
101 1700000000.000012 exit_group(0) = ?
101 1700000000.000013 +++ exited with 0 +++
100 1700000000.000014 --- SIGCHLD {si_signo=SIGCHLD} ---
"#;

fn times(trace: &Trace, name: &str) -> f64 {
    trace.operations.get(name).copied().unwrap_or(0.0)
}

#[test]
fn strace_has_every_call_with_its_path_its_size_and_its_kind_of_file() {
    let found = trace(STRACE).unwrap();
    let expected = [
        ("exec", 1.0),
        ("open", 1.0),
        ("component", 1.0),
        ("descriptor", 1.0),
        ("file_read", 1.0),
        ("file_kib_4k", 2.0),
        ("lookup_miss", 1.0),
        ("pipe_new", 1.0),
        ("fork", 1.0),
        ("pipe_write", 1.0),
        ("null", 2.0),
    ];
    for (name, count) in expected {
        assert_eq!(times(&found, name), count, "{name}: {found:?}");
    }
    assert_eq!(found.unknown, 1.0);
    assert_eq!(found.operations.len(), expected.len() + 1, "and a thousandth of a KiB: {found:?}");
}

#[test]
fn a_trace_in_which_descriptors_have_no_names_says_how_to_take_it() {
    let why = trace("read(3, \"\", 10) = 0\n").unwrap_err();
    assert!(why.to_string().contains("strace -f -y"), "{why}");
    assert_eq!(why.line, 1);
}

const PERF: &str = "
 Summary of events:

 x (4242), 226 events, 96.6%

   syscall            calls  errors  total       min       avg       max       stddev
                                     (msec)    (msec)    (msec)    (msec)        (%)
   --------------- --------  ------ -------- --------- --------- ---------     ------
   openat                10      4     0.117     0.003     0.005     0.011      7.29%
   read                   7      0     0.030     0.002     0.004     0.008     19.16%
   write                  3      0     0.020     0.002     0.006     0.008     18.02%
   getpid                 5      0     0.001     0.001     0.001     0.001      0.00%
";

#[test]
fn a_summary_of_perf_has_counts_alone() {
    let found = trace(PERF).unwrap();
    let expected = [
        ("open", 6.0),
        ("component", 12.0),
        ("lookup_miss", 4.0),
        ("file_read", 7.0),
        ("file", 3.0),
        ("null", 5.0),
    ];
    for (name, count) in expected {
        assert_eq!(times(&found, name), count, "{name}");
    }
    assert_eq!(found.operations.len(), expected.len());
}

#[test]
fn what_is_no_trace_is_refused_and_damaged_ones_do_not_panic() {
    for text in ["", "hello\n", "Summary of events:\n", "{\"a\": 1}"] {
        assert!(trace(text).is_err(), "{text}");
    }
    for whole in [STRACE, PERF] {
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let _ = trace(&whole[..end]);
            let _ = trace(&whole[end..]);
        }
    }
}

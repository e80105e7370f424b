//! `tare predict`: what a program does is counted to the last operation, and what cannot be predicted says why.
//!
//! Programs are counted in an overlay over the host's files, which needs root, as the other tests of programs do.

mod common;

use common::{Bench, Done, elf, flat, set_mode};
use serde_json::Value;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A campaign that says what operations cost natively and in a container; its folder stays for all tests.
fn prices() -> &'static Bench {
    static DONE: OnceLock<Bench> = OnceLock::new();
    DONE.get_or_init(|| {
        let bench = Bench::new();
        bench.ok("run --layers native,runc --suite operations --series 5ms --blocks 1 --out c");
        bench
    })
}

fn predict(bench: &Bench, line: &str, words: &[&str]) -> Done {
    let from = prices().path("c").display().to_string();
    let mut command = bench.command(&format!("predict --from {from} {line}"));
    common::done(command.arg("--").args(words).output().expect("tare starts"))
}

fn operations(code: &str) -> Value {
    counted(code)["operations"].take()
}

/// What is told of `perl` when it runs `code`.
fn counted(code: &str) -> Value {
    let done = predict(&Bench::new(), "--json --warmup 0", &["perl", "-e", code]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let mut found: Value = done.json();
    found["program"].take()
}

/// How many of each operation something is.
type Each = &'static [(&'static str, f64)];

/// Perl's statements, how often they are done, and what each is of which operation.
const EXACT: &[(&str, u32, Each)] = &[
    ("getppid", 100_000, &[("null", 1.0)]),
    // The file that runs is in /usr/bin.
    ("-e '/usr/bin/env'", 100_000, &[("lookup", 1.0), ("component_held", 2.0)]),
    (
        "-e '/usr/share/doc'",
        10_000,
        &[("lookup", 1.0), ("component", 1.0), ("component_held", 1.0)],
    ),
    ("-e '/usr/bin/no0'", 100_000, &[("lookup_miss", 1.0)]),
    ("sysopen F, '/usr/bin/env', 0; close F", 10_000, &[("open", 1.0), ("component_held", 2.0)]),
    ("syswrite N, 'x' x 2048", 10_000, &[("device", 1.0)]),
    (
        "syswrite P, 'x' x 1024; sysread R, $b, 1024",
        10_000,
        &[("pipe_write", 1.0), ("pipe_read", 1.0), ("pipe_kib_4k", 2.0)],
    ),
    (
        "send A, 'x' x 1024, 0; recv B, $b, 1024, 0",
        10_000,
        &[("socket_unix", 2.0), ("pipe_kib_4k", 2.0)],
    ),
    (
        "sysseek T, 0, 0; syswrite T, 'x' x 8192",
        10_000,
        &[("file", 1.0), ("file_kib_64k", 8.0), ("descriptor", 1.0)],
    ),
    (
        "sysseek T, 0, 0; syswrite T, 'x' x 131072",
        1_000,
        &[("file", 1.0), ("file_kib_1m", 128.0), ("descriptor", 1.0)],
    ),
    // Of a hundred files, of ".", and of "..", an entry has 24 bytes. Of a thousand calls every one is looked at.
    (
        "opendir D, '/tmp/d'; @n = readdir D; closedir D",
        500,
        &[("getdents", 2.0), ("getdents_kib", 102.0 * 24.0 / 1024.0), ("open", 1.0)],
    ),
    ("-e '/dev/shm/a/b'", 10_000, &[("lookup_tmpfs", 1.0), ("component_tmpfs", 3.0)]),
    ("sysopen F, '/dev/shm/a/b', 0; close F", 10_000, &[("open_tmpfs", 1.0)]),
    ("pipe X, Y; close X; close Y", 10_000, &[("pipe_new", 1.0)]),
    ("mkdir '/tmp/m'; rmdir '/tmp/m'", 10_000, &[("create", 2.0)]),
    ("select undef, undef, undef, 0", 10_000, &[("poll", 1.0)]),
    ("fork or exit; wait", 300, &[("fork", 1.0)]),
    ("system '/bin/true'", 100, &[("exec", 1.0)]),
    ("kill USR1, $$", 10_000, &[("signal", 1.0)]),
];

/// What is there before the statements.
const BEFORE: &str = "use Socket; $SIG{USR1} = sub {}; pipe R, P; open N, '>', '/dev/null'; open T, '>', '/tmp/t'; \
                      socketpair A, B, AF_UNIX, SOCK_STREAM, 0; mkdir '/dev/shm/a'; open F, '>', '/dev/shm/a/b'; \
                      mkdir '/tmp/d'; open F, '>', \"/tmp/d/$_\" for 1 .. 100;";

#[test]
fn what_a_program_does_is_counted_to_the_last() {
    let none = operations(BEFORE);
    for (code, times, each) in EXACT {
        let mut program = counted(&format!("{BEFORE} for (1 .. {times}) {{ {code} }}"));
        // On a slow machine a program may be a long one, of which not all calls are looked at.
        let whole = program["looked_at"].as_f64().is_some_and(|share| share > 0.995);
        let found = program["operations"].take();
        for (name, of_one) in *each {
            let count = |of: &Value| of[name].as_f64().unwrap_or(0.0);
            let more = count(&found) - count(&none);
            let right = of_one * f64::from(*times);
            let bound = if whole { 20.0 } else { 20.0 + 0.01 * right };
            assert!(
                (more - right).abs() <= bound,
                "{code}: {more} of {name}, not {right}: {found}"
            );
        }
    }
}

#[test]
fn of_many_calls_few_are_looked_at_and_stand_for_the_others() {
    let code = "for (1 .. 100) { getppid for 1 .. 30000; -e '/usr/bin/env' for 1 .. 1000; fork or exit; wait }";
    let done = predict(&Bench::new(), "--json --warmup 0", &["perl", "-e", code]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let found: Value = done.json();
    let program = &found["program"];
    let share = program["looked_at"].as_f64().expect("a kernel with tracepoints");
    assert!(share < 0.5, "{program}");
    let of = |name: &str| program["operations"][name].as_f64().unwrap_or(0.0);
    assert_eq!(of("fork"), 100.0, "each of them is seen: {program}");
    assert!((of("null") / 3e6 - 1.0).abs() < 0.02, "{program}");
    assert!((of("lookup") / 1e5 - 1.0).abs() < 0.05, "{program}");
    assert!((of("component_held") / 2e5 - 1.0).abs() < 0.05, "{program}");
}

#[test]
fn starts_of_programs_take_nothing_from_what_a_call_stands_for() {
    let starts = |many: u32| operations(&format!("system '/bin/true' for 1 .. {many}"));
    let few = starts(100);
    let many = starts(2000);
    for name in ["mmap", "open", "null"] {
        let of = |found: &Value| found[name].as_f64().unwrap_or(0.0);
        let ratio = of(&many) / of(&few);
        assert!((14.0..26.0).contains(&ratio), "{ratio} times as many {name}: {few}, {many}");
    }
}

#[test]
fn names_and_directories_are_cold_when_a_thousand_others_came_since() {
    let made = |many: u32, rest: &str| {
        operations(&format!("mkdir '/tmp/n'; mkdir \"/tmp/n/$_\" for 1 .. {many}; {rest}"))
    };
    let of = |found: &Value, name: &str| found[name].as_f64().unwrap_or(0.0);
    let look = |many: u32, times: u32| {
        made(many, &format!("for (1 .. {times}) {{ -e \"/tmp/n/$_\" for 1 .. {many} }}"))
    };
    // What is counted is not the first run, so that mkdir(2) finds the names, too.
    let found = look(3000, 3);
    assert!((of(&found, "cold_name") - 12_000.0).abs() < 100.0, "{found}");
    let found = look(500, 18);
    assert_eq!(of(&found, "cold_name"), 0.0, "{found}");
    // Of "." and "..", an entry has 24 bytes.
    let read =
        "for (1 .. 2) { for (1 .. 1500) { opendir D, \"/tmp/n/$_\"; readdir D; closedir D } }";
    let found = made(1500, read);
    let kib = 3000.0 * 48.0 / 1024.0;
    assert!((of(&found, "cold_directory") - 3000.0).abs() < 50.0, "{found}");
    assert!((of(&found, "cold_kib") - kib).abs() < 0.05 * kib, "{found}");
    assert!(of(&found, "getdents") < 50.0, "{found}");
}

#[test]
fn memory_and_threads_are_counted_in_children_too() {
    let none = operations(BEFORE);
    let found = operations(&format!("{BEFORE} fork; $x = 'y' x (40 << 20); wait"));
    let more =
        |name: &str| found[name].as_f64().unwrap_or(0.0) - none[name].as_f64().unwrap_or(0.0);
    // 40 MiB of fresh pages in the parent; the child's are of a copy, whatever it writes to.
    assert!(more("fault_anonymous") > 9_000.0, "{found}");
    assert!(more("fault_copy") > 9_000.0, "{found}");
    // A copy has dozens of mappings, and the first fault in each is dear where they are mapped anew.
    assert!((10.0..100.0).contains(&more("fault_mapping")), "{found}");
    assert_eq!(more("fork"), 1.0);
}

#[test]
fn a_prediction_says_how_long_by_what_and_what_it_does_not_know() {
    let done =
        predict(&Bench::new(), "--name looks", &["perl", "-e", "-e '/usr/bin/env' for 1 .. 50000"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let said = flat(&done.out);
    assert!(said.contains("program/looks takes"), "{said}");
    assert!(said.contains("runc: it would take"), "{said}");
    assert!(said.contains("What this does not know"), "{said}");
    assert!(said.contains("no program with counted operations was measured there"), "{said}");
    let line = "--name rate --metric rate.([0-9]+) --better higher";
    let done =
        predict(&Bench::new(), line, &["perl", "-e", "getppid for 1 .. 50000; print 'rate 7'"]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let said = flat(&done.out);
    assert!(said.contains("times as large.") && said.contains("runc: it would take"), "{said}");
}

#[test]
fn a_trace_from_elsewhere_is_predicted_without_running_anything() {
    let bench = Bench::new();
    let mut trace = "1 execve(\"/x\", [\"x\"], 0x7f) = 0\n".to_owned();
    trace.push_str(&"1 access(\"/etc/no\", R_OK) = -1 ENOENT (No such file)\n".repeat(1000));
    bench.write("app.strace", &trace);
    let from = prices().path("c").display().to_string();
    let done = bench.ok(&format!("predict --from {from} --trace app.strace --took 20ms --json"));
    let found: Value = done.json();
    assert_eq!(found["program"]["operations"]["lookup_miss"], 1000.0);
    assert_eq!(found["program"]["native_ns"], 2e7);
    assert_eq!(found["layers"][0]["outcome"], "ratio");
    let done = bench.tare(&format!("predict --from {from} --trace app.strace"));
    assert!(done.err.contains("--took"), "{}", done.err);
    bench.write("app.strace", "read(3, \"\", 1) = 0\n");
    let done = bench.tare(&format!("predict --from {from} --trace app.strace --took 1s"));
    assert!(flat(&done.err).contains("strace -f -y"), "{}", done.err);
}

/// mov eax, 20 (getpid there); int 0x80; mov eax, 60 (exit here); xor edi, edi; syscall
const A_CALL_OF_32_BITS: &[u8] =
    &[0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xb8, 60, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05];

/// mov eax, 101 (ptrace); xor edi, edi (TRACEME); syscall; xor edi, edi; test eax, eax; setne dil; mov eax, 60; syscall
const A_CALL_OF_A_TRACER: &[u8] = &[
    0xb8, 101, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05, 0x31, 0xff, 0x85, 0xc0, 0x40, 0x0f, 0x95, 0xc7,
    0xb8, 60, 0, 0, 0, 0x0f, 0x05,
];

fn program(bench: &Bench, name: &str, text: &[u8], mode: u32) {
    fs::write(bench.path(name), text).expect("a file");
    set_mode(bench.path(name), mode);
}

#[test]
fn what_cannot_be_counted_says_why() {
    let bench = Bench::new();
    program(&bench, "old", &elf::of_64_bits(A_CALL_OF_32_BITS), 0o755);
    program(&bench, "tracer", &elf::of_64_bits(A_CALL_OF_A_TRACER), 0o755);
    let cases: &[(&str, &[&str], &str)] = &[
        ("", &["./old"], "of another architecture (a 32-bit program)"),
        (
            "",
            &["sh", "-c", "echo oh; exit 3"],
            "exit status 3; its last lines: oh (the command runs without a terminal",
        ),
        ("", &["./tracer"], "exit status 1 (it traces a program"),
        ("--timeout 1s", &["sleep", "100"], "did not end within 1 s"),
        ("", &["sh", "-c", "read line < /dev/tty"], "runs without a terminal"),
        ("", &["./nothere"], "there is no program ./nothere"),
        ("--parse time", &["true"], "name them with --metric"),
        ("--background sleep", &["true"], "what runs beside it is not counted"),
    ];
    for (line, words, why) in cases {
        let done = predict(&bench, line, words);
        assert_ne!(done.code, 0, "{words:?}: {}", done.out);
        assert!(flat(&done.err).contains(why), "{words:?}: {}", done.err);
    }
}

#[test]
fn a_campaign_that_cannot_say_what_operations_cost_says_what_to_measure() {
    let bench = Bench::new();
    bench.ok("run --layer name=native,kind=mock --layer name=a,kind=mock --bench lmbench/stat --blocks 1 --out other");
    let done = bench.tare("predict --from other -- true");
    assert!(flat(&done.err).contains("programs are counted natively"), "{}", done.err);
    bench.ok("run --layers native --bench lmbench/stat --series 5ms --blocks 1 --out c");
    let done = bench.tare("predict --from c -- true");
    assert!(
        flat(&done.err).contains("tare run --suite operations --layers native"),
        "{}",
        done.err
    );
    let done = bench.tare(&format!("predict --from {}", prices().path("c").display()));
    assert!(flat(&done.err).contains("name a command to predict"), "{}", done.err);
}

/// Natively, on the host's files as they are, which a remark says; the filter that counts calls needs no right that this user lacks.
#[test]
fn an_ordinary_users_program_is_counted_as_well() {
    const NOBODY: u32 = 65534;
    let bench = Bench::new();
    set_mode(bench.path("."), 0o777);
    for (from, to) in [
        (env!("CARGO_BIN_EXE_tare").into(), "tare"),
        (prices().path("c/campaign.db"), "c/campaign.db"),
    ] {
        let to = bench.path(to);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(from, &to).expect("a copy"); // where it is nobody else may look
        std::os::unix::fs::chown(&to, Some(NOBODY), Some(NOBODY)).expect("its file");
    }
    std::os::unix::fs::chown(bench.path("c"), Some(NOBODY), Some(NOBODY)).expect("its folder");
    let mut command = Command::new(bench.path("tare"));
    command.args(["predict", "--from", "c", "--json", "--warmup", "0", "--", "perl", "-e"]);
    command.arg("for (1..1000) { getppid }").current_dir(bench.path("."));
    command
        .env("TARE_CACHE", bench.path("cache"))
        .env("HOME", bench.path("."))
        .stdin(Stdio::null());
    let done = common::done(command.uid(NOBODY).gid(NOBODY).output().expect("tare starts"));
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let counted = done.json()["program"]["operations"]["null"].as_f64();
    assert!(counted.is_some_and(|calls| (1000.0..1500.0).contains(&calls)), "{counted:?}");
    assert!(flat(&done.err).contains("on this host's files as they are"), "{}", done.err);
}

#[test]
fn a_run_is_compared_with_what_its_operations_predict() {
    let bench = Bench::new();
    let line = "run --layers native,runc --blocks 1 --warmup 0 --explain --require --out r";
    let code = "for (1 .. 20_000) { -e '/usr/bin/env'; getppid }";
    let done = bench.tare_with(line, &["--", "perl", "-e", code]);
    assert_eq!(done.code, 0, "{}\n{}", done.out, done.err);
    let prices = prices().path("c").display().to_string();
    let told = flat(&bench.ok(&format!("explain r program/perl --prices {prices}")).out);
    for words in ["Predicted × ", "%), measured × ", "Predicted and measured, ms per run"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let told: Value =
        bench.tare(&format!("explain r program/perl --prices {prices} --json")).json();
    let found = &told[0]["prediction"];
    let of = |name: &str| found[name].as_f64().unwrap_or_else(|| panic!("{name}: {told}"));
    assert!(of("low") <= of("predicted") && of("predicted") <= of("high"));
    assert_eq!(of("measured"), told[0]["ratio"].as_f64().unwrap());
    let kinds = found["kinds"].as_array().unwrap();
    let files = kinds.iter().find(|kind| kind["name"] == "files and messages").unwrap();
    for ns in ["priced_ns", "predicted_ns", "seen_baseline_ns", "seen_layer_ns"] {
        assert!(files[ns].as_f64().is_some_and(|ns| ns > 0.0), "{ns}: {files}");
    }
    // Nothing is predicted where nobody has measured prices, and other layers' are refused.
    let told = bench.ok("explain r program/perl --json").out;
    assert!(!told.contains("\"prediction\""), "{told}");
    let refused = bench.tare("explain r --prices r");
    assert_eq!(refused.code, 1, "{}", refused.out);
    assert!(refused.err.contains("has no costs of operations"), "{}", refused.err);
}

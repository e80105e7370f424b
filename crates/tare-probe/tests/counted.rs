//! What a program does is counted, whoever of its processes ends first, also where only some calls are looked at.

#![cfg(target_pointer_width = "64")]

mod probe;

use probe::Probe;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, ptr};
use tare_proto::{Counter, FromProbe, Program, Request, Series, ToProbe};

/// Says to this file's own program, when the probe runs it, what it is to do.
const PART: &str = "TARE_TEST_PART";

/// Calls of each kind; short processes, and calls of each.
const NULL: u32 = 60_000;
const LOOKUPS: u32 = 200_000;
const CHILDREN: u32 = 1_500;
const OF_CHILD: u32 = 20;

fn ask_for_parent(times: u32) {
    // SAFETY: getppid has no preconditions.
    (0..times).for_each(|_| _ = unsafe { libc::getppid() });
}

/// Forks; `true` in the child.
fn is_child() -> bool {
    // SAFETY: the child makes system calls only, and ends by `end`.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork");
    pid == 0
}

fn end() -> ! {
    // SAFETY: _exit has no preconditions.
    unsafe { libc::_exit(0) }
}

/// So much time that not all calls are looked at. Reading the clock is no system call.
fn takes_long() {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(400) {}
}

/// A process asks for its parent and leaves; its child, which has another parent from then on, looks names up. The program ends
/// when that one has.
fn becomes_a_daemon() {
    let (mut ours, theirs) = io::pipe().expect("a pipe");
    if is_child() {
        takes_long();
        ask_for_parent(NULL);
        if is_child() {
            // SAFETY: the path is NUL-terminated.
            (0..LOOKUPS).for_each(|_| _ = unsafe { libc::access(c"/etc".as_ptr(), libc::F_OK) });
        }
        end();
    }
    drop(theirs);
    ours.read_to_end(&mut Vec::new()).expect("the daemon ends");
}

/// Many processes that make few calls each.
fn starts_short_ones() {
    takes_long();
    ask_for_parent(NULL);
    for _ in 0..CHILDREN {
        if is_child() {
            // SAFETY: the path is NUL-terminated.
            (0..OF_CHILD).for_each(|_| _ = unsafe { libc::access(c"/etc".as_ptr(), libc::F_OK) });
            end();
        }
        // SAFETY: a null status is allowed.
        unsafe { libc::wait(ptr::null_mut()) };
    }
}

/// A process that does not end with the program.
fn leaves_one_behind() {
    if is_child() {
        loop {
            // SAFETY: pause has no preconditions.
            unsafe { libc::pause() };
        }
    }
    ask_for_parent(NULL);
}

/// A thread that is not the first one becomes another program when somebody traces all threads.
fn becomes_another() {
    println!("begins");
    let free = |tid: &str| status(tid, "TracerPid:") == "0";
    let threads = || fs::read_dir("/proc/self/task").expect("threads").flatten();
    while threads().any(|thread| free(&thread.file_name().to_string_lossy())) {}
    let why = Command::new("/bin/sh").args(["-c", "while :; do :; done"]).exec();
    panic!("{why}");
}

/// What the kernel says of a process after `key`.
fn status(pid: &str, key: &str) -> String {
    let all = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = all.lines().find_map(|line| line.strip_prefix(key)).expect("a line");
    line.trim().to_owned()
}

/// What the probe runs, as this file's program; a test of its own that does nothing otherwise.
#[test]
fn part() {
    match env::var(PART).as_deref() {
        Ok("daemon") => becomes_a_daemon(),
        Ok("short") => starts_short_ones(),
        Ok("leaves") => leaves_one_behind(),
        Ok("another") => becomes_another(),
        _ => return,
    }
    end();
}

/// What is counted of `part`, run for `samples` runs before.
fn counted(part: &str) -> Series {
    let stage = env::temp_dir().join(format!("tare-counted-{part}-{}", std::process::id()));
    fs::create_dir_all(&stage).expect("a folder");
    let mut probe = Probe::start_as(&format!("counted-{part}"), |command| {
        command.env("TARE_ROOT", format!("overlay:64:{}:/", stage.display()));
        command.env("TARE_COUNT_OPERATIONS", "1");
    });
    let own = env::current_exe().expect("a path").display().to_string();
    let words = [&own, "--exact", "part", "--nocapture", "--test-threads=1"];
    let program = Program {
        command: words.map(str::to_owned).to_vec(),
        env: vec![(PART.to_owned(), part.to_owned())],
        folder: "/".to_owned(),
        limit_ms: 50_000,
        ..Program::default()
    };
    let (id, bench) = (3, format!("program/{part}"));
    let (samples, program) = (1, Some(Box::new(program)));
    let request = Request { id, bench, samples, limit_ms: 55_000, program, ..Request::default() };
    probe.say(&ToProbe::Run(request));
    assert_eq!(probe.answer(), FromProbe::Begin { id });
    let answer = probe.answer();
    fs::remove_dir(&stage).expect("an empty folder");
    match answer {
        FromProbe::Series(series) => series,
        other => panic!("{part}: {other:?}"),
    }
}

fn value(counters: &[Counter], name: &str) -> f64 {
    let found = counters.iter().find(|counter| counter.name == name);
    found.map_or(0.0, |counter| counter.value)
}

/// As many as `right` of the operation, within a `part` of it.
fn is_about(series: &Series, name: &str, right: u32, part: f64) {
    let (found, right) = (value(&series.counters, &format!("op/{name}")), f64::from(right));
    let counters = &series.counters;
    assert!((found / right - 1.0).abs() < part, "{found} of {name}, not {right}: {counters:?}");
}

#[test]
fn the_calls_of_a_daemon_are_counted_when_its_parent_has_ended() {
    let series = counted("daemon");
    is_about(&series, "null", NULL, 0.03);
    is_about(&series, "lookup", LOOKUPS, 0.03);
}

#[test]
fn the_calls_of_short_processes_are_looked_at_as_often_as_all_others() {
    let series = counted("short");
    is_about(&series, "null", NULL, 0.1);
    is_about(&series, "lookup", CHILDREN * OF_CHILD, 0.2);
    is_about(&series, "fork", CHILDREN, 0.01);
}

#[test]
fn a_program_that_leaves_a_process_behind_is_counted() {
    is_about(&counted("leaves"), "null", NULL, 0.01);
}

#[test]
fn a_process_is_let_go_when_another_thread_than_its_first_has_become_a_program() {
    let mut command = Command::new(env::current_exe().expect("a path"));
    command.args(["--exact", "part", "--nocapture", "--test-threads=1"]).env(PART, "another");
    let mut process = command.stdout(Stdio::piped()).spawn().expect("start");
    let output = BufReader::new(process.stdout.take().expect("piped"));
    output.lines().map_while(Result::ok).find(|line| line.ends_with("begins")).expect("it begins");
    let pid = process.id().to_string();
    let counted = probe::program().args(["count", &pid, "300"]).output().expect("start");
    let tracer = status(&pid, "TracerPid:");
    process.kill().and_then(|()| process.wait()).expect("it runs on");
    assert!(counted.status.success() && counted.stderr.is_empty(), "{counted:?}");
    let counters: Vec<Counter> = serde_json::from_slice(&counted.stdout).expect("JSON");
    assert!(value(&counters, "op/exec") > 0.0, "{counters:?}");
    assert_eq!(tracer, "0");
}

//! `tare predict --pid`: a process that runs already is counted with its children, and runs on as before, also when tare is
//! killed meanwhile.

mod common;

use common::{Bench, flat, wait_until};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Stdio};

/// A process that makes three of one call to one of another, again and again, and its child, which makes others: fewer than
/// would be sampled in a second, so that the counts are exact. The child has a child that has ended and is never waited for.
const SERVICE: &str = "$p = $$; sub rest { $x += $_ for 1 .. 20000; select undef, undef, undef, 0.01 } \
    if (fork) { while (1) { for (1 .. 5) { getppid; getppid; getppid; -e '/usr/bin/no0' } rest } } \
    fork or exit; while (getppid == $p) { for (1 .. 5) { -e '/usr/bin/env' } rest }";

/// It ends with the test.
struct Service(Child);

impl Service {
    fn start() -> Service {
        let mut perl = Command::new("perl");
        perl.args(["-e", SERVICE]).stdin(Stdio::null());
        Service(perl.spawn().expect("perl"))
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Its child, as soon as there is one.
    fn child(&self) -> u32 {
        let path = format!("/proc/{0}/task/{0}/children", self.pid());
        let mut child = None;
        wait_until("a child", || {
            child = fs::read_to_string(&path).expect("children").trim().parse().ok();
            child.is_some()
        });
        child.expect("a child")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the kernel says of `pid` after `key`.
fn status(pid: u32, key: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(key)).expect("a line");
    line.trim().to_owned()
}

/// Nobody traces it, and it goes on.
fn is_free(pid: u32) {
    assert_eq!(status(pid, "TracerPid:"), "0");
    let waits = || status(pid, "voluntary_ctxt_switches:").parse::<u64>().expect("a number");
    let before = waits();
    wait_until("it goes on", || waits() > before + 3);
}

fn prices(bench: &Bench) {
    bench.ok("run --layers native,runc --suite operations --series 1ms --blocks 1 --out c");
}

#[test]
fn a_process_that_runs_is_counted_with_its_children_and_runs_on() {
    let bench = Bench::new();
    let service = Service::start();
    prices(&bench);
    let child = service.child();
    let line = format!("predict --from c --pid {} --for 1s", service.pid());
    let done = bench.ok(&format!("{line} --json"));
    let found: Value = done.json();
    let count = |name: &str| found["program"]["operations"][name].as_f64().unwrap_or(0.0);
    assert!(count("lookup_miss") > 100.0, "{found}");
    // The child asks for its parent once in every five lookups.
    let three = count("null");
    let of_child = count("lookup") / 5.0;
    assert!(((three - of_child) / count("lookup_miss") / 3.0 - 1.0).abs() < 0.05, "{found}");
    assert!(count("lookup") > 100.0 && count("poll") > 20.0, "{found}");
    assert!(found["program"]["user_ns"].as_f64() > Some(1e7), "{found}");
    assert_eq!(found["layers"][0]["outcome"], "ratio");
    [service.pid(), child].into_iter().for_each(is_free);
    let said = flat(&bench.ok(&line).out);
    assert!(said.contains(&format!("perl (process {}) takes", service.pid())), "{said}");
    assert!(said.contains("ratios are of the CPU time"), "{said}");
    [service.pid(), child].into_iter().for_each(is_free);
}

#[test]
fn a_process_is_let_go_also_when_tare_is_killed() {
    let bench = Bench::new();
    let service = Service::start();
    prices(&bench);
    let child = service.child();
    let mut tare = bench.start(&format!("predict --from c --pid {} --for 2s", service.pid()));
    wait_until("it is traced", || status(child, "TracerPid:") != "0");
    tare.kill().expect("tare runs");
    tare.wait().expect("tare ends");
    wait_until("it is let go", || status(service.pid(), "TracerPid:") == "0");
    wait_until("its child is let go", || status(child, "TracerPid:") == "0");
    [service.pid(), child].into_iter().for_each(is_free);
}

#[test]
fn what_cannot_be_counted_while_it_runs_says_why() {
    let bench = Bench::new();
    prices(&bench);
    let why = |line: &str| flat(&bench.tare(&format!("predict --from c {line}")).err);
    let mut gone = Command::new("true").spawn().expect("true");
    let pid = gone.id();
    gone.wait().expect("it ends");
    assert!(why(&format!("--pid {pid}")).contains("there is no process"));
    let mut idle = Command::new("sleep").arg("100").spawn().expect("sleep");
    let said = why(&format!("--pid {} --for 200ms", idle.id()));
    idle.kill().and_then(|()| idle.wait()).expect("it ends");
    assert!(said.contains("has used no CPU time"), "{said}");
    assert!(why("--for 2s").contains("--pid"));
    assert!(why("--pid 1 -- true").contains("cannot be used with"));
}

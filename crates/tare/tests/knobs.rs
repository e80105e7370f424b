//! A knob of this host is where a layer has it while that layer runs, and where it was before however tare ends.

mod common;

use common::{Bench, done, samples, signal, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

const KNOB: &str = "/sys/kernel/rcu_expedited";

/// An ordinary user.
const NOBODY: u32 = 65534;

/// Tests of this file turn the same knob.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn knob() -> String {
    fs::read_to_string(KNOB).expect(KNOB).trim().to_owned()
}

/// `tare` with a cache of its own, so that no other tare puts back what it has turned.
fn command(bench: &Bench, line: &str) -> Command {
    let mut command = bench.command(line);
    command.env("TARE_CACHE", bench.path("cache"));
    command
}

/// A campaign that has turned the knob and lasts.
fn turned(bench: &Bench) -> Child {
    let line = "run --layer name=on,kind=native,knobs=rcu_expedited=1 --out lasting --timeout 60s -- sleep 30";
    let tare = command(bench, line).spawn().expect("tare starts");
    wait_until("the knob is turned", || knob() == "1");
    tare
}

/// The keepers of a tare.
fn keepers(tare: &Child) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", tare.id())).expect("threads of tare");
    let children = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children"));
    let children: String = threads.flatten().filter_map(|thread| children(thread).ok()).collect();
    children.split_whitespace().map(|pid| Pid::from_raw(pid.parse().unwrap())).collect()
}

#[test]
fn each_layer_of_a_sweep_runs_with_its_value() {
    let _alone = alone();
    let before = knob();
    let bench = Bench::new();
    let look = format!("echo at $(cat {KNOB}).5");
    let line = "run --layers native --sweep host.rcu_expedited=-,1 --blocks 1 --repeat 1 --name at --better lower \
                --metric at.([0-9.]+) --out c -- sh -c";
    let ran = done(command(&bench, line).arg(look).output().expect("tare starts"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    for (layer, value) in [("native+rcu_expedited-usual", "0"), ("native+rcu_expedited-1", "1")] {
        let seen = samples(&campaign, "program/at", layer).concat();
        let same = |at: &f64| at.to_string() == format!("{value}.5");
        assert!(!seen.is_empty() && seen.iter().all(same), "{layer}: {seen:?}");
    }
    let settings = campaign.layers.iter().map(|layer| layer.settings.raw()).collect::<Vec<_>>();
    assert!(settings[1].contains("knobs=rcu_expedited=1"), "{settings:?}");
    assert_eq!(knob(), before);
}

#[test]
fn a_knob_is_put_back_after_an_interrupt_and_after_a_kill() {
    let _alone = alone();
    for ending in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
        let bench = Bench::new();
        let mut tare = turned(&bench);
        signal(&tare, ending);
        tare.wait().unwrap();
        wait_until(&format!("put back after {ending}"), || knob() == "0");
    }
}

#[test]
fn a_second_campaign_is_refused_and_the_next_tare_puts_back_what_nobody_could() {
    let _alone = alone();
    let bench = Bench::new();
    let mut tare = turned(&bench);
    let line = "run --layer name=off,kind=native,knobs=rcu_expedited=0 --bench lmbench/null_call --out second";
    let second = done(command(&bench, line).output().expect("tare starts"));
    assert_eq!(second.code, 4, "{}{}", second.out, second.err);
    assert!(second.err.contains("another tare turns rcu_expedited"), "{}", second.err);
    assert_eq!(knob(), "1");
    signal(&tare, Signal::SIGSTOP); // it would do its keepers' work
    keepers(&tare).into_iter().for_each(|keeper| kill(keeper, Signal::SIGKILL).unwrap());
    signal(&tare, Signal::SIGKILL);
    tare.wait().unwrap();
    assert_eq!(knob(), "1");
    let next = done(command(&bench, "doctor native").output().expect("tare starts"));
    assert_eq!((next.code, knob().as_str()), (0, "0"), "{}{}", next.out, next.err);
}

#[test]
fn a_knob_that_cannot_be_turned_is_refused_with_the_reason() {
    let bench = Bench::new();
    let refused = |word: &str, why: &str| {
        let line = format!("run --layer name=on,kind=native,knobs={word} --out c");
        bench.fails(&line, 2, why);
    };
    refused("rcu_expedite=1", "did you mean rcu_expedited?");
    refused("/sys/kernel/rcu_expedited=1", "no knob '/sys/kernel/rcu_expedited' of this host");
    refused("rcu_expedited=2", "none of: 0, 1");
    bench.fails(
        "run --layers native --sweep host.swapiness=1,2 --out c",
        2,
        "did you mean swappiness?",
    );
    let public = bench.path("");
    common::set_mode(&public, 0o777);
    let program = bench.path("tare"); // where it was built an ordinary user may not look
    fs::copy(env!("CARGO_BIN_EXE_tare"), &program).unwrap();
    let mut user = Command::new(program);
    user.args(["doctor", "native,knobs=rcu_expedited=1"]).current_dir(&public);
    user.env("TARE_CACHE", bench.path("of-user")).uid(NOBODY).gid(NOBODY);
    let said = done(user.output().expect("tare starts"));
    assert_eq!(said.code, 4, "{}{}", said.out, said.err);
    assert!(
        said.out.contains("rcu_expedited") && said.out.contains("run tare as root"),
        "{}",
        said.out
    );
}

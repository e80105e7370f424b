//! What the host sees of layers from outside is what they do: rows whose host calls, switches, signals and faults are known from their
//! source are counted to the last one, in the program's own lane and in that of the layer that acts as its kernel. Needs root, as tracepoints do.

mod common;
mod layers_common;
mod observed_parts;

use common::{Bench, assert_fits, count, flat, series};
use layers_common::CURRENT_GVISOR;
use std::os::unix::fs::PermissionsExt;
use std::sync::Mutex;
use tare_store::Campaign;

/// A row, what is counted of it beside `outside/`, and how often an operation does it: a fact of the benchmark's source.
const KNOWN: [(&str, &str, f64); 30] = [
    ("lmbench/null_call", "calls/program/getppid", 1.0),
    ("kernel/getppid", "calls/program/getppid", 10.0),
    ("lmbench/sig_catch", "signals/program/SIGUSR1", 1.0),
    ("lmbench/sig_catch", "calls/program/rt_sigreturn", 1.0),
    ("lmbench/sig_catch", "calls/program/kill", 0.0), // one, less the one that is subtracted
    ("kernel/segv", "signals/program/SIGSEGV", 1.0),
    ("kernel/segv", "faults/program/any", 1.0),
    ("operations/fault_anonymous", "faults/program/any", 1.0),
    ("lmbench/pipe", "calls/program/write", 2.0),
    ("lmbench/pipe", "calls/program/read", 2.0),
    // A switch between two processes, and the call that wakes the next one; less the same calls of one process.
    ("lmbench/ctx_2p_0k", "unsubtracted/calls/program/read", 1.0),
    ("lmbench/ctx_2p_0k", "calls/program/read", 0.0),
    ("lmbench/fork_exit", "calls/program/exit_group", 1.0),
    ("lmbench/fork_exit", "switches/program/ended", 1.0),
    // A row that takes all its samples at once.
    ("net/lo_tcp_rr", "calls/program/sendto", 2.0),
    ("net/lo_tcp_rr", "calls/program/recvfrom", 2.0),
    ("net/lo_tcp_rr", "events/program/net_dev_xmit", 2.0),
    // Causes that are put in on purpose.
    ("causes/calls", "calls/program/getppid", 5.0),
    ("causes/faults", "calls/program/madvise", 1.0),
    ("causes/faults", "faults/program/any", 8.0),
    ("causes/sleep", "calls/program/clock_nanosleep", 1.0),
    ("causes/stop", "calls/program/ptrace", 1.0),
    ("causes/stop", "calls/program/wait4", 1.0),
    ("causes/stop", "switches/program/stopped", 1.0),
    ("causes/registers_general", "calls/program/ptrace", 1.0),
    ("causes/registers_general", "events/program/registers_general", 1.0),
    ("causes/registers_float", "events/program/registers_float", 1.0),
    ("causes/registers_all", "events/program/registers_all", 1.0),
    ("causes/filtered", "calls/program/getppid", 0.0), // a hundred, less the hundred without a filter
    ("causes/filtered", "calls/program/write", 0.0),
];

fn seen(campaign: &Campaign, layer: &str, bench: &str, name: &str) -> f64 {
    count(series(campaign, layer, bench), &format!("outside/{name}"))
}

/// At once they would take each other's CPU, and fill each other's rings with records: they follow one another.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn known_causes_are_counted_to_the_last_one_and_told() {
    let _alone = ONE_AT_A_TIME.lock();
    let bench = Bench::new();
    let mut rows: Vec<&str> = KNOWN.iter().map(|(row, ..)| *row).collect();
    rows.dedup();
    let rows: Vec<String> = rows.iter().map(|row| format!("--bench {row}")).collect();
    let how = "--series 60ms --blocks 1 --seed 1 --explain --require --out shared";
    let line = format!("run --layers native,runc {} {how}", rows.join(" "));
    let ran = bench.tare_with(&line, &observed_parts::functions::LOOP);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("shared");
    observed_parts::functions::are_named(&bench, &campaign);
    for layer in ["native", "runc"] {
        for (row, name, known) in KNOWN {
            let found = seen(&campaign, layer, row, name);
            // What a neighbour does meanwhile may add a stray one.
            assert!(
                (found - known).abs() <= 0.01 * known.max(1.0),
                "{row} on {layer}: {found} {name}, {} records lost",
                seen(&campaign, layer, row, "lost")
            );
        }
    }
    for layer in ["native", "runc"] {
        let seen = |row: &str, name: &str| seen(&campaign, layer, row, name);
        let all = |row: &str, name: &str, kinds: [&str; 2]| {
            kinds.iter().map(|kind| seen(row, &format!("{name}/program/{kind}"))).sum::<f64>()
        };
        // A waker is pre-empted by what it wakes, or waits: there are two switches, and more where a neighbour takes the CPU.
        assert!(all("lmbench/pipe", "switches", ["waited", "preempted"]) > 1.98);
        assert!(seen("causes/sleep", "switches/program/waited") > 0.98);
        let (asleep, whole) =
            (seen("causes/sleep", "time/program/asleep"), seen("causes/sleep", "whole"));
        assert!(asleep > 25_000.0 && asleep > 0.5 * whole, "{layer}: {asleep} of {whole}");
        // A hundred thousand steps of a filter are the host's kernel's, though not a call is made more.
        let [user, kernel] =
            ["user", "kernel"].map(|mode| seen("causes/filtered", &format!("time/program/{mode}")));
        assert!(
            kernel > 5_000.0 && kernel > user,
            "{layer}: {kernel} in the kernel, {user} in user mode"
        );
        // So is the code that the clock found on the CPU.
        let places = places(&campaign, layer, "causes/filtered");
        let share = |of_kernel: bool| -> f64 {
            places
                .iter()
                .filter(|one| one.0.contains("/kernel:") == of_kernel)
                .map(|one| one.1)
                .sum()
        };
        let (kernel, user) = (share(true), share(false));
        assert!(kernel > user && kernel + user < 1.001, "{layer}: {places:?}");
    }
    // What primitives cost stands beside some of the baseline's rows, whatever was measured.
    for row in [
        "causes/stop",
        "causes/registers_general",
        "causes/registers_float",
        "lmbench/null_call",
        "operations/fault_anonymous",
    ] {
        let name = format!("outside/price/{row}");
        let counters = || campaign.series.iter().flat_map(|series| &series.counters);
        assert!(counters().any(|one| one.name == name && one.value > 0.0), "{row} has no price");
    }
    observed_parts::quota::is_told(&bench);
}

/// The code in which the clock found the layer, each place with its share.
fn places(campaign: &Campaign, layer: &str, bench: &str) -> Vec<(String, f64)> {
    let counters = series(campaign, layer, bench).counters.iter();
    let places = counters.filter(|one| one.name.starts_with("outside/found/"));
    places.map(|one| (one.name.clone(), one.value)).collect()
}

/// Every part of the layer together.
fn of_all_parts(campaign: &Campaign, layer: &str, what: &str, kind: &str) -> f64 {
    let of = |part: &&str| seen(campaign, layer, "start/warm", &format!("{what}/{part}/{kind}"));
    ["program", "kernel", "helper"].iter().map(of).sum()
}

#[test]
fn a_start_is_watched_from_before_its_first_process() {
    let _alone = ONE_AT_A_TIME.lock();
    let bench = Bench::new();
    let late = "name=late,kind=command,start=sh -c 'sleep 1; exec {probe} serve'";
    let line = "run --layers native,runc --baseline late --bench start/warm --load start/warm=1 --blocks 2 --explain --require --out c --layer";
    let ran = bench.tare_with(line, &[late]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    let campaign = bench.campaign("c");
    let execs = |layer: &str| of_all_parts(&campaign, layer, "calls", "execve");
    assert!(execs("native") >= 1.0, "the probe");
    assert!(execs("runc") > execs("native"), "the runtime, too: {}", execs("runc"));
    assert!(execs("late") >= execs("native") + 2.0, "a shell, and sleep: {}", execs("late"));
    for layer in ["native", "runc", "late"] {
        let states = ["user", "kernel", "ready", "asleep"];
        let sum: f64 = states.map(|kind| of_all_parts(&campaign, layer, "time", kind)).iter().sum();
        let whole = seen(&campaign, layer, "start/warm", "whole");
        assert!(
            whole > 0.0 && sum > 0.5 * whole && sum < 1.01 * whole,
            "{layer}: {sum} of {whole}"
        );
    }
    let asleep = |layer: &str| of_all_parts(&campaign, layer, "time", "asleep");
    // Long beside what a busy host lets the shell do meanwhile, which is on the path, too.
    assert!(asleep("late") > 950e6 && asleep("late") > asleep("native"), "{}", asleep("late"));
    let in_call = of_all_parts(&campaign, "late", "sleeps_in", "clock_nanosleep");
    assert!(in_call > 950e6, "{in_call}");
    let places = places(&campaign, "runc", "start/warm");
    let of_runc = |one: &(String, f64)| one.0.contains("runc");
    assert!(places.iter().any(of_runc), "its own code is on a CPU: {places:?}");
    let told = flat(&bench.ok("explain c start/warm --layer native").out);
    for words in ["One start is", "that are saved: ", "What is saved", "(clock nanosleep)"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

/// What an idle layer does is counted for a second: one that sleeps for 10 ms, again and again, does so more often than one that sleeps for 100.
fn is_idleness_told(bench: &Bench) {
    let (campaign, row) = (bench.campaign("c"), "sandbox/idle_cpu");
    let sleeps = |layer: &str| {
        let of =
            |part: &&str| seen(&campaign, layer, row, &format!("calls/{part}/clock_nanosleep"));
        ["program", "kernel", "helper"].iter().map(of).sum::<f64>()
    };
    let (restless, calm) = (sleeps("restless"), sleeps("calm"));
    assert!(restless <= 110.0 && calm <= 12.0 && restless > calm, "{restless}, {calm}");
    let told = flat(&bench.ok(&format!("explain c {row} --layer restless")).out);
    for words in ["One second is ", "Seen by the host, per second", "· mmap"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn an_explanation_is_tried_by_a_change_of_the_layer() {
    let _alone = ONE_AT_A_TIME.lock();
    let bench = Bench::new();
    let sleeps = |name: &str, s: &str| {
        format!(
            "name={name},kind=command,start=sh -c 'while sleep {s}; do :; done & exec {{probe}} serve'"
        )
    };
    let (calm, restless) = (sleeps("calm", "0.1"), sleeps("restless", "0.01"));
    let line = "run --layers runc --baseline calm --bench start/warm --load start/warm=1 --bench sandbox/idle_cpu --series 200ms --blocks 1 \
                --explain --require --out c --layer";
    let ran = bench.tare_with(line, &[&calm, "--layer", &restless]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    is_idleness_told(&bench);
    // A runtime that sleeps before it does anything: the start takes that longer, asleep.
    let slow = bench.path("slow-runc");
    std::fs::write(&slow, "#!/bin/sh\nsleep 1\nexec runc \"$@\"\n").unwrap();
    std::fs::set_permissions(&slow, std::fs::Permissions::from_mode(0o755)).unwrap();
    let change = format!("runtime={}", slow.display());
    let told = bench.ok(&format!("explain c start/warm --layer runc --try {change} --json")).out;
    let tried: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(tried["outcome"], "as_explained", "{told}");
    assert_eq!(tried["verdict"], "slower", "{told}");
    assert_eq!(tried["change"], change);
    let causes = tried["causes"].as_array().unwrap();
    let asleep = causes.iter().filter(|one| one["name"].as_str().unwrap().contains("asleep"));
    let longer = |one: &serde_json::Value| {
        one["after_ns"].as_f64().unwrap() - one["before_ns"].as_f64().unwrap()
    };
    let asleep: f64 = asleep.map(longer).sum();
    assert!(asleep > 900e6, "{asleep}: {told}");
    // It is kept: the same try measures nothing, and the explanation says what was tried of it.
    let again = bench.ok(&format!("explain c start/warm --layer runc --try {change}"));
    assert!(again.err.contains("what was tried before is told"), "{}", again.err);
    assert!(
        flat(&again.out).contains("The row moves as its causes do: with runtime="),
        "{}",
        again.out
    );
    assert_fits(&again.out);
    let marked = flat(&bench.ok("explain c start/warm --layer runc").out);
    assert!(marked.contains("Tried by a change: The row moves as its causes do"), "{marked}");
    for (words, why) in [
        ("c --layer runc --try cpus=1", "BENCHMARK"),
        ("c start/warm --layer runc --try no=1", "no setting 'no'"),
        ("c start/warm --layer runc --try kind=runc", "already"),
        ("c start/warm --layer runc --try cpus", "KEY=VALUE"),
        ("c start/warm --layer calm --try cpus=1", "no layer 'calm' to explain"),
    ] {
        let refused = bench.tare(&format!("explain {words}"));
        assert_eq!(refused.code, 2, "{words}: {}", refused.err);
        assert!(refused.err.contains(why), "{words}: {}", refused.err);
    }
}

/// A command that reads and writes so many times.
fn copies(times: u32) -> String {
    format!("dd if=/dev/zero of=/dev/null bs=1 count={times} status=none")
}

/// A run of a program is watched without its preparation and without what the probe does around it.
fn is_program_told(bench: &Bench, campaign: &Campaign) {
    let row = "program/dd";
    for call in ["read", "write"] {
        let [native, uml] = ["native", "uml"]
            .map(|layer| seen(campaign, layer, row, &format!("calls/program/{call}")));
        assert!((2000.0..2030.0).contains(&native), "{native} {call} natively");
        assert!(uml < 200.0, "{uml} {call} of the host in User-Mode Linux");
    }
    let stops = seen(campaign, "uml", row, "switches/program/stopped");
    assert!(stops > 4000.0, "a stop for each call: {stops}");
    for layer in ["gvisor", "uml"] {
        let told = bench.ok(&format!("explain c {row} --layer {layer}")).out;
        for part in ["One run is ", " natively)", "Seen by the host, per run", "Watched 1 run in"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert_fits(&told);
    }
}

/// A figure that a program prints is explained by what its whole run takes, which is watched once for all of its figures.
fn is_printed_figure_told(bench: &Bench, campaign: &Campaign) {
    assert!(seen(campaign, "uml", "program/says.a", "switches/program/stopped") > 4000.0);
    let second = series(campaign, "uml", "program/says.b");
    assert!(second.counters.iter().all(|counter| !counter.name.starts_with("outside/")));
    let told = flat(&bench.ok("explain c program/says.b --layer uml").out);
    for part in [
        "One run is ",
        "that are added to the run: ",
        "The row is a figure that the program prints. Times and causes are of its whole run, which takes ",
        "stops of a traced thread (",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = bench.ok("explain c program/says.b --layer uml --json").out;
    assert!(told.contains("\"run_of\": \"program/says.a\""), "{told}");
}

#[test]
fn what_acts_as_a_kernel_is_told_from_the_program_and_explained() {
    let _alone = ONE_AT_A_TIME.lock();
    let bench = Bench::new();
    let gvisor = format!("native,uml --layer name=gvisor,kind={CURRENT_GVISOR},cpus=1");
    // A program whose calls are known, after a preparation that makes more of them; one that prints two figures; and a server.
    let programs = format!(
        "bench = ['lmbench/null_call', 'kernel/getppid', 'lmbench/page_fault']\n[[program]]\nname = 'dd'\nprepare = '{}'\ncommand = ['sh', '-c', '{}']\n\
         [[program]]\nname = 'says'\nmetric = ['a (?<a>[0-9]+)', 'b (?<b>[0-9]+)']\nunit = ['KiB', 's']\nrepeat = 1\n\
         command = ['sh', '-c', '{}; echo a 5; echo b 7']\n{}",
        copies(3000),
        copies(2000),
        copies(2000),
        observed_parts::service::PROGRAM
    );
    bench.write("programs.toml", &programs);
    bench.ok(&format!(
        "run --config programs.toml --layers {gvisor} --series 60ms --blocks 1 \
         --seed 1 --explain --require --out c"
    ));
    let campaign = bench.campaign("c");
    is_program_told(&bench, &campaign);
    observed_parts::functions::are_not_named_of_guests(&campaign);
    is_printed_figure_told(&bench, &campaign);
    observed_parts::service::is_told(&bench, &campaign);
    // A tracer's kernel: a stop a call, and its calls to look at it; a sentry's: a futex each way.
    let calls = "kernel/getppid";
    assert!(seen(&campaign, "uml", calls, "calls/kernel/ptrace") > 20.0);
    assert!((9.0..12.0).contains(&seen(&campaign, "uml", calls, "switches/program/stopped")));
    // One fault a page, in a sample that is too long for a turn with several.
    let faults = seen(&campaign, "uml", "lmbench/page_fault", "signals/program/SIGSEGV");
    assert!((0.99..1.05).contains(&faults), "{faults}");
    assert!(seen(&campaign, "gvisor", calls, "calls/kernel/futex") > 9.0);
    assert_eq!(seen(&campaign, "gvisor", calls, "calls/program/getppid"), 0.0);
    for layer in ["gvisor", "uml"] {
        let told = bench.ok(&format!("explain c kernel/getppid --layer {layer}")).out;
        for part in [
            "Seen by the host",
            "Where the time goes",
            "What is added",
            "with a price",
            "a place alone",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert_fits(&told);
    }
    let uml = bench.ok("explain c kernel/getppid --layer uml").out;
    assert!(uml.contains("stops of a traced thread (") && uml.contains("registers ("), "{uml}");
    // In one of its rows the clock finds a function of the sentry twice; a getppid is mostly a switch.
    let gvisor = bench.ok("explain c --layer gvisor").out;
    assert!(
        gvisor.contains("Functions of programs on its CPUs") && gvisor.contains("\nrunsc: "),
        "{gvisor}"
    );
    let overall = bench.ok("explain c").out;
    assert!(overall.contains("Why, over all rows") && overall.contains("gvisor: "), "{overall}");
    let json = bench.ok("explain c kernel/getppid --layer gvisor --json").out;
    assert!(
        json.contains("\"outside\"")
            && json.contains("\"causes\"")
            && json.contains("\"known\": \"priced\""),
        "{json}"
    );
    let page = std::fs::read_to_string(bench.path("c/report.html")).unwrap();
    assert!(page.contains("Where the time of an operation goes"), "the page has its bar");
    observed_parts::stacks::are_told(&bench, &page);
}

//! Every benchmark runs natively, through the protocol, and leaves nothing behind.

mod probe;

use probe::{NEEDS_MORE, Probe, holdings, table};
use std::fs;
use std::time::Duration;
use tare_proto::{FromProbe, Request, ToProbe};

fn median(probe: &mut Probe, bench: &str) -> f64 {
    match probe.measure(bench) {
        FromProbe::Series(mut series) => {
            series.samples.sort_by(f64::total_cmp);
            series.samples[series.samples.len() / 2]
        }
        other => panic!("{bench}: {other:?}"),
    }
}

#[test]
fn every_benchmark_gives_finite_values_and_leaves_nothing_behind() {
    let mut probe = Probe::start("every");
    let before = holdings(probe.id());
    for bench in table().1 {
        let answer = probe.measure(&bench.name);
        let more = NEEDS_MORE.contains(&&*bench.name) || bench.needs == "root";
        if let (FromProbe::Unavailable { .. }, true) = (&answer, more) {
            continue;
        }
        let FromProbe::Series(series) = answer else { panic!("{}: {answer:?}", bench.name) };
        assert!((1..=3).contains(&series.samples.len()), "{}: {series:?}", bench.name);
        assert!(series.samples.iter().all(|value| value.is_finite()), "{}", bench.name);
        assert!(series.ops >= 1, "{}: {series:?}", bench.name);
        assert_eq!(holdings(probe.id()), before, "{}", bench.name);
    }
    let left: Vec<_> = fs::read_dir(&probe.scratch).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    probe.say(&ToProbe::Quit);
    assert_eq!(probe.answer(), FromProbe::Bye);
}

#[test]
fn what_does_more_costs_more() {
    let mut probe = Probe::start("more");
    // What else runs on this machine may stretch one of them, but not each time.
    let mut all = Vec::new();
    let is_ordered = (0..5).any(|_| {
        let rows =
            ["lmbench/null_call", "kernel/getppid", "lmbench/fork_exit", "lmbench/fork_shell"];
        all.push(rows.map(|name| median(&mut probe, name)));
        all.last().is_some_and(|costs| costs[0] > 0.0 && costs.is_sorted_by(|a, b| a < b))
    });
    assert!(is_ordered, "{all:?}");
}

#[test]
fn an_unknown_benchmark_is_a_failure_and_noise_is_passed_over() {
    let mut probe = Probe::start("unknown");
    let FromProbe::Failed { why, .. } = probe.measure("lmbench/nothing") else { panic!() };
    assert!(why.contains("lmbench/nothing"), "{why}");
    assert!(matches!(probe.measure("lmbench/null_call"), FromProbe::Series(_)));
}

#[test]
fn a_probe_whose_host_hangs_up_ends() {
    assert!(Probe::start("hangs-up").hang_up());
}

#[test]
fn a_killed_probe_takes_its_ring_with_it() {
    let mut probe = Probe::start("ring");
    let bench = "lmbench/ctx_16p_64k".to_owned();
    let request = Request {
        id: 1,
        bench,
        samples: 30,
        batch_ns: 1 << 30,
        limit_ms: 600_000,
        events: false,
        cache_bytes: 0,
        turns: false,
        term: None,
        program: None,
    };
    probe.say(&ToProbe::Run(request));
    let children = || {
        let pid = probe.id();
        let listed = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        listed.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let ring = wait_for(|| Some(children()).filter(|ring| ring.len() == 15));
    probe.kill();
    let alive = |pid: &String| match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat.contains(") Z "),
        Err(_) => false,
    };
    wait_for(|| (!ring.iter().any(alive)).then_some(()));
}

/// Asks until there is an answer, with a deadline.
fn wait_for<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("not within the deadline");
}

#[test]
fn perf_events_are_counted_or_refused_with_the_error() {
    let mut probe = Probe::start("events");
    let bench = "lmbench/fork_exit".to_owned();
    let request = Request {
        id: 1,
        bench,
        samples: 3,
        batch_ns: 1,
        limit_ms: 20,
        events: true,
        cache_bytes: 0,
        turns: false,
        term: None,
        program: None,
    };
    probe.say(&ToProbe::Run(request));
    assert_eq!(probe.answer(), FromProbe::Begin { id: 1 });
    let FromProbe::Series(series) = probe.answer() else { panic!("no series") };
    let of = |name: &str| series.counters.iter().find(|c| c.name == name).map(|c| c.value);
    assert!(of("perf/hardware_errno").or(of("perf/user/instructions")).unwrap() > 0.0);
    if let Some(faults) = of("perf/page_faults") {
        assert!(faults >= 1.0, "a child touches pages of its own: {faults}");
    }
    let FromProbe::Series(plain) = probe.measure("lmbench/fork_exit") else { panic!("no series") };
    assert!(plain.counters.iter().all(|c| !c.name.starts_with("perf/")), "not asked for");
}

#[test]
fn samples_of_its_own_are_counted_with_their_children_in_the_size_that_is_told() {
    let mut probe = Probe::start("own");
    let mut ask = |bench: &str| {
        let (bench, cache_bytes) = (bench.to_owned(), 4 << 20);
        let request = Request {
            id: 2,
            bench,
            samples: 3,
            batch_ns: 1,
            limit_ms: 100,
            events: true,
            cache_bytes,
            turns: false,
            term: None,
            program: None,
        };
        probe.say(&ToProbe::Run(request));
        assert_eq!(probe.answer(), FromProbe::Begin { id: 2 });
        let FromProbe::Series(series) = probe.answer() else { panic!("no series") };
        move |name: &str| series.counters.iter().find(|c| c.name == name).map(|c| c.value)
    };
    let of = ask("warehouse/mix@2");
    // Two warehouses of two caches each.
    assert_eq!(
        (of("cache_bytes"), of("working_set_bytes")),
        (Some(4e0 * 1048576.0), Some(16.0 * 1048576.0))
    );
    let of = ask("hackbench/process_pipe");
    assert!(of("perf/hardware_errno").or(of("perf/user/instructions")).unwrap() > 0.0);
    if let Some(switches) = of("perf/context_switches") {
        assert!(switches > 0.0, "forty processes that write to each other switch: {switches}");
    }
}

#[test]
fn the_calls_of_a_mix_are_counted_to_the_last() {
    let mut probe = Probe::start("calls");
    let bench = "aim7/syscalls".to_owned();
    let request = Request {
        id: 7,
        bench,
        samples: 1,
        batch_ns: 1,
        limit_ms: 60_000,
        events: false,
        cache_bytes: 0,
        turns: false,
        term: None,
        program: None,
    };
    probe.say(&ToProbe::Run(request));
    assert_eq!(probe.answer(), FromProbe::Begin { id: 7 });
    let FromProbe::Series(series) = probe.answer() else { panic!("no series") };
    let of = |name: &str| series.counters.iter().find(|c| c.name == name).unwrap().value * 78.0;
    // 1,000 signals are sent once; files are looked up at 5,120 places in four jobs and 256 in one, and emptied
    // and started again every megabyte: six of the jobs, thrice read, written, copied.
    assert_eq!(of("syscall/kill").round(), 1001.0);
    assert_eq!(of("syscall/link").round(), 63.0);
    assert!((18_800.0..19_300.0).contains(&of("syscall/brk")), "{}", of("syscall/brk"));
    assert!((20_736.0..20_900.0).contains(&of("syscall/lseek")), "{}", of("syscall/lseek"));
    assert_eq!(of("syscall/shmat").round(), 102.0);
}

#[test]
fn a_mix_of_more_users_than_there_is_room_for_is_refused_before_they_start() {
    let mut probe = Probe::start("room");
    let FromProbe::Unavailable { why, .. } = probe.measure("aim7/mix@4096") else { panic!() };
    assert!(why.contains("more than 512"), "{why}");
}

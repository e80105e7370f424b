//! Every benchmark runs natively, through the protocol, and leaves nothing behind.

mod probe;

use probe::{Probe, table};
use std::fs;
use std::time::Duration;
use tare_proto::{FromProbe, Request, ToProbe};

/// What a process holds that a benchmark could leave behind: children, descriptors, handlers.
fn holdings(pid: u32) -> (String, usize, Vec<String>) {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let kept = ["Sig", "Shd", "Cpus_allowed:"];
    let masks = status.lines().filter(|line| kept.iter().any(|key| line.starts_with(key)));
    (children, descriptors, masks.map(str::to_owned).collect())
}

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
        let FromProbe::Series(series) = answer else { panic!("{}: {answer:?}", bench.name) };
        assert!((1..=3).contains(&series.samples.len()), "{}: {series:?}", bench.name);
        assert!(series.samples.iter().all(|value| value.is_finite()), "{}", bench.name);
        assert!(series.ops >= 1 && series.warmup >= 1, "{}: {series:?}", bench.name);
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
    let call = median(&mut probe, "lmbench/null_call");
    let fork = median(&mut probe, "lmbench/fork_exit");
    let shell = median(&mut probe, "lmbench/fork_shell");
    assert!(0.0 < call && call < fork && fork < shell, "{call} {fork} {shell}");
    assert!(call < median(&mut probe, "kernel/getppid"));
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
    let request = Request { id: 1, bench, samples: 30, batch_ns: 1 << 30, limit_ms: 600_000 };
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

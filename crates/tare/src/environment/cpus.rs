//! Checks of the CPUs: who else uses them, and how fast they run.

use super::view::{BUSY, named, percent};
use super::{Answer, Check, State, View};
use tare_layers::has_measured_layer;
use tare_run::{CoreKind, core_kind, list};

pub const LOAD: Check = Check {
    name: "load",
    about: "how busy the layers' CPUs are before the measurement, and the load average",
    when: "a CPU of the layers is busy for more than 10% of 200 ms; notes a load average above half the CPUs",
    remedy: "end other work, or name idle CPUs with --pin",
    look: |view| {
        let busy: Vec<(u32, f64)> =
            view.measured().iter().filter_map(|&cpu| Some((cpu, view.busy(cpu)?))).collect();
        let average = view.read("proc/loadavg").and_then(|text| {
            text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok())
        });
        let average_text = average.map_or(String::new(), |a| format!(", load average {a}"));
        let Some((cpu, most)) = busy.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Answer::new(State::Unknown, format!("CPU times cannot be read{average_text}"));
        };
        let text = format!("CPU {cpu} is busy for {} of its time{average_text}", percent(most));
        let loaded = average.is_some_and(|average| 2.0 * average > view.allowed.len() as f64);
        Answer::new(State::worst_of(most > BUSY, loaded), text)
    },
};

/// Where control groups are mounted.
const GROUPS: &str = "sys/fs/cgroup";

pub const CAMPAIGNS: Check = Check {
    name: "campaigns",
    about: "whether another campaign measures on this machine: its layers get a CPU before anything else does, tare included",
    when: "there is the control group of such a layer, with a process in it",
    remedy: "wait until the other campaign has ended",
    look: |view| {
        let below = view.names(GROUPS);
        if below.is_empty() {
            return Answer::new(State::Unknown, "there are no control groups");
        }
        // Of version 2 that is the hierarchy itself, of version 1 each is a folder in it.
        let mount = view.root().join(GROUPS);
        let of_first = || below.iter().any(|name| has_measured_layer(&mount.join(name)));
        match has_measured_layer(&mount) || of_first() {
            true => Answer::new(State::Warning, "another campaign measures on this machine"),
            false => Answer::new(State::Fine, "no other campaign measures on this machine"),
        }
    },
};

pub const STEAL: Check = Check {
    name: "steal",
    about: "steal time: how long the hypervisor took the layers' CPUs away, over 200 ms and since the machine started",
    when: "1% or more is stolen now; notes 0.1% or more since the start",
    remedy: "use a dedicated or bare-metal machine; more blocks average the rest out",
    look: |view| {
        let stolen: Vec<(f64, f64)> =
            view.measured().iter().filter_map(|&cpu| view.stolen(cpu)).collect();
        if stolen.is_empty() {
            return Answer::new(State::Unknown, "CPU times cannot be read");
        }
        let most = |pick: fn(&(f64, f64)) -> f64| stolen.iter().map(pick).fold(0.0, f64::max);
        let now = most(|s| s.0);
        let ever = most(|s| s.1);
        let text = format!(
            "the hypervisor takes {} now, {:.2}% since the start",
            percent(now),
            100.0 * ever
        );
        Answer::new(State::worst_of(now >= 0.01, ever >= 0.001), text)
    },
};

pub const SHARED: Check = Check {
    name: "cpus",
    about: "which CPUs layers are pinned to, and whether tare itself can use others",
    when: "layers are not pinned, no CPU is left for tare and everything else, or they are on cores of several kinds; \
           notes which kind of core was chosen where there are several",
    remedy: "use a machine with more CPUs of one kind than the largest layer has, and --pin auto",
    look: |view| {
        let may = view.allowed.len();
        let pinned = &view.pinned;
        let rest = view.allowed.iter().filter(|cpu| !pinned.contains(cpu)).count();
        match (pinned.is_empty(), rest) {
            (true, _) if may <= 1 => Answer::new(
                State::Warning,
                format!("only {may} usable CPU: layers share it with tare and everything else"),
            ),
            (true, _) => {
                Answer::new(State::Note, format!("layers are not pinned; {may} usable CPUs"))
            }
            (_, 0) => {
                Answer::new(State::Warning, format!("no CPU is left besides {}", named(pinned)))
            }
            (_, rest) => pinned_to(view, &format!("{rest} left for everything else")),
        }
    },
};

/// Where layers are pinned, and why there on a host whose cores differ.
fn pinned_to(view: &View, rest: &str) -> Answer {
    let layers = format!("layers on {}", named(&view.pinned));
    let online = view.read("sys/devices/system/cpu/online").map(|text| list(&text));
    let all = online.unwrap_or_else(|| view.allowed.clone());
    match core_kind(view.root(), &all, &view.pinned) {
        CoreKind::Only => Answer::new(State::Fine, format!("{layers}, {rest}")),
        CoreKind::One(kind) => Answer::new(State::Note, format!("{layers}, {kind}, {rest}")),
        CoreKind::Mixed(kinds) => Answer::new(State::Warning, format!("{layers}, {kinds}, {rest}")),
    }
}

pub const QUOTA: Check = Check {
    name: "quota",
    about: "a CPU time limit on tare's control group (cpu.max, or cpu.cfs_quota_us of version 1)",
    when: "there is one: a layer that exceeds it is stopped for the rest of the period",
    remedy: "run outside of the limited container, or lift its CPU limit",
    look: |view| {
        let groups = view.read("proc/self/cgroup").unwrap_or_default();
        let places: Vec<(String, &str)> = groups.lines().filter_map(cpu_group).collect();
        if places.is_empty() {
            return Answer::new(State::Unknown, "no control group that limits CPU time was found");
        }
        let mut folders = places.iter().flat_map(|(mount, path)| {
            let upwards = std::iter::successors(Some(*path), |folder| {
                folder.rsplit_once('/').map(|(parent, _)| parent)
            });
            upwards.map(move |folder| format!("{mount}{}", folder.trim_end_matches('/')))
        });
        match folders.find_map(|folder| limit(view, &folder)) {
            Some((quota, period)) => Answer::new(
                State::Warning,
                format!("CPU time is limited to {quota} of every {period} µs"),
            ),
            None => Answer::new(State::Fine, "no CPU time limit"),
        }
    },
};

/// Where the group of a line of `/proc/self/cgroup` that can limit CPU time has its files, and its path there. Of
/// version 1 it is the hierarchy that the controller `cpu` is in, however many share it.
fn cpu_group(line: &str) -> Option<(String, &str)> {
    let mut parts = line.splitn(3, ':').skip(1);
    let controllers = parts.next()?;
    let path = parts.next()?;
    match controllers {
        "" => Some(("sys/fs/cgroup".into(), path)),
        some if some.split(',').any(|one| one == "cpu") => {
            Some((format!("sys/fs/cgroup/{some}"), path))
        }
        _ => None,
    }
}

/// The limit that a group's folder holds, of either version: so much of every period, in microseconds.
fn limit(view: &View, folder: &str) -> Option<(String, String)> {
    if let Some(text) = view.read(&format!("{folder}/cpu.max")) {
        let (quota, period) = text.split_once(' ')?;
        return (quota != "max").then(|| (quota.to_owned(), period.to_owned()));
    }
    let quota = view.read(&format!("{folder}/cpu.cfs_quota_us"))?;
    let period = view.read(&format!("{folder}/cpu.cfs_period_us"))?;
    (!quota.starts_with('-')).then_some((quota, period))
}

pub const SIBLINGS: Check = Check {
    name: "siblings",
    about: "SMT siblings of the layers' CPUs, which share their cores",
    when: "a sibling is busy for more than 10% of 200 ms; notes one that is online and not pinned",
    remedy: "echo off > /sys/devices/system/cpu/smt/control, or keep the sibling idle",
    look: |view| {
        let mut siblings = Vec::new();
        let mut known = false;
        for cpu in view.measured() {
            let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
            let Some(text) = view.read(&path) else { continue };
            known = true;
            siblings
                .extend(list(&text).into_iter().filter(|other| !view.measured().contains(other)));
        }
        if !known {
            return Answer::new(State::Unknown, "the CPUs' topology cannot be read");
        }
        let busy: Vec<u32> = siblings
            .iter()
            .copied()
            .filter(|&cpu| view.busy(cpu).is_some_and(|b| b > BUSY))
            .collect();
        match (siblings.is_empty(), busy.is_empty()) {
            (true, _) => Answer::new(State::Fine, "no SMT sibling shares the layers' cores"),
            (_, false) => {
                Answer::new(State::Warning, format!("{} shares a core and is busy", named(&busy)))
            }
            _ => Answer::new(
                State::Note,
                format!("{} shares a core with the layers", named(&siblings)),
            ),
        }
    },
};

pub const GOVERNOR: Check = Check {
    name: "governor",
    about: "frequency scaling of the layers' CPUs",
    when: "the governor is not performance",
    remedy: "cpupower frequency-set --governor performance",
    look: |view| {
        let of = |cpu: &u32| {
            view.read(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
        };
        let mut governors: Vec<String> = view.measured().iter().filter_map(of).collect();
        governors.sort();
        governors.dedup();
        match governors.iter().find(|governor| *governor != "performance") {
            _ if governors.is_empty() => Answer::new(
                State::Unknown,
                "no frequency scaling visible (virtual machines hide it)",
            ),
            Some(slow) => Answer::new(State::Warning, format!("the frequency governor is {slow}")),
            None => Answer::new(State::Fine, "the frequency governor is performance"),
        }
    },
};

pub const TURBO: Check = Check {
    name: "turbo",
    about: "turbo or boost frequencies, which depend on temperature and on the other cores",
    when: "notes that they are on",
    remedy: "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > .../cpufreq/boost",
    look: |view| {
        let off = view.read("sys/devices/system/cpu/intel_pstate/no_turbo").map(|text| text == "1");
        let boost = view.read("sys/devices/system/cpu/cpufreq/boost").map(|text| text == "0");
        match off.or(boost) {
            Some(true) => Answer::new(State::Fine, "turbo is off"),
            Some(false) => Answer::new(State::Note, "turbo is on: clocks vary with heat and load"),
            None => {
                Answer::new(State::Unknown, "no turbo switch visible (virtual machines hide it)")
            }
        }
    },
};

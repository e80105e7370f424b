//! Checks of the CPUs: who else uses them, and how fast they run.

use super::view::{list, named, percent};
use super::{Check, Look, State};

/// A CPU that is busy for more than this disturbs what is measured on it.
const BUSY: f64 = 0.10;

pub const LOAD: Check = Check {
    name: "load",
    about: "how busy the layers' CPUs are before anything is measured, and the load average",
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
            return Look::new(State::Unknown, format!("CPU times cannot be read{average_text}"));
        };
        let text = format!("CPU {cpu} is busy for {} of its time{average_text}", percent(most));
        let loaded = average.is_some_and(|average| 2.0 * average > view.allowed.len() as f64);
        Look::new(State::worst_of(most > BUSY, loaded), text)
    },
};

pub const STEAL: Check = Check {
    name: "steal",
    about: "time that the hypervisor took the layers' CPUs away, over 200 ms and since the machine started",
    when: "1% or more is taken now; notes 0.1% or more since the start",
    remedy: "use a dedicated or bare-metal machine; more blocks average what is left",
    look: |view| {
        let stolen: Vec<(f64, f64)> =
            view.measured().iter().filter_map(|&cpu| view.stolen(cpu)).collect();
        if stolen.is_empty() {
            return Look::new(State::Unknown, "CPU times cannot be read");
        }
        let most = |pick: fn(&(f64, f64)) -> f64| stolen.iter().map(pick).fold(0.0, f64::max);
        let (now, ever) = (most(|s| s.0), most(|s| s.1));
        let text = format!(
            "the hypervisor takes {} now, {:.2}% since the start",
            percent(now),
            100.0 * ever
        );
        Look::new(State::worst_of(now >= 0.01, ever >= 0.001), text)
    },
};

pub const SHARED: Check = Check {
    name: "cpus",
    about: "whether tare can keep off the layers' CPUs",
    when: "layers are not pinned, or no CPU is left for tare and everything else",
    remedy: "use a machine with more CPUs than the largest layer has, and --pin auto",
    look: |view| {
        let (may, pinned) = (view.allowed.len(), &view.pinned);
        let rest = view.allowed.iter().filter(|cpu| !pinned.contains(cpu)).count();
        match (pinned.is_empty(), rest) {
            (true, _) if may <= 1 => Look::new(
                State::Warning,
                format!("{} CPU to be used: layers share it with tare and everything else", may),
            ),
            (true, _) => {
                Look::new(State::Note, format!("layers are not pinned; {may} CPUs to be used"))
            }
            (_, 0) => Look::new(State::Warning, format!("no CPU is left beside {}", named(pinned))),
            (_, rest) => Look::new(
                State::Fine,
                format!("layers on {}, {rest} left for all else", named(pinned)),
            ),
        }
    },
};

pub const QUOTA: Check = Check {
    name: "quota",
    about: "a limit of CPU time on tare's control group (/sys/fs/cgroup/.../cpu.max)",
    when: "there is one: what is over it stands still for the rest of the period",
    remedy: "run outside of the limited container, or lift its CPU limit",
    look: |view| {
        let groups = view.read("proc/self/cgroup").unwrap_or_default();
        let Some(path) = groups.lines().find_map(|line| line.strip_prefix("0::")) else {
            return Look::new(State::Unknown, "no cgroup v2 hierarchy");
        };
        let limit = |folder: &str| {
            let text =
                view.read(&format!("sys/fs/cgroup{}/cpu.max", folder.trim_end_matches('/')))?;
            (!text.starts_with("max")).then_some(text)
        };
        let mut folders = std::iter::successors(Some(path), |folder| {
            folder.rsplit_once('/').map(|(parent, _)| parent)
        });
        match folders.find_map(limit) {
            Some(limit) => {
                let limit = limit.replace(' ', " of every ");
                Look::new(State::Warning, format!("CPU time is limited to {limit} µs"))
            }
            None => Look::new(State::Fine, "no limit of CPU time"),
        }
    },
};

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
            return Look::new(State::Unknown, "the CPUs' topology cannot be read");
        }
        let busy: Vec<u32> = siblings
            .iter()
            .copied()
            .filter(|&cpu| view.busy(cpu).is_some_and(|b| b > BUSY))
            .collect();
        match (siblings.is_empty(), busy.is_empty()) {
            (true, _) => Look::new(State::Fine, "no SMT sibling shares the layers' cores"),
            (_, false) => {
                Look::new(State::Warning, format!("{} shares a core and is busy", named(&busy)))
            }
            _ => Look::new(
                State::Note,
                format!("{} shares a core with the layers", named(&siblings)),
            ),
        }
    },
};

pub const GOVERNOR: Check = Check {
    name: "governor",
    about: "frequency scaling of the layers' CPUs",
    when: "the governor is another than performance",
    remedy: "cpupower frequency-set --governor performance",
    look: |view| {
        let of = |cpu: &u32| {
            view.read(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
        };
        let mut governors: Vec<String> = view.measured().iter().filter_map(of).collect();
        governors.sort();
        governors.dedup();
        match governors.iter().find(|governor| *governor != "performance") {
            _ if governors.is_empty() => Look::new(
                State::Unknown,
                "no frequency scaling to be seen (virtual machines hide it)",
            ),
            Some(slow) => Look::new(State::Warning, format!("the frequency governor is {slow}")),
            None => Look::new(State::Fine, "the frequency governor is performance"),
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
            Some(true) => Look::new(State::Fine, "turbo is off"),
            Some(false) => Look::new(State::Note, "turbo is on: clocks vary with heat and load"),
            None => {
                Look::new(State::Unknown, "no turbo switch to be seen (virtual machines hide it)")
            }
        }
    },
};

//! Every check against hand-made trees: a quiet bare-metal machine, a noisy one, a guest, an empty one.

use super::{CHECKS, CheckResult, State, View, comments, for_machines, for_people, look};
use std::fs;
use tempfile::TempDir;

/// Files below the root, and their text.
type Tree = &'static [(&'static str, &'static str)];

const METAL: Tree = &[
    ("proc/loadavg", "0.02 0.10 0.20 1/200 999\n"),
    ("proc/self/cgroup", "0::/user.slice/tare\n"),
    ("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
    ("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2\n"),
    ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n"),
    ("sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n"),
    ("sys/bus/event_source/devices/cpu/type", "4\n"),
    ("proc/sys/kernel/perf_event_paranoid", "1\n"),
    ("proc/swaps", "Filename Type Size Used Priority\n/swap file 999 0 -2\n"),
    ("proc/mounts", "proc /proc proc rw 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n"),
    ("proc/cpuinfo", "processor : 0\nflags : fpu tsc\n"),
];

/// What is otherwise on a loud machine.
const LOUD: Tree = &[
    ("proc/loadavg", "6.37 3.75 3.21 11/173 14269\n"),
    ("sys/fs/cgroup/user.slice/cpu.max", "50000 100000\n"),
    ("sys/fs/cgroup/tare-0123456789abcdef-share/cpu.weight", "2500\n"),
    ("sys/fs/cgroup/tare-0123456789abcdef-share/cgroup.procs", "77\n"),
    ("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "1-2\n"),
    ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil\n"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
    ("proc/sys/kernel/randomize_va_space", "0\n"),
    ("sys/devices/system/cpu/vulnerabilities/mds", "Vulnerable; SMT vulnerable\n"),
    ("proc/sys/kernel/perf_event_paranoid", "3\n"),
    ("proc/swaps", "Filename Type Size Used Priority\n/swap file 999 3000 -2\n"),
    ("proc/mounts", "tmpfs /dev/shm tmpfs rw 0 0\n/dev/vda /dev/shm ext4 rw 0 0\n"),
    ("proc/cpuinfo", "processor : 0\nflags : fpu tsc hypervisor\n"),
];

/// CPU times: user nice system idle iowait irq softirq steal guest guest_nice.
const START: &str = "cpu 9 9\ncpu1 0 0 0 100 0 0 0 0 0 0\ncpu2 0 0 0 10000 0 0 0 0 0 0\nintr 5\n";
const QUIET: &str = "cpu1 0 0 0 120 0 0 0 0 0 0\ncpu2 1 0 0 10019 0 0 0 0 0 0\n";
const BUSY: &str = "cpu1 9 0 0 111 0 0 0 0 0 0\ncpu2 10 0 0 10005 0 0 0 5 9 0\n";

/// Every check's finding in the trees, the later one over the earlier.
fn found(trees: &[Tree], allowed: &[u32], pinned: &[u32], after: &str) -> Vec<CheckResult> {
    let root = TempDir::new().expect("a temporary folder");
    for (path, text) in trees.concat() {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let root = root.path().to_owned();
    look(&View::new(root, allowed.to_vec(), pinned.to_vec(), [START, after]))
}

fn states(found: &[CheckResult]) -> Vec<(&str, State)> {
    found.iter().map(|found| (found.check.name, found.state)).collect()
}

#[test]
fn a_quiet_machine_of_metal_is_fine() {
    let found = found(&[METAL], &[0, 1, 2], &[2], QUIET);
    for one in &found {
        assert_eq!(one.state, State::Fine, "{}: {}", one.check.name, one.text);
    }
    assert_eq!(comments(&found), [""; 0]);
}

#[test]
fn everything_that_disturbs_is_found() {
    use State::{Note, Warning};
    let found = found(&[METAL, LOUD], &[2], &[2], BUSY);
    let expected = [
        ("load", Warning, "CPU 2 is busy for 75% of its time, load average 6.37"),
        ("campaigns", Warning, "another campaign measures on this machine"),
        ("steal", Warning, "the hypervisor takes 25% now, 0.05% since the start"),
        ("cpus", Warning, "no CPU is left besides CPU 2"),
        ("quota", Warning, "CPU time is limited to 50000 of every 100000 µs"),
        ("siblings", Warning, "CPU 1 shares a core and is busy"),
        ("governor", Warning, "the frequency governor is schedutil"),
        ("turbo", Note, "turbo is on: clocks vary with heat and load"),
        ("clock", Warning, "the clock source hpet is slow to read, so short batches are coarse"),
        ("hugepages", Note, "transparent huge pages: always: memory benchmarks may be bimodal"),
        (
            "aslr",
            Note,
            "addresses are not randomised: all boots share one layout, which may bias the result",
        ),
        ("mitigations", Note, "1 of 2 vulnerabilities mitigated, open: mds"),
        ("counters", Note, "perf events are for root only (perf_event_paranoid 3)"),
        ("swap", Warning, "3 MiB of swap are in use"),
        ("shm", Warning, "/dev/shm is ext4, not a tmpfs"),
        ("virtual", Note, "this machine is a virtual machine"),
    ];
    for (one, (name, state, text)) in found.iter().zip(expected) {
        assert_eq!((one.check.name, one.state, one.text.as_str()), (name, state, text));
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn an_empty_machine_is_unknown_and_nothing_panics() {
    let found = found(&[], &[], &[], "garbage\ncpu x\ncpu1 -1 99999999999999999999\n");
    let odd = ["cpus", "counters"];
    for one in found.iter().filter(|one| !odd.contains(&one.check.name)) {
        assert_eq!(one.state, State::Unknown, "{}: {}", one.check.name, one.text);
    }
}

#[test]
fn a_simulated_machine_and_what_is_left_of_a_layer_are_no_campaign() {
    let of = |weight: &'static str, processes: &'static str| {
        let group: [(&str, &str); 2] = [
            ("sys/fs/cgroup/cpu/tare-1f-share/cpu.shares", weight),
            ("sys/fs/cgroup/cpu/tare-1f-share/cgroup.procs", processes),
        ];
        let found = found(&[Box::leak(Box::new(group))], &[0], &[], "");
        states(&found).into_iter().find(|(name, _)| *name == "campaigns").expect("the row").1
    };
    assert_eq!(of("1024\n", "77\n"), State::Fine);
    assert_eq!(of("65536\n", ""), State::Fine);
    assert_eq!(of("65536\n", "77\n"), State::Warning);
}

#[test]
fn idle_siblings_and_unpinned_layers_are_notes() {
    let siblings = ("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "1,2\n");
    let tree: Tree = Box::leak(Box::new([siblings]));
    let found_here = found(&[METAL, tree], &[0, 1, 2], &[2], QUIET);
    assert!(states(&found_here).contains(&("siblings", State::Note)));
    let found_here = found(&[METAL], &[0, 1, 2], &[], QUIET);
    assert!(states(&found_here).contains(&("cpus", State::Note)));
}

#[test]
fn warnings_are_comments_of_their_own_and_notes_share_one() {
    let found = found(&[METAL, LOUD], &[2], &[2], BUSY);
    let comments = comments(&found);
    let warnings = found.iter().filter(|one| one.state == State::Warning).count();
    assert_eq!(comments.len(), warnings + 1);
    assert!(comments[0].starts_with("at the start: CPU 2 is busy"), "{}", comments[0]);
    assert!(comments[0].contains("remedy: end other work"), "{}", comments[0]);
    let last = comments.last().expect("notes");
    assert!(last.starts_with("about this machine: turbo is on"), "{last}");
}

#[test]
fn people_and_machines_read_every_row() {
    let found = found(&[METAL, LOUD], &[2], &[2], BUSY);
    let text = for_people(&found);
    let json = for_machines(&found);
    for check in CHECKS {
        assert!(text.contains(check.name), "{} is not in\n{text}", check.name);
        assert!(
            json.as_array().is_some_and(|all| all.iter().any(|one| one["check"] == check.name))
        );
        assert!(!check.about.is_empty() && !check.when.is_empty() && !check.remedy.is_empty());
    }
}

#[test]
fn every_check_has_a_row() {
    let files = [include_str!("cpus.rs"), include_str!("host.rs"), include_str!("kernel.rs")];
    let defined: usize = files.iter().map(|text| text.matches(": Check = Check {").count()).sum();
    assert_eq!(defined, CHECKS.len());
}

#[test]
fn a_quota_of_either_version_of_control_groups_is_found() {
    let of = |tree: &[(&'static str, &'static str)]| {
        let tree: Tree = Box::leak(tree.to_vec().into_boxed_slice());
        let found = found(&[tree], &[0], &[], "");
        let quota = found.into_iter().find(|one| one.check.name == "quota").expect("the row");
        (quota.state, quota.text)
    };
    let groups = ("proc/self/cgroup", "5:memory:/box\n4:cpu,cpuacct:/box/inner\n0::/\n");
    let period = ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    let quota = ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "25000\n");
    let none = ("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "-1\n");
    let limited = "CPU time is limited to 25000 of every 100000 µs".to_owned();
    assert_eq!(of(&[groups, period, quota]), (State::Warning, limited.clone()));
    assert_eq!(of(&[groups, period, none]).0, State::Fine);
    // In a container the group's path is the host's, and its files are at the mount's root.
    let alone = ("proc/self/cgroup", "4:cpu:/docker/4f\n");
    let period = ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    let quota = ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "25000\n");
    assert_eq!(of(&[alone, period, quota]), (State::Warning, limited));
}

#[test]
fn the_kind_of_core_that_layers_are_on_is_said() {
    let capacity: Tree = &[
        ("sys/devices/system/cpu/online", "0-2\n"),
        ("sys/devices/system/cpu/cpu0/cpu_capacity", "1024\n"),
        ("sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n"),
        ("sys/devices/system/cpu/cpu2/cpu_capacity", "446\n"),
    ];
    let of = |pinned: &[u32]| {
        let found = found(&[capacity], &[0, 1, 2], pinned, "");
        let cpus = found.into_iter().find(|one| one.check.name == "cpus").expect("the row");
        (cpus.state, cpus.text)
    };
    let fast = "layers on CPU 1, of the fastest kind of core (capacity 1024; others have 446), \
                2 left for everything else";
    assert_eq!(of(&[1]), (State::Note, fast.to_owned()));
    assert_eq!(of(&[1, 2]).0, State::Warning);
}

//! Checks of memory, and of what this machine itself runs on.

use super::{Answer, Check, State};

pub const SWAP: Check = Check {
    name: "swap",
    about: "swap space in use",
    when: "some is in use: memory that a layer touches may first have to be read back",
    remedy: "free memory and run swapoff -a",
    look: |view| {
        let Some(text) = view.read("proc/swaps") else {
            return Answer::new(State::Unknown, "swap cannot be read");
        };
        let used = |line: &str| line.split_whitespace().nth(3)?.parse::<u64>().ok();
        let used: u64 = text.lines().skip(1).filter_map(used).sum();
        match used {
            0 => Answer::new(State::Fine, "no swap in use"),
            kib => Answer::new(
                State::Warning,
                format!("{} MiB of swap are in use", kib.div_ceil(1024)),
            ),
        }
    },
};

pub const SHM: Check = Check {
    name: "shm",
    about: "whether /dev/shm is in memory: files of layers and the memory of guests are kept there",
    when: "it is not a tmpfs",
    remedy: "mount -t tmpfs tmpfs /dev/shm",
    look: |view| {
        let mounts = view.read("proc/mounts").unwrap_or_default();
        let mut words = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let kind = words.rfind(|words| words.get(1) == Some(&"/dev/shm"));
        let kind = kind.and_then(|words| words.get(2).map(|kind| (*kind).to_owned()));
        match kind.as_deref() {
            Some("tmpfs") => Answer::new(State::Fine, "/dev/shm is a tmpfs"),
            Some(kind) => Answer::new(State::Warning, format!("/dev/shm is {kind}, not a tmpfs")),
            None if mounts.is_empty() => Answer::new(State::Unknown, "mounts cannot be read"),
            None => Answer::new(State::Warning, "/dev/shm is not a mount point"),
        }
    },
};

pub const VIRTUAL: Check = Check {
    name: "virtual",
    about: "whether this machine is itself a virtual machine",
    when: "notes that it is: other guests may disturb unseen, and layers that use hardware virtualization cost more than on bare metal",
    remedy: "for bare-metal figures, run on bare metal",
    look: |view| {
        let cpus = view.read("proc/cpuinfo").unwrap_or_default();
        let flags = cpus.lines().find(|line| line.starts_with("flags"));
        let hypervisor =
            flags.is_some_and(|line| line.split_whitespace().any(|f| f == "hypervisor"));
        match (view.read("sys/hypervisor/type"), hypervisor) {
            (Some(kind), _) => {
                Answer::new(State::Note, format!("this machine is a {kind} virtual machine"))
            }
            (None, true) => Answer::new(State::Note, "this machine is a virtual machine"),
            (None, false) if cpus.is_empty() => Answer::new(State::Unknown, "CPUs cannot be read"),
            _ => Answer::new(State::Fine, "no hypervisor detected"),
        }
    },
};

//! Checks of the kernel's settings.

use super::{Answer, Check, State};

/// Clock sources that are read without a system call.
const FAST: &[&str] = &[
    "tsc",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
    "timebase",
    "tod",
    "riscv_clocksource",
];

pub const CLOCK: Check = Check {
    name: "clock",
    about: "the kernel's clock source",
    when: "reading it takes a system call or slow hardware (hpet, acpi_pm, jiffies, xen)",
    remedy: "boot with clocksource=tsc tsc=reliable if the hardware's counter is sound",
    look: |view| match view.read("sys/devices/system/clocksource/clocksource0/current_clocksource")
    {
        None => Answer::new(State::Unknown, "the clock source cannot be read"),
        Some(clock) if FAST.contains(&clock.as_str()) => {
            Answer::new(State::Fine, format!("the clock source is {clock}"))
        }
        Some(clock) => Answer::new(
            State::Warning,
            format!("the clock source {clock} is slow to read, so short batches are coarse"),
        ),
    },
};

pub const HUGE_PAGES: Check = Check {
    name: "hugepages",
    about: "transparent huge pages",
    when: "notes that they are used for all memory (always)",
    remedy: "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    look: |view| {
        let Some(text) = view.read("sys/kernel/mm/transparent_hugepage/enabled") else {
            return Answer::new(State::Unknown, "no transparent huge pages on this kernel");
        };
        let active = text.split(['[', ']']).nth(1).unwrap_or("").to_owned();
        let said = format!("transparent huge pages: {active}");
        match active.as_str() {
            "always" => {
                Answer::new(State::Note, format!("{said}: memory benchmarks may be bimodal"))
            }
            _ => Answer::new(State::Fine, said),
        }
    },
};

pub const ASLR: Check = Check {
    name: "aslr",
    about: "address space randomisation: each boot gets another layout, so that no single one biases the result",
    when: "notes that they are off or partial",
    remedy: "sysctl kernel.randomize_va_space=2",
    look: |view| match view.read("proc/sys/kernel/randomize_va_space").as_deref() {
        Some("2") => Answer::new(State::Fine, "addresses are randomised"),
        Some("1") => Answer::new(State::Note, "addresses are randomised, except for the heap"),
        Some("0") => Answer::new(
            State::Note,
            "addresses are not randomised: all boots share one layout, which may bias the result",
        ),
        _ => Answer::new(State::Unknown, "address randomisation cannot be read"),
    },
};

pub const MITIGATIONS: Check = Check {
    name: "mitigations",
    about: "the CPU's vulnerabilities and the kernel's mitigations, which make system calls slower",
    when: "notes what is not mitigated: machines that mitigate it are slower",
    remedy: "compare only with machines with the same mitigations (mitigations= on the kernel's command line)",
    look: |view| {
        let folder = "sys/devices/system/cpu/vulnerabilities";
        let mut mitigated = 0;
        let mut open = Vec::new();
        let names = view.names(folder);
        for name in &names {
            let state = view.read(&format!("{folder}/{name}")).unwrap_or_default();
            match state.split([':', ';']).next().unwrap_or("") {
                "Vulnerable" => open.push(name.as_str()),
                "Mitigation" => mitigated += 1,
                _ => {}
            }
        }
        match (names.len(), open.is_empty()) {
            (0, _) => Answer::new(State::Unknown, "CPU vulnerabilities cannot be read"),
            (all, true) => Answer::new(
                State::Fine,
                format!("{mitigated} of {all} vulnerabilities mitigated, none open"),
            ),
            (all, false) => Answer::new(
                State::Note,
                format!(
                    "{mitigated} of {all} vulnerabilities mitigated, open: {}",
                    open.join(", ")
                ),
            ),
        }
    },
};

pub const COUNTERS: Check = Check {
    name: "counters",
    about: "hardware performance counters, which help to explain why a layer is slower",
    when: "notes that there are none, or that this user may not read them",
    remedy: "sysctl kernel.perf_event_paranoid=1; in a virtual machine, one with a virtual PMU",
    look: |view| {
        let devices = view.names("sys/bus/event_source/devices");
        let hardware =
            devices.iter().any(|device| device.starts_with("cpu") || device.contains("pmu"));
        let paranoid = view.read("proc/sys/kernel/perf_event_paranoid");
        let level: Option<i32> = paranoid.and_then(|text| text.parse().ok());
        match (devices.is_empty(), hardware, level) {
            (true, ..) | (.., None) => Answer::new(State::Note, "no perf events on this kernel"),
            (_, false, _) => Answer::new(State::Note, "no hardware counters: software events only"),
            (_, _, Some(level)) if level > 2 => Answer::new(
                State::Note,
                format!("perf events are for root only (perf_event_paranoid {level})"),
            ),
            _ => Answer::new(State::Fine, "hardware counters"),
        }
    },
};

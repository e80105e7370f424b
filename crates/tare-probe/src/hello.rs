//! The greeting: who the probe is and what it finds around itself.

use crate::facts::{self, first_line};
use crate::{clock, scratch, sys, unknown};
use tare_proto::{Hello, PROTOCOL};

/// Everything the host wants to know of this boot, gathered once.
pub fn hello() -> Hello {
    let (kernel, kernel_version, machine) = sys::uname();
    let (clock_resolution_ns, clock_read_ns) = clock::resolution();
    Hello {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        kernel,
        kernel_version,
        machine,
        cpu_model: facts::cpu_model(),
        cpus: sys::cpus_online(),
        affinity: sys::affinity(),
        cpu_quota: tare_proto::cpu_quota("self").unwrap_or(0.0),
        memory_kib: facts::memory_kib("MemTotal"),
        memory_available_kib: facts::memory_kib("MemAvailable"),
        load_average: facts::load_average(),
        clock_source: first_line(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        ),
        clock_resolution_ns,
        clock_read_ns,
        page_size: sys::page_size(),
        thp: facts::chosen(&first_line("/sys/kernel/mm/transparent_hugepage/enabled")),
        aslr: first_line("/proc/sys/kernel/randomize_va_space"),
        idle: facts::idle(),
        governor: first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        tunables: std::env::var("GLIBC_TUNABLES").unwrap_or_default(),
        unknown_words: unknown::words(),
        mitigations: facts::mitigations(),
        scratch: scratch::folder().display().to_string(),
        scratch_fs: sys::file_system(scratch::folder()),
        pid: std::process::id(),
        uid: sys::uid(),
        main_ns: clock::main_ns(),
        clock_ns: clock::now_ns(),
    }
}

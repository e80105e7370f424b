//! The names of the counters that one crate writes and another one reads, in one place.

/// CPUs that were busy in user mode, on average over a series.
pub const CPU_USER: &str = "cpu_user";

/// The same in kernel mode.
pub const CPU_SYSTEM: &str = "cpu_system";

/// CPUs of the host that all processes of a layer kept busy, on average over a series.
pub const CPU_HOST: &str = "cpu_host";

/// Bytes that all processes of a layer held of the host's memory, at most, during a run of a program.
pub const HOST_MEMORY: &str = "host_memory";

/// Bytes that all processes of a layer read from this host's block devices and made it write there, in one run of a program.
pub const HOST_DISK: &str = "host_disk";

/// How often threads of all processes of a layer gave their CPU up to wait, and were woken, in one run of a program.
pub const HOST_WAKEUPS: &str = "host_wakeups";

/// Share of a series in which processes of the layer were ready to run and had no CPU, since others had it.
pub const CPU_WAITED: &str = "cpu_waited";

/// Bytes that all disks of the host moved meanwhile, for each byte that a benchmark of the disk says it has moved.
pub const DISK_BYTES: &str = "disk_bytes_per_byte";

/// Nanoseconds that a series took without the waits between its turns, by the probe's clock; for the host alone, which does not keep it.
pub const ACTIVE_NS: &str = "active_ns";

/// Operations in a batch of the one term that was asked for, in the row's own unit; negative of one that is subtracted.
pub const TERM_OPERATIONS: &str = "term_operations";

/// Seconds of CPU time in a program's own code.
pub const RUN_USER: &str = "run_user_s";

/// Seconds of CPU time that a program's run took in the kernel.
pub const RUN_SYSTEM: &str = "run_system_s";

/// Calls of a program that no class of operations knows.
pub const UNKNOWN_CALLS: &str = "op_unknown";

/// How many times as long the run took in which a program's operations were counted.
pub const COUNTING_SLOWDOWN: &str = "counting_slowdown";

/// How the counters of perf events begin.
pub const PERF: &str = "perf/";

/// How the counters of a program's system calls begin.
pub const CALLS: &str = "perf/calls/";

/// The error number of the hardware events that could not be opened.
pub const HARDWARE_ERRNO: &str = "perf/hardware_errno";

/// How the counters of Xen's hypercalls begin.
pub const HYPERCALL: &str = "hypercall/";

/// Exits of a guest inside of the simulated machine.
pub const VM_EXITS: &str = "vm_exits";

/// How the counters of instructions by function begin; then comes the name of a [`Place`], a `/` and the function's name.
pub const FUNCTION: &str = "function/";

/// How the counters of instructions by what called them begin; then come the name of a [`Place`] and functions, the outermost one first, with a
/// `;` before each.
pub const CALLED: &str = "called/";

/// How the counters of entries from less privileged code begin; then come the place and the name of what is entered.
pub const ENTRY: &str = "entry/";

/// How the counters of modelled caches and TLBs begin.
pub const MODEL: &str = "model/";

/// The addresses that Xen keeps for itself on x86-64, where no 64-bit Linux kernel executes (Xen, xen/arch/x86/include/asm/config.h).
pub const XEN: std::ops::Range<u64> = 0xffff_8000_0000_0000..0xffff_8800_0000_0000;

/// Who executes on a simulated machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Place {
    /// The probe's own text.
    Probe,
    /// Other user code: the vDSO, children, a user-mode kernel, a sandbox's sentry, tools.
    User,
    /// A kernel: the measured one, where there are two.
    Kernel,
    /// The kernel of Xen's first domain, where that serves the measured one.
    Dom0,
    /// A hypervisor in addresses of its own (Xen), or the host of a guest inside of the guest.
    Hypervisor,
}

impl Place {
    /// All places, the least privileged first.
    pub const ALL: [Place; 5] =
        [Place::Probe, Place::User, Place::Kernel, Place::Dom0, Place::Hypervisor];

    /// Its name in counters.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Probe => "probe",
            Place::User => "user",
            Place::Kernel => "kernel",
            Place::Dom0 => "dom0",
            Place::Hypervisor => "hypervisor",
        }
    }

    /// Whether it is user code, the probe's included.
    #[inline]
    pub const fn is_user(self) -> bool {
        matches!(self, Place::Probe | Place::User)
    }

    /// Whether it is one of the kernels.
    #[inline]
    pub const fn is_kernel(self) -> bool {
        matches!(self, Place::Kernel | Place::Dom0)
    }
}

/// What is counted in every place of a simulated machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Event {
    /// Instructions.
    Instructions,
    /// Loads and stores.
    Accesses,
    /// System call instructions, executed in user code.
    Syscalls,
    /// Entries by a page fault into this place.
    PageFaults,
    /// Entries by other exceptions and by interrupts.
    OtherEntries,
    /// `vmcall` and `vmmcall`.
    VmCalls,
    /// Writes to CR3: switches of address space.
    Cr3Writes,
    /// Single translations that are dropped.
    Invlpg,
    /// `in`, `out` and their string forms.
    PortIo,
    /// `rdmsr` and `wrmsr`.
    Msr,
    /// `hlt`.
    Halts,
    /// Modelled: instruction fetches that the first-level TLB did not have.
    ItlbMisses,
    /// Modelled: loads and stores that the first-level TLB did not have.
    DtlbMisses,
    /// Modelled: those that the second level did not have either.
    ItlbWalks,
    /// The same of loads and stores.
    DtlbWalks,
    /// Modelled: lines that a cache did not have.
    L1iMisses,
    /// The same of the first level's data cache.
    L1dMisses,
    /// The same of the second level.
    L2Misses,
    /// The same of the third level.
    L3Misses,
}

impl Event {
    /// All events with their names, in the order of their numbers.
    pub const ALL: [(Event, &'static str); 19] = [
        (Event::Instructions, "instructions"),
        (Event::Accesses, "accesses"),
        (Event::Syscalls, "syscalls"),
        (Event::PageFaults, "page_faults"),
        (Event::OtherEntries, "other_entries"),
        (Event::VmCalls, "vmcalls"),
        (Event::Cr3Writes, "cr3_writes"),
        (Event::Invlpg, "invlpg"),
        (Event::PortIo, "port_io"),
        (Event::Msr, "msr"),
        (Event::Halts, "halts"),
        (Event::ItlbMisses, "itlb_misses"),
        (Event::DtlbMisses, "dtlb_misses"),
        (Event::ItlbWalks, "itlb_walks"),
        (Event::DtlbWalks, "dtlb_walks"),
        (Event::L1iMisses, "l1i_misses"),
        (Event::L1dMisses, "l1d_misses"),
        (Event::L2Misses, "l2_misses"),
        (Event::L3Misses, "l3_misses"),
    ];

    /// The name of its counter in `place`: `kernel/page_faults`, `model/user/l2_misses`.
    pub fn counter(self, place: Place) -> String {
        let model = if self.is_modelled() { MODEL } else { "" };
        format!("{model}{}/{}", place.name(), Event::ALL[self as usize].1)
    }

    /// Whether it is of modelled caches and TLBs.
    pub const fn is_modelled(self) -> bool {
        self as usize >= Event::ItlbMisses as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_the_order_of_their_numbers() {
        assert!((0..).zip(Event::ALL).all(|(at, (event, _))| event as usize == at));
        assert!((0..).zip(Place::ALL).all(|(at, place)| place as usize == at));
        assert_eq!(Event::PageFaults.counter(Place::Kernel), "kernel/page_faults");
        assert_eq!(Event::ItlbMisses.counter(Place::Probe), "model/probe/itlb_misses");
        assert_eq!(Event::Halts.counter(Place::Dom0), "dom0/halts");
    }
}

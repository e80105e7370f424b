//! What QEMU emulates around the processor: which machine, and where its two serial lines are.

/// From so many bytes on, a PC has its memory in two parts, the first of 3 GiB, the second from 4 GiB on.
const IN_ONE_PART: u64 = 3584 << 20;

/// A machine of QEMU's.
pub(super) struct Board {
    /// Its name, and what makes it repeat.
    pub(super) machine: &'static str,
    /// More that makes it repeat, as QEMU's arguments.
    pub(super) fixed: &'static [&'static str],
    /// The serial lines as QEMU's arguments: `console` and `line`, the probe's.
    pub(super) serial: &'static [&'static str],
    /// What the kernel calls the former.
    pub(super) console: &'static str,
    /// The word that tells the probe its line.
    pub(super) line: &'static str,
    /// Arguments of a kernel that has the machine to itself, each after a space.
    pub(super) bare: &'static str,
    /// The address at which its memory begins.
    pub(super) memory: u64,
}

const GIB: u64 = 1 << 30;

impl Board {
    /// Where a memory of so many bytes is: addresses and sizes of its parts.
    pub(super) fn parts(&self, size: u64) -> Vec<(u64, u64)> {
        match self.machine == PC.machine && size >= IN_ONE_PART {
            true => vec![(0, 3 * GIB), (4 * GIB, size - 3 * GIB)],
            false => vec![(self.memory, size)],
        }
    }
}

pub(super) const PC: Board = Board {
    machine: "pc",
    fixed: &[],
    serial: &["-serial", "chardev:console", "-serial", "chardev:line"],
    console: "ttyS0",
    line: "tare.line=/dev/ttyS1",
    // The kernel takes its ticks from the HPET then. To learn the rate of the local APIC's timer it would watch that for 100 ms in a
    // busy loop. QEMU leaves the translated code at each iteration of it, so the loop took more than half of a boot.
    bare: " nolapic_timer",
    memory: 0,
};

/// QEMU's own ARM machine. Its device tree would otherwise hold random seeds.
pub(super) const VIRT: Board = Board {
    machine: "virt,dtb-randomness=off",
    fixed: &[],
    serial: &["-serial", "chardev:line", "-device", "pci-serial,chardev=console"],
    console: "ttyS0",
    line: "tare.line=/dev/ttyAMA0",
    // The kernel draws a random number in each system call, which takes 10,000 instructions where no randomness is to be had.
    bare: " randomize_kstack_offset=off",
    memory: GIB,
};

/// A logical partition of POWER. Its firmware is QEMU's own small one, which takes no time.
pub(super) const PSERIES: Board = Board {
    machine: "pseries,x-vof=on",
    // The device tree holds a random seed, and the processor has an instruction that draws random numbers.
    fixed: &["-seed", "1"],
    serial: TERMINALS,
    console: "hvc0",
    line: "tare.line=/dev/hvc1",
    // The offset would be of the clock's last bits, and another at each call.
    bare: " randomize_kstack_offset=off",
    memory: 0,
};

/// One whose hypervisor runs guests of guests: what KVM-HV takes there.
pub(super) const PSERIES_NESTED: Board =
    Board { machine: "pseries,x-vof=on,cap-nested-hv=on", ..PSERIES };

/// The terminals that the hypervisor of a partition has. The first is its console.
const TERMINALS: &[&str] =
    &["-device", "spapr-vty,chardev=console", "-device", "spapr-vty,chardev=line"];

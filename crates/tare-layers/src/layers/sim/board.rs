//! What QEMU emulates around the processor: which machine, and where its two serial lines are.

/// A machine of QEMU's.
pub(super) struct Board {
    /// Its name, and what makes it repeat.
    pub(super) machine: &'static str,
    /// The serial lines as QEMU's arguments: `console`, which is ttyS0, and `line`, the probe's.
    pub(super) serial: &'static [&'static str],
    /// The word that tells the probe its line.
    pub(super) line: &'static str,
}

pub(super) const PC: Board = Board {
    machine: "pc",
    serial: &["-serial", "chardev:console", "-serial", "chardev:line"],
    line: "tare.line=/dev/ttyS1",
};

/// QEMU's own ARM machine. Its device tree would otherwise hold random seeds.
pub(super) const VIRT: Board = Board {
    machine: "virt,dtb-randomness=off",
    serial: &["-serial", "chardev:line", "-device", "pci-serial,chardev=console"],
    line: "tare.line=/dev/ttyAMA0",
};

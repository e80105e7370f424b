//! `tare-vmm`: a minimal virtual machine monitor on KVM. One virtual CPU, memory, the interrupt controllers and the
//! timer that KVM has itself, and two serial ports: the console (standard error) and the probe's line (standard
//! input and output). No firmware, no ACPI, no PCI, no other device.
//!
//! The guest ends it by a triple fault, which is what the kernel's argument `reboot=t` makes of a reboot. That needs no
//! right, driver or ACPI table in the guest; for one CPU a table of interrupts is enough.

mod args;
mod boot;
mod cpu;
mod exits;
mod fault;
mod line;
mod machine;
mod memory;
mod mptable;
mod serial;
mod stats;

use args::Args;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Args::parse(std::env::args().skip(1)).and_then(|args| machine::run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("tare-vmm: {fault}");
            ExitCode::FAILURE
        }
    }
}

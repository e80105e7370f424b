//! `aarch64`: a 64-bit ARM kernel on a bare ARM machine.

use super::board::VIRT;
use super::foreign::{Foreign, make};
use super::kernel::Architecture;
use super::{APPEND, CPU, EMULATOR, FOREIGN_KERNEL, MEMORY, disk, root};
use crate::{LayerKind, Unnamed};
use tare_proto::Machine;

pub const KIND: LayerKind = LayerKind {
    name: "aarch64",
    about: "a 64-bit ARM kernel on a bare ARM machine",
    machine: Some(Machine::Sim),
    settings: &[FOREIGN_KERNEL, APPEND, MEMORY, disk::SETTING, root::SETTING, CPU, EMULATOR],
    defaults: &[("kernel", "linux-image-arm64")],
    unnamed: Unnamed::Tried("another machine: its layers are to be compared with each other"),
    words: None,
    make: |settings| make(&MACHINE, settings),
};

const MACHINE: Foreign = Foreign {
    what: "64-bit ARM",
    architecture: Architecture { name: "arm64", built: "arch/arm64/boot/Image" },
    emulator: "qemu-system-aarch64",
    // The oldest 64-bit core that has a performance monitor, which QEMU emulates.
    cpu: "cortex-a57",
    board: &VIRT,
    // The plugin knows marks and entries of x86 only. The machine's own performance monitor counts.
    counted: false,
    probe: |host| host.probe_arm.clone(),
    remedy: "rustup target add aarch64-unknown-linux-gnu, install gcc-aarch64-linux-gnu and libc6-dev-arm64-cross, and build \
             tare again",
};

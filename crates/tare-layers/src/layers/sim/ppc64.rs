//! `ppc64`: a 64-bit POWER kernel in a bare partition of a POWER machine.

use super::board::PSERIES;
use super::foreign::{Foreign, make};
use super::kernel::Architecture;
use super::{APPEND, CPU, EMULATOR, FOREIGN_KERNEL, MEMORY, disk, root};
use crate::{LayerKind, Unnamed};
use tare_proto::Machine;

pub const KIND: LayerKind = LayerKind {
    name: "ppc64",
    about: "a 64-bit POWER kernel in a bare partition of a POWER machine",
    machine: Some(Machine::Sim),
    settings: &[FOREIGN_KERNEL, APPEND, MEMORY, disk::SETTING, root::SETTING, CPU, EMULATOR],
    defaults: DEFAULTS,
    unnamed: Unnamed::Tried("another machine: its layers are to be compared with each other"),
    words: None,
    make: |settings| make(&MACHINE, settings),
};

pub(super) const DEFAULTS: &[(&str, &str)] = &[("kernel", "linux-image-powerpc64le")];

pub(super) const MACHINE: Foreign = Foreign {
    what: "64-bit POWER",
    architecture: Architecture { name: "ppc64el", built: "vmlinux" },
    emulator: "qemu-system-ppc64",
    // The newest whose partitions may hold guests of KVM in QEMU's emulation.
    cpu: "POWER9",
    board: &PSERIES,
    // The plugin knows marks and entries of x86 only.
    counted: false,
    probe: |host| host.probe_power.clone(),
    remedy: "rustup target add powerpc64le-unknown-linux-gnu, install gcc-powerpc64le-linux-gnu and libc6-dev-ppc64el-cross, and \
             build tare again",
};

//! `i686` and `i686-pae`: a 32-bit kernel on a bare 32-bit machine, without and with physical address extension.

use super::board::PC;
use super::foreign::{Foreign, make};
use super::kernel::Architecture;
use super::{APPEND, CPU, EMULATOR, FOREIGN_KERNEL, MEMORY, disk, root};
use crate::artifacts::kernel::BUILT;
use crate::{LayerKind, Unnamed};
use tare_proto::Machine;

pub const WITHOUT_PAE: LayerKind = kind(
    "i686",
    "a 32-bit kernel on a bare 32-bit machine, page tables of two levels",
    &[("kernel", "linux-image-686")],
);

pub const WITH_PAE: LayerKind = kind(
    "i686-pae",
    "the same with physical address extension (PAE): three levels",
    &[("kernel", "linux-image-686-pae")],
);

const MACHINE: Foreign = Foreign {
    what: "32-bit x86",
    architecture: Architecture { name: "i386", built: BUILT },
    emulator: "qemu-system-i386",
    // With PAE and without what came later (NX, 64 bits).
    cpu: "qemu32",
    board: &PC,
    counted: true,
    probe: |host| host.probe32.clone(),
    remedy: "rustup target add i686-unknown-linux-musl, and build tare again",
};

const fn kind(
    name: &'static str,
    about: &'static str,
    defaults: &'static [(&'static str, &'static str)],
) -> LayerKind {
    LayerKind {
        name,
        about,
        machine: Some(Machine::Sim),
        settings: &[FOREIGN_KERNEL, APPEND, MEMORY, disk::SETTING, root::SETTING, CPU, EMULATOR],
        defaults,
        unnamed: Unnamed::Tried(
            "another machine: i686 and i686-pae are to be compared with each other",
        ),
        words: None,
        make: |settings| make(&MACHINE, settings),
    }
}

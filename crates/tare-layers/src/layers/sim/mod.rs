//! The layers of the simulated machine: each boot is a fresh one of QEMU with `-icount`, the layer inside it.
//!
//! All of them use the same kernel image, so that a ratio shows the layer alone.

pub(super) mod aarch64;
mod board;
mod disk;
mod foreign;
pub mod fork;
pub(super) mod i686;
mod inside;
mod kernel;
pub(super) mod kvm;
mod machine;
pub(super) mod native;
pub(super) mod ppc64;
pub(super) mod ppc64_kvm;
mod ring;
mod root;
pub(super) mod runsc;
mod toolstack;
pub(super) mod uml;
pub(super) mod xen;
pub(super) mod xen_domu;
pub(super) mod xen_pv;
pub(super) mod xen_pvh;

use kernel::Kernel;

use crate::Setting;

/// The CPU model of a machine with virtual machines inside.
const SVM: &str = "qemu64,+svm,+npt";

/// What every layer of the simulated machine takes.
const KERNEL: Setting = Setting {
    key: "kernel",
    about: "a kernel's file, the tree that it was built in, its package, or a pattern of packages, of which the newest \
            (linux-image-6.*-amd64; default: linux-image-amd64)",
};
/// The same of a machine of another architecture.
const FOREIGN_KERNEL: Setting = Setting {
    key: "kernel",
    about: "a kernel's file, the tree that it was built in, or its package for that architecture (default: linux-image-686, \
            linux-image-686-pae, linux-image-arm64, linux-image-powerpc64le)",
};
const APPEND: Setting = Setting { key: "append", about: "more arguments of the kernel" };
const MEMORY: Setting = Setting { key: "memory", about: "the kernel's memory (default 512M)" };
const CPU: Setting = Setting { key: "cpu", about: "CPU model (default: depends on the layer)" };
const EMULATOR: Setting = Setting {
    key: "emulator",
    about: "QEMU's program (default: qemu-system- and the processor's architecture)",
};

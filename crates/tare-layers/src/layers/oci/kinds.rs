//! The kinds of OCI runtimes, and their settings.

use super::Oci;
use crate::attach::net;
use crate::attach::{disk, knobs, pages, root, scratch};
use crate::{LayerKind, Setting, Unnamed};
use tare_proto::Machine;

pub const RUNC: LayerKind =
    kind("runc", "a container of runc: this host's kernel, namespaces", Unnamed::Weighed);
pub const CRUN: LayerKind = kind(
    "crun",
    "a container of crun: this host's kernel, namespaces",
    Unnamed::Tried("costs much the same as runc"),
);
pub const RUNSC: LayerKind = LayerKind {
    settings: &[
        RUNTIME,
        PLATFORM,
        CPUS,
        ARGS,
        CHECKPOINT,
        RESTORE,
        disk::SETTING,
        net::SETTING,
        root::SETTING,
        root::OVERLAY,
        scratch::SETTING,
        pages::KSM,
        pages::THP,
        knobs::SETTING,
    ],
    ..kind("runsc", "a sandbox of gVisor: a kernel in user space", Unnamed::Weighed)
};

pub(super) const RUNTIME: Setting =
    Setting { key: "runtime", about: "the runtime's program (default: the layer's kind)" };
pub(in crate::layers) const PLATFORM: Setting = Setting {
    key: "platform",
    about: "how gVisor intercepts system calls: systrap (the current default), ptrace (the default until 2023) or kvm",
};
pub(super) const CPUS: Setting = Setting {
    key: "cpus",
    about: "how many of the campaign's CPUs it may run on (default: 2 on systrap, whose fast path needs two)",
};
pub(super) const ARGS: Setting =
    Setting { key: "args", about: "more global arguments of the runtime" };
pub(super) const CHECKPOINT: Setting = Setting {
    key: "checkpoint",
    about: "more arguments of the runtime's checkpoint, where the layer is saved (--direct)",
};
pub(super) const RESTORE: Setting = Setting {
    key: "restore",
    about: "more arguments of its restore (gVisor: --background, to answer while its memory is still read)",
};

const fn kind(name: &'static str, about: &'static str, unnamed: Unnamed) -> LayerKind {
    LayerKind {
        name,
        about,
        machine: Some(Machine::Real),
        settings: &[
            RUNTIME,
            ARGS,
            CHECKPOINT,
            RESTORE,
            disk::SETTING,
            net::SETTING,
            root::SETTING,
            root::OVERLAY,
            scratch::SETTING,
            pages::KSM,
            pages::THP,
            knobs::SETTING,
        ],
        defaults: &[],
        unnamed,
        words: None,
        make: |settings| Ok(Box::new(Oci::new(settings)?)),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runtime {
    Runc,
    Crun,
    Runsc,
}

impl Runtime {
    pub fn named(kind: &str) -> Runtime {
        match kind {
            "crun" => Runtime::Crun,
            "runsc" => Runtime::Runsc,
            _ => Runtime::Runc,
        }
    }

    /// The global arguments that keep it away from control groups, which an ordinary user may not make, and let it run as one.
    pub fn flags(self, rootless: bool) -> Vec<String> {
        let flags: &[&str] = match self {
            Runtime::Runc => &[],
            Runtime::Crun => &["--cgroup-manager=disabled"],
            Runtime::Runsc if rootless => &["--ignore-cgroups", "--rootless"],
            Runtime::Runsc => &["--ignore-cgroups"],
        };
        flags.iter().map(|flag| (*flag).to_owned()).collect()
    }
}

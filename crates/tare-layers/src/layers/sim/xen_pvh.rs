//! `xen-pvh`: the same kernel image as a PVH domain of Xen, whose page tables the processor walks itself or Xen shadows, on
//! the SVM with nested paging that QEMU emulates. No device model stands beside it: what it has of devices is as of a PV domain.

use super::xen::{XEN, XEN_ARGS};
use super::xen_domu::{DOM0_APPEND, Domain, TSC, quoted};
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, SVM, disk, root};
use crate::attach::balloon;
use crate::{Layer, LayerKind, Setting, SettingError, Settings, Unnamed};
use tare_proto::Machine;

pub const KIND: LayerKind = LayerKind {
    name: "xen-pvh",
    about: "the same kernel as a PVH domain of Xen, with nested or shadow paging",
    machine: Some(Machine::Sim),
    settings: &[
        KERNEL,
        APPEND,
        DOM0_APPEND,
        MEMORY,
        balloon::SETTING,
        root::SETTING,
        disk::SETTING,
        PAGING,
        TSC,
        XEN,
        XEN_ARGS,
        CPU,
        EMULATOR,
    ],
    defaults: &[("paging", "nested"), ("tsc", "native")],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

const PAGING: Setting = Setting {
    key: "paging",
    about: "who walks the domain's page tables: nested (default: the processor, HAP), shadow (Xen keeps its own)",
};

/// What `paging` can be.
const PAGINGS: &[&str] = &["nested", "shadow"];

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    let paging = settings.one_of(PAGING.key, PAGINGS)?.unwrap_or(PAGINGS[0]);
    let hap = u8::from(paging == PAGINGS[0]);
    let kind = vec![("type", quoted("pvh")), ("hap", hap.to_string())];
    let mut domain = Domain::new(settings, SVM, kind)?;
    domain.xen.machine.waits_in_guest = true;
    Ok(Box::new(domain))
}

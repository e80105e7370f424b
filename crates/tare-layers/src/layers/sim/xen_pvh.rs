//! `xen-pvh`: the same kernel image as a PVH domain of Xen, whose page tables the processor walks itself or Xen shadows, on
//! the SVM with nested paging that QEMU emulates. No device model stands beside it: what it has of devices is as of a PV domain.

use super::xen::{XEN, XEN_ARGS};
use super::xen_domu::{DOM0_APPEND, Domain, TSC, quoted};
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, disk, root};
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

/// What `paging` can be, and the line of the domain's description for it.
const PAGINGS: &[(&str, &str)] = &[("nested", "1"), ("shadow", "0")];

/// The machine's CPU model.
const MODEL: &str = "qemu64,+svm,+npt";

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    let names = PAGINGS.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let paging = settings.one_of(PAGING.key, &names)?;
    let (_, hap) = PAGINGS.iter().find(|(name, _)| Some(*name) == paging).unwrap_or(&PAGINGS[0]);
    let kind = vec![("type", quoted("pvh")), ("hap", (*hap).to_owned())];
    Ok(Box::new(Domain::new(settings, MODEL, kind)?))
}

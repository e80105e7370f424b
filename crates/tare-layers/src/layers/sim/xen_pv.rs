//! `xen-pv`: the same kernel image as the first (PV) domain of Xen.

use super::xen::{self, Dom0, XEN, XEN_ARGS, Xen};
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, disk, root};
use crate::attach::balloon;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, SessionError, SettingError, Settings, Unavailable,
    Unnamed,
};
use std::io;
use tare_proto::Machine;

pub const KIND: LayerKind = LayerKind {
    name: "xen-pv",
    about: "the same kernel as Xen's PV dom0",
    machine: Some(Machine::Sim),
    settings: &[
        KERNEL,
        APPEND,
        MEMORY,
        balloon::SETTING,
        disk::SETTING,
        root::SETTING,
        XEN,
        XEN_ARGS,
        CPU,
        EMULATOR,
    ],
    defaults: &[],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

struct XenPv(Xen);

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    Ok(Box::new(XenPv(Xen::new(settings, xen::MODEL)?)))
}

impl Layer for XenPv {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.0.check(host)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let machine = &self.0.machine;
        let dom0 = Dom0 {
            initramfs: machine.initramfs(host, boot)?,
            arguments: machine.arguments("console=hvc0"),
            memory: machine.memory,
        };
        Ok(Launch::Program(self.0.program(host, boot, &dom0, 0)?))
    }

    fn scripted(&self) -> bool {
        true
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        xen::explain(error, console)
    }
}

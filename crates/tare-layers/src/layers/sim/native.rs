//! `native` of the simulated machine: the kernel on the bare machine, the baseline.

use super::machine::{Simulated, Start};
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, disk, root};
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, SettingError, Settings, Unavailable, Unnamed,
};
use std::io;
use tare_proto::{COUNT_OPERATIONS, Machine};

pub const KIND: LayerKind = LayerKind {
    name: "native",
    about: "the kernel on the bare simulated machine",
    machine: Some(Machine::Sim),
    settings: &[KERNEL, APPEND, MEMORY, disk::SETTING, root::SETTING, CPU, EMULATOR],
    defaults: &[],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

struct Native(Simulated);

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    Ok(Box::new(Native(Simulated::new(settings, "qemu64")?)))
}

impl Layer for Native {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.0.check(host)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let kernel = self.0.kernel.elf(host)?;
        let mut archive = self.0.archive(host, boot)?;
        if boot.script.iter().any(|request| request.program.is_some()) {
            // One byte either way, and no argument of the kernel, which stirs these into its random numbers: one more would change
            // what a boot measures.
            archive.file(COUNT_OPERATIONS, if boot.counts.is_some() { b"1" } else { b"0" })?;
        }
        let initrd = boot.own_name(&archive.finish()?);
        let append = self.0.bare_arguments();
        let memory = self.0.memory;
        let start = Start { kernel: &kernel, initrd: &initrd, append: &append, memory };
        let program = self.0.program(host, boot, &start)?;
        Ok(Launch::Program(program.made_of("kernel", kernel, None)))
    }

    fn scripted(&self) -> bool {
        true
    }
}

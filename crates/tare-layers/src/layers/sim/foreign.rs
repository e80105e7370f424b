//! A bare machine of another architecture, and the probe that is built for it.

use super::board::Board;
use super::kernel::{Architecture, Kernel};
use super::machine::{Simulated, Start};
use crate::{BootSpec, Host, Launch, Layer, SettingError, Settings, Unavailable};
use std::io;
use std::path::PathBuf;

pub(super) struct Foreign {
    pub(super) what: &'static str,
    pub(super) architecture: Architecture,
    pub(super) emulator: &'static str,
    pub(super) cpu: &'static str,
    pub(super) board: &'static Board,
    /// Whether the plugin can count what it executes.
    pub(super) counted: bool,
    /// Its probe, if tare was built with it.
    pub(super) probe: fn(&Host) -> Option<PathBuf>,
    pub(super) remedy: &'static str,
}

impl Foreign {
    /// The machine as `settings` want it.
    pub(super) fn machine(&self, settings: &Settings) -> Result<Simulated, SettingError> {
        let kernel = Kernel::foreign(settings, self.architecture);
        let mut machine = Simulated::emulated(settings, kernel, self.cpu, self.emulator)?;
        machine.board = self.board;
        Ok(machine)
    }

    /// `host` with the probe of this machine, and with what can count there.
    pub(super) fn host(&self, host: &Host) -> Result<Host, Unavailable> {
        let probe = (self.probe)(host).ok_or_else(|| {
            let why = format!("this tare was built without the probe for {}", self.what);
            Unavailable::new(why, self.remedy)
        })?;
        let plugin = host.plugin.clone().filter(|_| self.counted);
        Ok(Host { probe, plugin, ..host.clone() })
    }
}

struct Bare {
    of: &'static Foreign,
    machine: Simulated,
}

pub(super) fn make(
    of: &'static Foreign,
    settings: &Settings,
) -> Result<Box<dyn Layer>, SettingError> {
    Ok(Box::new(Bare { of, machine: of.machine(settings)? }))
}

impl Layer for Bare {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        let host = &self.of.host(host)?;
        self.machine.starts(host)?;
        self.machine.kernel.packed(host).map(drop)
    }

    /// The kernel is booted as it comes: one without PAE has no entry for what is unpacked already.
    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let host = &self.of.host(host)?;
        let kernel = self.machine.kernel.packed(host)?;
        let initrd = boot.own_name(&self.machine.initramfs(host, boot)?);
        let append = self.machine.bare_arguments();
        let start = Start {
            kernel: &kernel,
            initrd: &initrd,
            append: &append,
            memory: self.machine.memory,
        };
        let program = self.machine.program(host, boot, &start)?;
        let program = program.made_of("kernel", kernel, None);
        Ok(Launch::Program(program.made_of("probe", host.probe.clone(), None)))
    }

    fn scripted(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{aarch64, i686, ppc64};
    use super::*;

    #[test]
    fn without_its_probe_the_remedy_is_told() {
        let host = Host::new("/probe".into(), "/cache".into());
        for kind in [i686::WITHOUT_PAE, i686::WITH_PAE, aarch64::KIND, ppc64::KIND] {
            let layer = (kind.make)(&Settings::parse(kind.name).unwrap()).unwrap();
            let lacking = layer.check(&host).unwrap_err();
            assert!(lacking.remedy.contains("rustup target add"), "{lacking}");
        }
    }
}

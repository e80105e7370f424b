//! `i686` and `i686-pae`: a 32-bit kernel on a bare 32-bit machine, without and with physical address extension, and the
//! probe that is built for it.

use super::inside::other;
use super::kernel::Kernel;
use super::machine::{Simulated, Start};
use super::{APPEND, CPU, MEMORY, disk, root};
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Setting, SettingError, Settings, Unavailable, Unnamed,
};
use std::io;
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

const KERNEL: Setting = Setting {
    key: "kernel",
    about: "a kernel's file, the tree that it was built in, or its package for i386 \
            (default: linux-image-686, linux-image-686-pae)",
};
const EMULATOR: Setting =
    Setting { key: "emulator", about: "QEMU's program (default qemu-system-i386)" };

/// What Debian calls the architecture.
const ARCHITECTURE: &str = "i386";

/// A processor with PAE and without what came later (NX, 64 bits).
const MODEL: &str = "qemu32";

const fn kind(
    name: &'static str,
    about: &'static str,
    defaults: &'static [(&'static str, &'static str)],
) -> LayerKind {
    LayerKind {
        name,
        about,
        machine: Some(Machine::Sim),
        settings: &[KERNEL, APPEND, MEMORY, disk::SETTING, root::SETTING, CPU, EMULATOR],
        defaults,
        unnamed: Unnamed::Tried(
            "another machine: i686 and i686-pae are to be compared with each other",
        ),
        words: None,
        make,
    }
}

struct I686(Simulated);

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    let kernel = Kernel::foreign(settings, ARCHITECTURE);
    Ok(Box::new(I686(Simulated::of(settings, kernel, MODEL, "qemu-system-i386")?)))
}

/// The host with the probe of this machine.
fn with_probe(host: &Host) -> Result<Host, Unavailable> {
    let probe = host.probe32.clone().ok_or_else(|| {
        Unavailable::new(
            "this tare was built without the probe for 32-bit x86",
            "rustup target add i686-unknown-linux-musl, and build tare again",
        )
    })?;
    Ok(Host { probe, ..host.clone() })
}

impl Layer for I686 {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        with_probe(host)?;
        self.0.starts(host)?;
        self.0.kernel.packed(host).map(drop)
    }

    /// The packed kernel is booted: one without PAE has no entry for what is unpacked already.
    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let host = &with_probe(host).map_err(other)?;
        let kernel = self.0.kernel.packed(host).map_err(other)?;
        let initrd = boot.own_name(&self.0.initramfs(host, boot)?);
        let append = self.0.arguments("console=ttyS0");
        let start = Start {
            kernel: &kernel,
            initrd: &initrd,
            append: &append,
            memory: self.0.memory,
            domains: false,
        };
        let program = self.0.program(host, boot, &start)?;
        let program = program.made_of("kernel", kernel, None);
        Ok(Launch::Program(program.made_of("probe", host.probe.clone(), None)))
    }

    fn scripted(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_its_probe_the_remedy_is_told() {
        let host = Host::new("/probe".into(), "/cache".into());
        for kind in [WITHOUT_PAE, WITH_PAE] {
            let layer = (kind.make)(&Settings::parse(kind.name).unwrap()).unwrap();
            let lacking = layer.check(&host).unwrap_err();
            assert!(lacking.remedy.contains("rustup target add"), "{lacking}");
        }
    }
}

//! Xen below the machine's kernel: where it comes from, and how QEMU loads the two.

use super::machine::{Simulated, Start};
use crate::{
    BootSpec, Host, Program, SessionError, Setting, SettingError, Settings, Unavailable,
    artifacts::package, artifacts::unpack,
};
use std::io;
use std::path::{Path, PathBuf};

pub(super) const XEN: Setting =
    Setting { key: "xen", about: "Xen's image (default: of the package xen-hypervisor-*)" };
pub(super) const XEN_ARGS: Setting =
    Setting { key: "xen_args", about: "more arguments of Xen: spec-ctrl=no" };

/// The package that depends on the newest hypervisor.
const GENERAL: &str = "xen-system-amd64";

/// Memory that Xen keeps for itself, in MiB.
const BESIDE: u64 = 256;

/// The usual CPU model. A newer one's features (SMAP, five-level paging) crash Xen's first kernel.
pub(super) const MODEL: &str = "qemu64";

pub(super) struct Xen {
    pub(super) machine: Simulated,
    image: Option<String>,
    args: Vec<String>,
}

impl Xen {
    /// `cpu` is the layer's usual model.
    pub(super) fn new(settings: &Settings, cpu: &str) -> Result<Xen, SettingError> {
        let machine = Simulated::new(settings, cpu)?;
        let image = settings.get("xen").map(str::to_owned);
        Ok(Xen { machine, image, args: settings.words("xen_args") })
    }

    pub(super) fn check(&self, host: &Host) -> Result<(), Unavailable> {
        self.machine.check(host)?;
        self.image(host).map(drop)
    }

    fn image(&self, host: &Host) -> Result<PathBuf, Unavailable> {
        if let Some(path) = &self.image {
            return unpack::elf(Path::new(path), host);
        }
        let package = package::behind(GENERAL, "xen-hypervisor-").ok_or_else(|| {
            let remedy = "as root: apt-get update; or give an image of Xen (xen=)";
            Unavailable::new(format!("apt knows no package {GENERAL}"), remedy)
        })?;
        let tree = package::tree(&package, &["./boot/xen-*.gz"], host)?;
        let mut images = tree.join("boot").read_dir().into_iter().flatten().flatten();
        let image = images.next().ok_or_else(|| {
            Unavailable::new(format!("no image of Xen in {}", tree.display()), "remove that folder")
        })?;
        unpack::elf(&image.path(), host)
    }

    /// The machine with Xen, dom0 on it and `guests` MiB for other domains.
    pub(super) fn program(
        &self,
        host: &Host,
        boot: &BootSpec,
        dom0: &Dom0,
        guests: u64,
    ) -> io::Result<Program> {
        let xen = self.image(host)?;
        let kernel = self.machine.kernel.elf(host)?;
        let initrd = format!(
            "{} {},{}",
            // In QEMU's list of modules a comma ends a module, a blank its file's name.
            boot.short_name(&kernel, "kernel")?,
            dom0.arguments,
            boot.short_name(&dom0.initramfs, "ramdisk")?
        );
        let memory = dom0.memory;
        let own = format!("console=com1 dom0_mem={memory}M,max:{memory}M");
        let append =
            [own].into_iter().chain(self.args.iter().cloned()).collect::<Vec<_>>().join(" ");
        let memory = memory + BESIDE + guests;
        // QEMU writes this name before Xen's arguments, and Xen reads both: another cache folder would be another number of instructions.
        let image = boot.short_name(&xen, "xen")?;
        let start = Start { kernel: Path::new(&image), initrd: &initrd, append: &append, memory };
        let program = self.machine.program(host, boot, &start)?;
        Ok(program.made_of("kernel", kernel, None).made_of("xen", xen, None))
    }
}

pub(super) struct Dom0 {
    pub(super) initramfs: PathBuf,
    /// Its kernel's arguments.
    pub(super) arguments: String,
    /// Its memory in MiB.
    pub(super) memory: u64,
}

/// What Xen says when it does not like the machine.
pub(super) fn explain(error: &SessionError, console: &str) -> Unavailable {
    let told = ["(XEN) Panic", "Dom0 crashed", "(XEN) Cannot "];
    let refused = console.lines().find(|line| told.iter().any(|told| line.contains(told)));
    match refused {
        Some(line) => Unavailable::new(
            format!("Xen refuses the machine: {}", line.trim()),
            "leave the CPU model out (cpu=): qemu64 is one that Xen runs on",
        ),
        None => crate::explain(error, console),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_model_that_xen_dislikes_is_named() {
        let late =
            SessionError::NoGreeting(crate::Waited::Host(std::time::Duration::from_secs(60)));
        // What Xen 4.17 says with cpu=max.
        let said = "(XEN) Hardware Dom0 crashed: rebooting machine in 5 seconds.";
        let why = explain(&late, said);
        assert!(
            why.why.contains("Xen refuses the machine") && why.remedy.contains("qemu64"),
            "{why}"
        );
        assert!(explain(&late, "(XEN) Brought up 1 CPUs").remedy.contains("more time"));
    }
}

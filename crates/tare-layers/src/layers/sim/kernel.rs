//! The one kernel of the simulated machine: out of the distribution's package, unpacked to the ELF image that boots
//! without spending instructions on unpacking itself.

use crate::artifacts::kernel::{BUILT, given};
use crate::artifacts::kernel_packages::{is_pattern, kernels};
use crate::artifacts::package::{self, Apt};
use crate::artifacts::{foreign, modules, unpack};
use crate::{BootSpec, Host, Settings, Unavailable};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Packages that depend on the newest kernel that runs both bare and on Xen.
const USUAL: &[&str] = &["linux-image-amd64", "linux-image-generic"];

const REMEDY: &str = "give a file or a package of a kernel (kernel=), or as root: apt-get update";

/// An architecture of kernels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Architecture {
    /// As the distribution's packages call it.
    pub(super) name: &'static str,
    /// Where a tree has the kernel that was built in it.
    pub(super) built: &'static str,
}

pub(super) struct Kernel {
    set: Option<String>,
    /// Where it is not this host's.
    architecture: Option<Architecture>,
}

impl Kernel {
    pub(super) fn new(settings: &Settings) -> Kernel {
        Kernel { set: settings.get("kernel").map(str::to_owned), architecture: None }
    }

    pub(super) fn foreign(settings: &Settings, architecture: Architecture) -> Kernel {
        Kernel { architecture: Some(architecture), ..Kernel::new(settings) }
    }

    /// Whether it is given as a file or a tree, and not taken out of a package.
    pub(super) fn is_file(&self) -> bool {
        self.set.as_ref().is_some_and(|set| set.contains('/'))
    }

    /// The kernel as it comes (a bzImage, for what cannot boot an ELF image).
    pub(super) fn packed(&self, host: &Host) -> Result<PathBuf, Unavailable> {
        match &self.set {
            Some(path) if path.contains('/') => {
                let built = self.architecture.map_or(BUILT, |architecture| architecture.built);
                given(Path::new(path), built)
            }
            _ => image(&self.tree(&["./boot/vmlinu[xz]-*"], host)?),
        }
    }

    pub(super) fn elf(&self, host: &Host) -> Result<PathBuf, Unavailable> {
        unpack::elf(&self.packed(host)?, host)
    }

    /// Its modules called `names`, copied into the boot's folder, in this order. Those of a kernel that is given as a file are
    /// looked for where distributions install them; one that is not there is taken for built in.
    pub(super) fn modules(
        &self,
        names: &[&str],
        host: &Host,
        boot: &BootSpec,
    ) -> io::Result<Vec<PathBuf>> {
        if self.is_file() || names.is_empty() {
            return modules::copied(&self.packed(host)?, names, host, boot);
        }
        let members: Vec<String> = names.iter().map(|name| modules::pattern(name)).collect();
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        modules::below(&self.tree(&members, host)?, names, boot)
    }

    /// What of its package matches `members`.
    fn tree(&self, members: &[&str], host: &Host) -> Result<PathBuf, Unavailable> {
        let Some(architecture) = self.architecture else {
            return package::tree(&self.package(&Apt::default())?, members, host);
        };
        let apt = foreign::apt(architecture.name, host)?;
        let tree = package::tree_of(&apt, &self.package(&apt)?, members, host);
        tree.map_err(foreign::outdated(architecture.name, host))
    }

    fn package(&self, apt: &Apt) -> Result<String, Unavailable> {
        if let Some(pattern) = self.set.as_deref().filter(|set| is_pattern(set)) {
            let newest = kernels(pattern)?.pop();
            return newest.ok_or_else(|| Unavailable::new("apt knows no kernel package", REMEDY));
        }
        let named = self.set.as_slice().iter().map(String::as_str);
        let general: Vec<&str> = if self.set.is_some() { named.collect() } else { USUAL.into() };
        let real = |name: &&str| package::behind_of(apt, name, "linux-image-");
        let found = general.iter().find_map(real).or_else(|| self.set.clone());
        found.ok_or_else(|| Unavailable::new("apt knows no kernel package", REMEDY))
    }
}

fn image(tree: &Path) -> Result<PathBuf, Unavailable> {
    let entries = fs::read_dir(tree.join("boot")).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.next().ok_or_else(|| {
        Unavailable::new(format!("no kernel in {}", tree.display()), "remove that folder")
    })
}

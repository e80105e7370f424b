//! A layer inside the bare simulated machine: the machine's probe starts it as a program on the machine's line, so that
//! the host hears the probe inside the layer.

use super::machine::{Simulated, Start};
use super::root::Tree;
use crate::artifacts::initramfs::Initramfs;
use crate::files::bounded;
use crate::{BootSpec, Host, Program, Unavailable, artifacts::package};
use std::io;
use std::path::{Path, PathBuf};
use tare_proto::{INNER, Inner};

pub(super) struct Files<'a> {
    pub(super) package: &'a str,
    /// Which, as tar knows them: `./usr/bin/*`. Each must match something.
    pub(super) members: &'a [&'a str],
}

/// What a program that is linked to the C library needs. Folders may be in `/usr`.
pub(super) const C_LIBRARY: Files<'static> = Files {
    package: "libc6",
    members: &["./*lib/x86_64-linux-gnu/libc.so.6", "./*lib*/ld-linux-x86-64.so.2"],
};

impl Files<'_> {
    /// Where they are; extracted if they are not yet.
    pub(super) fn tree(&self, host: &Host) -> Result<PathBuf, Unavailable> {
        package::tree(self.package, self.members, host)
    }
}

/// What the machine holds beside its kernel and the probe, and what the probe starts there.
pub(super) struct Inside<'a> {
    pub(super) machine: &'a Simulated,
    /// Modules that its kernel loads first, in this order.
    pub(super) modules: &'a [&'a str],
    pub(super) packages: &'a [Files<'a>],
    /// More files and folders: their names in there (of what is the root itself, nothing), and where they are.
    pub(super) files: Vec<(&'a str, PathBuf)>,
    pub(super) inner: Inner,
    /// The root of programs, where the layer's are files of the machine.
    pub(super) root: Option<&'a Tree>,
}

impl Inside<'_> {
    /// The bare machine with all of it as a program; `memory` in MiB, the layer's included.
    pub(super) fn program(&self, host: &Host, boot: &BootSpec, memory: u64) -> io::Result<Program> {
        let kernel = self.machine.kernel.elf(host)?;
        let initrd = boot.own_name(&self.initramfs(host, boot)?);
        let append = self.machine.bare_arguments();
        let start = Start { kernel: &kernel, initrd: &initrd, append: &append, memory };
        let program = self.machine.program(host, boot, &start)?;
        Ok(program.made_of("kernel", kernel, None))
    }

    pub(super) fn initramfs(&self, host: &Host, boot: &BootSpec) -> io::Result<PathBuf> {
        let mut archive = Initramfs::new(host, &boot.folder.join("machine"))?;
        archive.modules(&self.machine.kernel.modules(self.modules, host, boot)?)?;
        archive.merge_usr()?;
        for files in self.packages {
            archive.tree(&files.tree(host)?)?;
        }
        for (name, path) in &self.files {
            if path.is_dir() {
                archive.tree_in(name, path)?;
            } else {
                archive.file(name, &read(path)?)?;
            }
        }
        self.root.map_or(Ok(()), |root| root.add_to(&mut archive))?;
        archive.file(INNER, &serde_json::to_vec(&self.inner)?)?;
        archive.finish()
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    bounded::read(path, bounded::PROGRAM)
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_end_is_refused_by_name() {
        let refused = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(refused, "/dev/zero: not a regular file");
    }
}

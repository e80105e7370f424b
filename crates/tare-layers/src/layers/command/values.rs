//! What placeholders stand for in one boot: each thing is made when the first word asks for it.

use crate::artifacts::{initramfs, kernel, unpack};
use crate::attach::disk::files;
use crate::layers::command::Command;
use crate::snapshot::IMAGE;
use crate::{BootSpec, Host, Program, Saved, affinity};
use nix::sys::resource::{Resource, getrlimit};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What a root file system consists of beside the probe.
const FOLDERS: &[&str] = &["proc", "sys", "dev", "tmp", "usr", "etc", "files", "run", "root"];

/// Its probe, inside and outside.
const PROBE: &str = "tare-probe";

/// The arguments of a kernel that has one serial line, which is the probe's. Without ACPI it cannot switch the machine off, so
/// it ends by a triple fault, at which every monitor ends.
const CMDLINE: &str =
    "console=ttyS9 quiet loglevel=0 panic=-1 reboot=t tare.end=reboot tare.line=/dev/ttyS0";

pub(crate) struct Values<'a> {
    pub layer: &'a Command,
    pub host: &'a Host,
    pub boot: &'a BootSpec<'a>,
    /// What the keeper has to make.
    pub program: Program,
    known: BTreeMap<String, String>,
}

impl<'a> Values<'a> {
    pub fn new(layer: &'a Command, host: &'a Host, boot: &'a BootSpec) -> Values<'a> {
        Values { layer, host, boot, program: Program::default(), known: BTreeMap::new() }
    }

    /// What `name` stands for.
    pub fn value(&mut self, name: &str) -> io::Result<String> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let value = self.make(name)?;
        self.known.insert(name.to_owned(), value.clone());
        Ok(value)
    }

    fn make(&mut self, name: &str) -> io::Result<String> {
        let folder = self.boot.folder;
        let text = |path: &Path| path.display().to_string();
        Ok(match name {
            "probe" => text(&self.probe(&self.boot.shared_folder().join(PROBE))?),
            "root" => text(&self.root()?),
            "folder" => text(folder),
            "files" => text(&files::folder(self.boot, &mut self.program)),
            "image" => text(&self.image()?),
            "id" => self.boot.id.to_owned(),
            "cpu_list" => self.cpu_list()?,
            "kernel" => text(&self.kernel()?),
            "vmlinux" => {
                let unpacked = unpack::elf(&self.kernel()?, self.host);
                text(&unpacked?)
            }
            "initramfs" => text(&initramfs::write(self.host, self.boot, &[])?),
            _ => return everywhere(self.layer, self.host, name),
        })
    }

    /// A file that has just been written, as every container's is (see `native.rs`). A restored layer has that of the saved one.
    fn probe(&self, place: &Path) -> io::Result<PathBuf> {
        if !matches!(self.boot.saved, Saved::From(_)) {
            fs::copy(&self.host.probe, place)?;
        }
        Ok(place.to_owned())
    }

    fn image(&self) -> io::Result<PathBuf> {
        let image = self.boot.shared_folder().join(IMAGE);
        fs::create_dir_all(&image)?;
        Ok(image)
    }

    fn root(&self) -> io::Result<PathBuf> {
        let root = self.boot.shared_folder().join("root");
        for folder in FOLDERS {
            fs::create_dir_all(root.join(folder))?;
        }
        self.probe(&root.join(PROBE))?;
        Ok(root)
    }

    fn kernel(&mut self) -> io::Result<PathBuf> {
        let set = self.layer.settings.get("kernel");
        let found = kernel::find(set, self.host)?;
        self.program = std::mem::take(&mut self.program).made_of("kernel", &found, None);
        Ok(found)
    }

    fn cpu_list(&self) -> io::Result<String> {
        let cpus = match self.boot.cpus {
            [] => affinity::allowed()?,
            pinned => pinned.to_vec(),
        };
        Ok(cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
    }
}

/// What `name` stands for in every boot, and before there is one.
pub(crate) fn everywhere(layer: &Command, host: &Host, name: &str) -> io::Result<String> {
    let other = |e: &dyn std::fmt::Display| io::Error::other(e.to_string());
    Ok(match name {
        "probe" => host.probe.display().to_string(),
        "campaign" => layer.campaign.clone(),
        "hash" => hash(&host.probe)?,
        "cpus" => layer.settings.number("vcpus", 1, 1, 1024).map_err(|e| other(&e))?.to_string(),
        "memory" => layer.settings.mebibytes("memory", 512).map_err(|e| other(&e))?.to_string(),
        "nofile" => getrlimit(Resource::RLIMIT_NOFILE)?.1.to_string(),
        "nproc" => processes()?,
        "arch" => std::env::consts::ARCH.to_owned(),
        "cmdline" => CMDLINE.to_owned(),
        own => layer.settings.get(own).unwrap_or_default().to_owned(),
    })
}

/// The most processes that this user may have: never more than there are numbers for, to which some engines limit themselves.
fn processes() -> io::Result<String> {
    let (_, most) = getrlimit(Resource::RLIMIT_NPROC)?;
    let numbers = fs::read_to_string("/proc/sys/kernel/pid_max")?;
    Ok(numbers.trim().parse().map_or(most, |numbers: u64| most.min(numbers)).to_string())
}

/// The beginning of a file's SHA-256.
fn hash(file: &Path) -> io::Result<String> {
    Ok(format!("{:.16x}", Sha256::digest(fs::read(file)?)))
}

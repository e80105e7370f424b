//! What a layer is given beside the probe: read from its settings and attached here, once for all kinds. A kind only says how its
//! program is told of what it was given. The simulated machine has none of it (`layers/sim/`): its disk and root are in its memory.

pub(crate) mod balloon;
pub(crate) mod disk;
pub(crate) mod hosted;
pub(crate) mod knobs;
pub(crate) mod lacking;
pub(crate) mod net;
pub(crate) mod pages;
pub(crate) mod root;
pub mod scratch;

use crate::{BootSpec, Host, Program, Saved, SettingError, Settings, Unavailable};
use disk::files::{self, Files};
use disk::{Attached, Disk};
use net::{Link, Net};
use root::Root;
use scratch::Scratch;
use std::io;
use std::path::PathBuf;
use tare_proto::{Balloon, DISK, DISK_FILES, NET, NET_OWN, ROOT, ROOT_DISK, ROOT_IMAGE};

/// What is set of a layer. A kind without one of these settings never has it: other keys were refused before.
pub(crate) struct Attachments {
    pub disk: Option<Disk>,
    /// A guest's disk with a file system; any other layer has a folder of the host's.
    pub files: Option<Files>,
    pub net: Option<Net>,
    pub root: Option<Root>,
    /// Of a guest.
    pub balloon: Option<Balloon>,
}

/// What a process of this host, in a container or not, was given.
pub(crate) struct OfProcess {
    pub disk: Option<PathBuf>,
    /// A folder on a disk of the host.
    pub files: PathBuf,
    pub net: Option<Link>,
}

pub(crate) struct OfGuest {
    /// In the order in which its kernel names them.
    pub disks: Vec<GuestDisk>,
    pub net: Option<Link>,
}

pub(crate) struct GuestDisk {
    pub variable: &'static str,
    pub image: Attached,
    /// What its name ends with: the first is `a`.
    pub letter: char,
}

impl GuestDisk {
    /// Whether the guest may only read it, as an image that many boots share.
    pub fn is_read_only(&self) -> bool {
        self.variable == ROOT
    }
}

/// What says how much memory a guest has.
const MEMORY: &str = "memory";

/// Memory of a guest that runs programs, in MiB. With the 256 MiB of a User-Mode Linux, `find /usr` meets names that its kernel has forgotten
/// since the last run, because memory is short: each then takes half as long again.
const WITH_PROGRAMS: u64 = 1024;

/// The memory of a guest in MiB: as it is set, or `usual`, or what programs need if it has a root for them.
pub(crate) fn memory(settings: &Settings, usual: u64) -> Result<u64, SettingError> {
    let root = settings.get(root::SETTING.key).is_some_and(|root| root != "none");
    settings.mebibytes(MEMORY, if root { WITH_PROGRAMS } else { usual })
}

impl Attachments {
    /// Reads the settings of a kind that can have these networks, of a guest with `memory` MiB.
    pub fn read(
        settings: &Settings,
        networks: &[Net],
        memory: u64,
    ) -> Result<Attachments, SettingError> {
        Ok(Attachments {
            disk: Disk::read(settings)?,
            files: Files::read(settings)?,
            net: Net::read(settings, networks)?,
            root: Root::read(settings)?,
            balloon: balloon::read(settings, memory)?,
        })
    }

    /// Whether the disks may be used. Which roots can be had depends on the kind.
    pub fn check_disks(&self, host: &Host) -> Result<(), Unavailable> {
        self.disk.as_ref().map_or(Ok(()), |disk| disk.check(host))?;
        self.files.as_ref().map_or(Ok(()), Files::check)
    }

    /// Whether there is a device, for which a guest's kernel needs drivers.
    pub fn any(&self) -> bool {
        self.missing_from_images() || self.root.is_some()
    }

    /// Whether there is a device that a saved layer's image would lack. A root is only read, and what is written over it lies in the
    /// layer's memory, unless it goes to a disk.
    pub fn missing_from_images(&self) -> bool {
        let written = self.scratch().is_some();
        let devices = self.disk.is_some() || self.files.is_some() || self.net.is_some();
        devices || self.balloon.is_some() || written
    }

    /// The disk of this host's to which programs write over their root.
    pub fn scratch(&self) -> Option<&Scratch> {
        self.root.as_ref()?.scratch.as_ref()
    }

    /// Whether a guest can have what its programs write to.
    pub fn check_scratch(&self) -> Result<(), Unavailable> {
        self.scratch().map_or(Ok(()), Scratch::check_image)
    }

    /// Adds what a process needs to `program`, which the keeper makes; its root is the kind's affair.
    pub fn of_process(
        &self,
        host: &Host,
        boot: &BootSpec,
        program: &mut Program,
    ) -> io::Result<OfProcess> {
        let disk = self.disk.as_ref().map(|disk| disk.attach(host, boot, program)).transpose()?;
        let files = match boot.saved {
            Saved::Never => files::folder(boot, program),
            // What is mounted when a layer is saved has to be there when it is restored.
            Saved::Into(folder) | Saved::From(folder) => folder.join("files"),
        };
        let net = self.net.map(|net| net.attach(host, boot, program)).transpose()?;
        Ok(OfProcess { disk: disk.map(|disk| disk.path), files, net })
    }

    /// Adds what a guest needs to `program`, which the keeper makes. A root that is an image is one of the disks.
    pub fn of_guest(
        &self,
        host: &Host,
        boot: &BootSpec,
        program: &mut Program,
    ) -> io::Result<OfGuest> {
        let mut images = Vec::new();
        if let Some(disk) = &self.disk {
            images.push((DISK, disk.attach(host, boot, program)?));
        }
        if let Some(files) = &self.files {
            images.push((DISK_FILES, files.attach(boot, program)?));
        }
        if let Some(root) = self.root.as_ref().filter(|root| root.is_image()) {
            root.record(program);
            images.push((ROOT, Attached { path: root.lower.clone(), direct: false }));
        }
        if let Some(scratch) = self.scratch() {
            images.push((ROOT_DISK, scratch.attach(boot, program)));
        }
        let disk = |((variable, image), letter)| GuestDisk { variable, image, letter };
        let disks = images.into_iter().zip('a'..).map(disk).collect();
        let net = self.net.map(|net| net.attach(host, boot, program)).transpose()?;
        Ok(OfGuest { disks, net })
    }
}

impl OfGuest {
    /// The words of its kernel's arguments that tell the probe; the kernel calls its disks `disk` with a letter, and its network
    /// `interface`.
    pub fn words(&self, disk: &str, interface: &str) -> Vec<String> {
        let mut words = Vec::new();
        for GuestDisk { variable, letter, .. } in &self.disks {
            let kind = if *variable == ROOT { ROOT_IMAGE } else { "" };
            words.push(format!("{variable}={kind}{disk}{letter}"));
        }
        if let Some(net) = &self.net {
            words.push(format!("{NET}=\"{}\"", net.told));
            words.extend(net.own.as_ref().map(|own| format!("{NET_OWN}={interface}:{own}")));
        }
        words
    }
}

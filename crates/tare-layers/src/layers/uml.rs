//! `uml`: User-Mode Linux, a kernel that is a process of this host.
//!
//! Its kernel is its own; it has one CPU, and each guest process is a host process that it traces.

use crate::artifacts::guests_run_here;
use crate::attach::balloon;
use crate::attach::disk::files::{self, Files};
use crate::attach::disk::{self, Disk};
use crate::attach::net::{self, Link, Net};
use crate::attach::pages;
use crate::attach::root::{self, Root};
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Mounts, Program, Second, Setting, Unavailable,
    Unnamed, artifacts::initramfs, artifacts::modules,
};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_keeper::mounts;
use tare_keeper::programs;
use tare_keeper::registers;
use tare_proto::{Balloon, DISK, DISK_FILES, Machine, NET, NET_OWN, ROOT, ROOT_HOSTFS, ROOT_IMAGE};

pub const KIND: LayerKind = LayerKind {
    name: "uml",
    about: "User-Mode Linux: a Linux kernel as a process, one CPU",
    machine: Some(Machine::Real),
    settings: &[
        Setting { key: "kernel", about: "the kernel, a program (default linux.uml)" },
        Setting { key: "memory", about: "the guest's memory (default 256M)" },
        Setting { key: "args", about: "more arguments of the kernel" },
        balloon::SETTING,
        disk::SETTING,
        files::SETTING,
        net::SETTING,
        root::EITHER,
        pages::KSM,
        pages::THP,
    ],
    defaults: &[],
    unnamed: Unnamed::Tried("a kernel as a process, slow at whatever enters it"),
    words: None,
    make: |settings| {
        let memory = settings.mebibytes("memory", 256)?;
        Ok(Box::new(Uml {
            kernel: settings.get("kernel").unwrap_or("linux.uml").to_owned(),
            memory,
            args: settings.words("args"),
            balloon: balloon::read(settings, memory)?,
            disk: Disk::read(settings)?,
            files: Files::read(settings)?,
            net: Net::read(settings, &[Net::PlainTap])?,
            root: Root::read(settings)?,
        }))
    },
};

/// Where the package has the kernel's modules, by release.
const MODULES: &str = "/usr/lib/uml/modules";

/// Longest time for the kernel to say which release it is.
const VERSION: Duration = Duration::from_secs(10);

/// The arguments of a kernel with `memory` MiB that may write to `folder`.
pub(super) fn arguments(memory: u64, initramfs: &str, folder: &str) -> Vec<String> {
    let own =
        [format!("mem={memory}M"), format!("initrd={initramfs}"), format!("uml_dir={folder}")];
    let fixed = [
        // The console writes to standard error; the first serial line is the probe's.
        "con=null con0=null,fd:2 ssl=null ssl0=fd:0,fd:1 tare.line=/dev/ttyS0",
        "quiet panic=-1",
        // More than half of Debian's boot would be a benchmark of RAID-6, which nothing uses.
        "initcall_blacklist=raid6_select_algo",
    ];
    own.into_iter().chain(fixed.join(" ").split(' ').map(str::to_owned)).collect()
}

struct Uml {
    kernel: String,
    memory: u64,
    args: Vec<String>,
    balloon: Option<Balloon>,
    disk: Option<Disk>,
    files: Option<Files>,
    net: Option<Net>,
    root: Option<Root>,
}

impl Layer for Uml {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        guests_run_here("User-Mode Linux")?;
        programs::find(&self.kernel)?;
        self.files.as_ref().map_or(Ok(()), Files::check)?;
        if self.root.as_ref().is_some_and(|root| !root.is_image()) {
            mounts::check()?;
        }
        self.disk.as_ref().map_or(Ok(()), |disk| disk.check(host))
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let kernel = programs::find(&self.kernel).map_err(|e| io::Error::other(e.to_string()))?;
        let modules = self.root.as_ref().map(|_| modules(&kernel, boot)).transpose()?;
        let initramfs = initramfs::write(host, boot, &modules.unwrap_or_default())?;
        let mut program = Program::new(&kernel)
            // Its kernel takes these words apart at blanks, its drivers at commas and colons.
            .args(arguments(self.memory, &boot.own_name(&initramfs), "."))
            .arg(format!("umid={}", boot.id))
            .args(&self.args);
        program.many_files = true;
        if registers::are_too_many() {
            program.older_registers = true;
            program = program.arg(registers::WITHOUT_AVX);
        }
        let mut given = Vec::new();
        if let Some(balloon) = &self.balloon {
            let console = format!("{}/mconsole", boot.id);
            program = balloon::of_uml(balloon, host, &console, program);
        }
        if let Some(disk) = &self.disk {
            let path = disk.attach(host, boot, &mut program)?.path;
            program = program.arg(format!("ubd0={}", boot.short_name(&path, "disk-a")?));
            program = program.arg(format!("{DISK}=/dev/ubda"));
            given.extend(Some(path).filter(|path| path.is_file()));
        }
        if let Some(files) = &self.files {
            let path = files.attach(boot, &mut program)?.path;
            program = program.arg(format!("ubd1={}", boot.short_name(&path, "disk-b")?));
            program = program.arg(format!("{DISK_FILES}=/dev/ubdb"));
        }
        if let Some(net) = self.net {
            let Link { told, own, interface, .. } = net.attach(host, boot, &mut program)?;
            program = program.arg(format!("{NET}=\"{told}\""));
            if let (Some(own), Some(interface)) = (own, interface) {
                program = program.arg(format!("vec0:transport=tap,ifname={interface},depth=128"));
                program = program.arg(format!("{NET_OWN}=vec0:{own}"));
            }
        }
        program = match &self.root {
            Some(root) if root.is_image() => of_image(root, boot, program)?,
            Some(root) => of_folder(root, boot, given, program)?,
            None => program.arg(NO_HOSTFS),
        };
        let program = program.with_second(Second::ByProbe);
        Ok(Launch::Program(program.made_of("kernel", kernel, Some("--version"))))
    }
}

/// Leaves out the driver by which whoever is root in the guest would see this host's files.
const NO_HOSTFS: &str = "initcall_blacklist=init_hostfs";

/// An image as the root of programs.
fn of_image(root: &Root, boot: &BootSpec, program: Program) -> io::Result<Program> {
    let image = boot.short_name(&root.lower, "root-image")?;
    let program = program.arg(format!("ubd2r={image}")).arg(NO_HOSTFS);
    Ok(root.recorded(program.arg(format!("{ROOT}=\"{ROOT_IMAGE}/dev/ubdc\""))))
}

/// A folder of this host as the root of programs. Whoever is root in the guest can mount it once more, writable, and by names
/// with `..` what is above it. So nothing of this host can be written, but for the boot's own files and those that were `given`.
fn of_folder(
    root: &Root,
    boot: &BootSpec,
    given: Vec<PathBuf>,
    program: Program,
) -> io::Result<Program> {
    let memory = boot.folder.join("memory");
    std::fs::create_dir(&memory)?;
    let lower = boot.short_name(&root.lower, "root-lower")?;
    // The guest's memory is a file.
    let mut program =
        program.env("TMPDIR", memory.to_string_lossy()).arg(format!("hostfs={lower}"));
    program.mounts = Mounts::ReadOnly { but: given, memory };
    Ok(root.recorded(program.arg(format!("{ROOT}=\"{ROOT_HOSTFS}\""))))
}

/// What overlays need of the kernel's modules; nothing where they are built in.
fn modules(kernel: &Path, boot: &BootSpec) -> io::Result<Vec<PathBuf>> {
    let mut version = programs::plain(kernel);
    let release = programs::output(version.arg("--version"), VERSION).map_err(io::Error::other)?;
    modules::below(&Path::new(MODULES).join(release.trim()), modules::ROOT, boot)
}

//! `uml`: User-Mode Linux, a kernel that is a process of this host.
//!
//! Its kernel is its own; it has one CPU, and each guest process is a host process that it traces.

use crate::artifacts::guests_run_here;
use crate::attach::disk::files;
use crate::attach::net::Net;
use crate::attach::root::Root;
use crate::attach::{self, Attachments, balloon, disk, knobs, net, pages, root, scratch};
use crate::{
    BootSpec, Cpus, Host, Launch, Layer, LayerKind, Mounts, Program, Second, Setting, Sign,
    Unavailable, Unnamed, Whose, artifacts::initramfs, artifacts::modules,
};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_keeper::mounts;
use tare_keeper::programs;
use tare_keeper::registers;
use tare_proto::outside::Part;
use tare_proto::{DISK, Machine, ROOT, ROOT_HOSTFS};

pub const KIND: LayerKind = LayerKind {
    name: "uml",
    about: "User-Mode Linux: a Linux kernel as a process, one CPU",
    machine: Some(Machine::Real),
    settings: &[
        Setting { key: "kernel", about: "the kernel, a program (default linux.uml)" },
        Setting {
            key: "memory",
            about: "the guest's memory (default 256M, 1G with a root for programs)",
        },
        Setting { key: "args", about: "more arguments of the kernel" },
        balloon::SETTING,
        disk::SETTING,
        files::SETTING,
        net::SETTING,
        root::EITHER,
        scratch::SETTING,
        pages::KSM,
        pages::THP,
        knobs::SETTING,
    ],
    defaults: &[],
    unnamed: Unnamed::Tried("a kernel as a process, slow at whatever enters it"),
    words: None,
    make: |settings| {
        let memory = attach::memory(settings, 256)?;
        Ok(Box::new(Uml {
            kernel: settings.get("kernel").unwrap_or("linux.uml").to_owned(),
            memory,
            args: settings.words("args"),
            attachments: Attachments::read(settings, &[Net::PlainTap], memory)?,
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

/// User-Mode Linux's first process is the kernel, which traces a process for each address space of the guest; others read and write disks.
const WHOSE: &[Whose] = &[
    Whose::new(Sign::Traced, Part::Program),
    Whose::new(Sign::First, Part::Kernel),
    Whose::new(Sign::Any, Part::Helper),
];

struct Uml {
    kernel: String,
    memory: u64,
    args: Vec<String>,
    attachments: Attachments,
}

impl Layer for Uml {
    /// Its kernel has one CPU. Where kernel and guest process are on two, every switch between them wakes the other CPU: a null call
    /// then takes 29 to 295 times the host's time, from boot to boot, instead of 58.
    fn cpus(&self) -> Cpus {
        Cpus::Only(1)
    }

    fn whose(&self) -> &'static [Whose] {
        WHOSE
    }

    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        guests_run_here("User-Mode Linux")?;
        programs::find(&self.kernel)?;
        if self.attachments.root.as_ref().is_some_and(|root| !root.is_image()) {
            mounts::check()?;
        }
        self.attachments.check_scratch()?;
        self.attachments.check_disks(host)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let kernel = programs::find(&self.kernel)?;
        let on_disk = self.attachments.scratch().is_some();
        let of_root = |_| modules(&kernel, on_disk, boot);
        let modules = self.attachments.root.as_ref().map(of_root).transpose()?;
        let initramfs = initramfs::write(host, boot, &modules.unwrap_or_default())?;
        let mut program = Program::new(&kernel)
            // Its kernel takes these words apart at blanks, its drivers at commas and colons.
            .args(arguments(self.memory, &boot.own_name(&initramfs), "."))
            .arg(format!("umid={}", boot.id));
        program.many_files = true;
        if registers::are_too_many() {
            program.older_registers = true;
            program = program.args(registers::WITHOUT_AVX);
        }
        // Of a variable that is named twice, the kernel takes the last.
        program = program.args(&self.args);
        if let Some(balloon) = &self.attachments.balloon {
            let console = format!("{}/mconsole", boot.id);
            program = balloon::of_uml(balloon, host, &console, program);
        }
        let given = self.attachments.of_guest(host, boot, &mut program)?;
        for (at, disk) in given.disks.iter().enumerate() {
            let file = boot.short_name(&disk.image.path, &format!("disk-{}", disk.letter))?;
            let read_only = if disk.is_read_only() { "r" } else { "" };
            program = program.arg(format!("ubd{at}{read_only}={file}"));
        }
        if let Some(interface) = given.net.as_ref().and_then(|net| net.interface.as_ref()) {
            program = program.arg(format!("vec0:transport=tap,ifname={interface},depth=128"));
        }
        program = program.args(given.words("/dev/ubd", "vec0"));
        program = match self.attachments.root.as_ref().filter(|root| !root.is_image()) {
            Some(root) => {
                // A disk of the user's, which the guest may write to although all else is read-only.
                let disk = given.disks.into_iter().find(|disk| disk.variable == DISK);
                let disk = disk.map(|disk| disk.image.path).filter(|path| path.is_file());
                of_folder(root, boot, disk, program)?
            }
            None => program.arg(NO_HOSTFS),
        };
        let program = program.with_second(Second::ByProbe);
        Ok(Launch::Program(program.made_of("kernel", kernel, Some("--version"))))
    }
}

/// Leaves out the driver by which whoever is root in the guest would see this host's files.
const NO_HOSTFS: &str = "initcall_blacklist=init_hostfs";

/// A folder of this host as the root of programs. Whoever is root in the guest can mount it once more, writable, and by names
/// with `..` what is above it. So nothing of this host can be written, but for the boot's own files and a `disk` of the user's.
fn of_folder(
    root: &Root,
    boot: &BootSpec,
    disk: Option<PathBuf>,
    program: Program,
) -> io::Result<Program> {
    let memory = boot.folder.join("memory");
    std::fs::create_dir(&memory)?;
    let lower = boot.short_name(&root.lower, "root-lower")?;
    // The guest's memory is a file.
    let mut program =
        program.env("TMPDIR", memory.to_string_lossy()).arg(format!("hostfs={lower}"));
    program.mounts = Mounts::ReadOnly { but: disk.into_iter().collect(), memory };
    root.record(&mut program);
    Ok(program.arg(format!("{ROOT}=\"{ROOT_HOSTFS}\"")))
}

/// What overlays need of the kernel's modules, and a disk for what is written; nothing where they are built in.
fn modules(kernel: &Path, on_disk: bool, boot: &BootSpec) -> io::Result<Vec<PathBuf>> {
    let mut version = programs::plain(kernel);
    let release = programs::output(version.arg("--version"), VERSION).map_err(io::Error::other)?;
    let names = [modules::ROOT, if on_disk { modules::EXT4 } else { &[] }].concat();
    modules::below(&Path::new(MODULES).join(release.trim()), &names, boot)
}

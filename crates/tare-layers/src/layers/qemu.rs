//! `qemu`: a virtual machine of QEMU, its code translated (TCG) or, with `accel=kvm`, run by the
//! processor. The same machine otherwise, with no device but two serial lines.

use crate::artifacts::guests_run_here;
use crate::attach::disk::backend::{self, Backend};
use crate::attach::disk::drive::{self, Drive};
use crate::attach::disk::files;
use crate::attach::net::{Link, Net};
use crate::attach::root::Root;
use crate::attach::{
    self, Attachments, GuestDisk, balloon, disk, knobs, net, pages, root, scratch,
};
use crate::kvm::hardware;
use crate::layer::Counting;
use crate::snapshot::{IMAGE, attached};
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Plugin, Program, Saved, Saving, Second, SessionError,
    Setting, SettingError, Settings, Sign, Unavailable, Unnamed, Whose, artifacts::initramfs,
    artifacts::kernel, artifacts::modules,
};
use std::io;
use tare_keeper::programs;
use tare_proto::outside::Part;
use tare_proto::{DISK, Machine, ROOT_DISK};

pub const KIND: LayerKind = LayerKind {
    name: "qemu",
    about: "a virtual machine that QEMU translates (TCG): emulation, not KVM",
    machine: Some(Machine::Real),
    settings: SETTINGS,
    defaults: &[("accel", "tcg")],
    unnamed: Unnamed::Tried("emulates every instruction"),
    words: None,
    make,
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting { key: "accel", about: "tcg or kvm (default: depends on the layer's kind)" },
    Setting { key: "vcpus", about: "virtual CPUs (default 1)" },
    Setting {
        key: "memory",
        about: "the guest's memory (default 512M, 1G with a root for programs)",
    },
    Setting { key: "kernel", about: "the guest's kernel (default: found or downloaded)" },
    Setting { key: "cpu", about: "CPU model (default: max for tcg, host for kvm)" },
    Setting { key: "machine", about: "machine type (default q35)" },
    Setting { key: "emulator", about: "QEMU's program (default qemu-system-x86_64)" },
    Setting {
        key: "append",
        about: "more arguments of the guest's kernel: mitigations=off nohz=off",
    },
    Setting { key: "args", about: "more arguments of QEMU" },
    balloon::SETTING,
    disk::SETTING,
    backend::BACKEND,
    backend::BACKEND_ARGS,
    drive::CACHE,
    drive::AIO,
    drive::QUEUES,
    files::SETTING,
    net::SETTING,
    root::IMAGE,
    scratch::SETTING,
    pages::KSM,
    pages::THP,
    knobs::SETTING,
];

pub(super) fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    Ok(Box::new(Qemu::new(settings)?))
}

struct Qemu {
    accel: String,
    vcpus: u64,
    memory: u64,
    kernel: Option<String>,
    cpu: String,
    machine: String,
    emulator: String,
    append: Vec<String>,
    args: Vec<String>,
    drive: Drive,
    backend: Option<Backend>,
    attachments: Attachments,
}

impl Qemu {
    fn new(settings: &Settings) -> Result<Qemu, SettingError> {
        let text = |key, default: &str| settings.get(key).unwrap_or(default).to_owned();
        let accel = settings.one_of("accel", &["tcg", "kvm"])?.unwrap_or("tcg").to_owned();
        // What the emulator can do best: a guest then takes the paths of a current processor.
        let cpu = text("cpu", if accel == "kvm" { "host" } else { "max" });
        let memory = attach::memory(settings, 512)?;
        let attachments = Attachments::read(settings, &[Net::User, Net::Tap], memory)?;
        let others = attachments.files.is_some() || attachments.root.is_some();
        Ok(Qemu {
            accel,
            vcpus: settings.number("vcpus", 1, 1, 64)?,
            memory,
            kernel: settings.get("kernel").map(str::to_owned),
            cpu,
            machine: text("machine", "q35"),
            emulator: text("emulator", "qemu-system-x86_64"),
            append: settings.words("append"),
            args: settings.words("args"),
            drive: Drive::read(settings)?,
            backend: Backend::read(settings, attachments.disk.as_ref(), others)?,
            attachments,
        })
    }
}

impl Qemu {
    /// What counts its instructions: only what is translated can be counted.
    fn plugin<'a>(&self, host: &'a Host) -> Option<&'a Plugin> {
        host.plugin.as_ref().filter(|_| self.accel == "tcg")
    }

    fn with_disk(
        &self,
        host: &Host,
        boot: &BootSpec,
        disk: &GuestDisk,
        program: Program,
    ) -> io::Result<Program> {
        if let Some(backend) = self.backend.as_ref().filter(|_| disk.variable == DISK) {
            return backend.serve(host, boot, &disk.image, self.memory, program);
        }
        let id = format!("disk-{}", disk.letter);
        let path = boot.short_name(&disk.image.path, &id)?;
        let how = self.drive.of_drive(disk.image.direct);
        let read_only = if disk.is_read_only() { ",readonly=on" } else { "" };
        // A guest whose disk is full is told so; it would wait for ever.
        let errors = if disk.variable == ROOT_DISK { ",werror=report" } else { "" };
        let drive = format!("if=none,id={id},format=raw,{how}{errors},file={path}{read_only}");
        let device = format!("virtio-blk-pci,drive={id}{}", self.drive.of_device());
        Ok(program.args(["-drive", &drive, "-device", &device]))
    }
}

/// Adds the network to `program`, unless there is none to have.
fn with_net(link: &Link, program: Program) -> Program {
    if link.own.is_none() {
        return program;
    }
    let netdev = match &link.interface {
        Some(name) => format!("tap,id=net,ifname={name},script=no,downscript=no"),
        None => "user,id=net,ipv6=off".to_owned(),
    };
    program.args(["-netdev", &netdev, "-device", "virtio-net-pci,netdev=net,romfile="])
}

/// The socket of QEMU's monitor in the boot's folder.
const MONITOR: &str = "qmp";

/// Adds to `program` what it takes to be saved, or to be restored.
fn saved(boot: &BootSpec, mut program: Program) -> io::Result<Program> {
    let name = || boot.short_name(&boot.shared_folder().join(IMAGE), IMAGE);
    match boot.saved {
        Saved::Never => Ok(program),
        Saved::Into(_) => {
            let to = format!("exec:cat > {}", name()?);
            program.saving = Saving::Monitor { socket: boot.folder.join(MONITOR), to };
            Ok(program.args(["-qmp", &format!("unix:{MONITOR},server=on,wait=off")]))
        }
        Saved::From(_) => Ok(program.args(["-incoming", &format!("exec:cat {}", name()?)])),
    }
}

/// A virtual CPU's thread runs the guest, its programs and its kernel alike.
const WHOSE: &[Whose] =
    &[Whose::new(Sign::Thread("CPU "), Part::Kernel), Whose::new(Sign::Any, Part::Helper)];

impl Layer for Qemu {
    fn whose(&self) -> &'static [Whose] {
        WHOSE
    }

    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        guests_run_here("the guest of QEMU's layers")?;
        if self.accel == "kvm" {
            hardware::device()?;
        }
        let emulator = programs::find(&self.emulator)?;
        if let Some(plugin) = self.plugin(host) {
            plugin.check(&emulator)?;
        }
        self.attachments.check_disks(host)?;
        self.attachments.check_scratch()?;
        self.backend.as_ref().map_or(Ok(()), |_| Backend::program(host).map(drop))?;
        let kernel = self.kernel.as_deref();
        self.attachments.root.as_ref().map_or(Ok(()), Root::check_image)?;
        match self.attachments.any() {
            true => kernel::find_with_modules(kernel, host).map(drop),
            false => kernel::find(kernel, host).map(drop),
        }
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let emulator = programs::find(&self.emulator)?;
        let kernel = kernel::find(self.kernel.as_deref(), host)?;
        let counted = boot.counted_by(self.plugin(host), false)?;
        let mut program = Program::new(&emulator)
            .args(["-accel", &self.accel, "-cpu", &self.cpu, "-machine", &self.machine])
            // Its threads have names, by which the host tells virtual CPUs from what helps them.
            .args(["-name", "tare,debug-threads=on"])
            .args(["-smp", &self.vcpus.to_string(), "-m", &format!("{}M", self.memory)])
            .args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"])
            // The first serial line is the console, the second the probe's.
            .args(["-chardev", "file,id=console,path=/dev/stderr", "-serial", "chardev:console"])
            .args(["-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line"])
            .args(counted.iter().flat_map(Counting::arguments))
            .args(&self.args);
        let given = self.attachments.of_guest(host, boot, &mut program)?;
        for disk in &given.disks {
            program = self.with_disk(host, boot, disk, program)?;
        }
        if let Some(link) = &given.net {
            program = with_net(link, program);
        }
        let mut more: String =
            given.words("/dev/vd", "eth0").iter().map(|word| format!(" {word}")).collect();
        if let Some(balloon) = &self.attachments.balloon {
            let told;
            (program, told) = balloon::of_qemu(balloon, host, self.memory, program);
            more.push_str(&told);
        }
        let drivers = if more.is_empty() { &[][..] } else { modules::VIRTIO };
        let balloon = self.attachments.balloon.map_or(&[][..], |_| modules::BALLOON);
        let has_files = self.attachments.files.is_some() || self.attachments.scratch().is_some();
        let ext4 = if has_files { modules::EXT4 } else { &[] };
        let root = self.attachments.root.as_ref().map_or(&[][..], |_| modules::ROOT);
        let modules =
            modules::copied(&kernel, &[drivers, balloon, ext4, root].concat(), host, boot)?;
        let append = kernel::arguments(&more, &self.append);
        let program = program.args(["-append", &append, "-kernel"]).arg(&kernel);
        let program =
            program.arg("-initrd").arg(boot.own_name(&initramfs::write(host, boot, &modules)?));
        let program = saved(boot, program.with_second(Second::ByProbe))?;
        let program = program.made_of("emulator", emulator, Some("--version"));
        Ok(Launch::Program(program.made_of("kernel", kernel, None)))
    }

    fn snapshot(&self, _host: &Host) -> Result<(), Unavailable> {
        match self.attachments.missing_from_images() || self.backend.is_some() {
            true => Err(attached()),
            false => Ok(()),
        }
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        let kvm = (self.accel == "kvm").then(|| hardware::explain(error, console)).flatten();
        kvm.unwrap_or_else(|| crate::explain(error, console))
    }
}

//! `qemu`: a virtual machine of QEMU, its code translated (TCG) or, with `accel=kvm`, run by the
//! processor. The same machine otherwise, with no device but two serial lines.

use crate::artifacts::guests_run_here;
use crate::attach::balloon;
use crate::attach::disk::backend::{self, Backend};
use crate::attach::disk::drive::{self, Drive};
use crate::attach::disk::files::{self, Files};
use crate::attach::disk::{self, Attached, Disk};
use crate::attach::net::{self, Link, Net};
use crate::attach::pages;
use crate::attach::root::{self, Root};
use crate::layers::kvm::hardware;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Plugin, Program, Second, SessionError, Setting,
    SettingError, Settings, Unavailable, Unnamed, artifacts::initramfs, artifacts::kernel,
    artifacts::modules,
};
use std::io;
use tare_keeper::programs;
use tare_proto::{Balloon, DISK, DISK_FILES, Machine, NET, NET_OWN, ROOT, ROOT_IMAGE};

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
    Setting { key: "memory", about: "the guest's memory (default 512M)" },
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
    pages::KSM,
    pages::THP,
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
    balloon: Option<Balloon>,
    drive: Drive,
    backend: Option<Backend>,
    disk: Option<Disk>,
    files: Option<Files>,
    net: Option<Net>,
    root: Option<Root>,
}

impl Qemu {
    fn new(settings: &Settings) -> Result<Qemu, SettingError> {
        let text = |key, default: &str| settings.get(key).unwrap_or(default).to_owned();
        let accel = settings.one_of("accel", &["tcg", "kvm"])?.unwrap_or("tcg").to_owned();
        // What the emulator can do best: a guest then takes the paths of a current processor.
        let cpu = text("cpu", if accel == "kvm" { "host" } else { "max" });
        let disk = Disk::read(settings)?;
        let memory = settings.mebibytes("memory", 512)?;
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
            balloon: balloon::read(settings, memory)?,
            drive: Drive::read(settings)?,
            backend: Backend::read(settings, disk.as_ref())?,
            disk,
            files: Files::read(settings)?,
            net: Net::read(settings, &[Net::User, Net::Tap])?,
            root: Root::read(settings)?,
        })
    }
}

impl Qemu {
    /// What counts its instructions: only what is translated can be counted.
    fn plugin<'a>(&self, host: &'a Host) -> Option<&'a Plugin> {
        host.plugin.as_ref().filter(|_| self.accel == "tcg")
    }

    /// Adds the disks to `program`; what to tell the guest's kernel of them.
    fn give_disks(
        &self,
        host: &Host,
        boot: &BootSpec,
        mut program: Program,
    ) -> io::Result<(Program, String)> {
        let mut disks = Vec::new();
        if let Some(disk) = &self.disk {
            disks.push((DISK, disk.attach(host, boot, &mut program)?));
        }
        if let Some(files) = &self.files {
            disks.push((DISK_FILES, files.attach(boot, &mut program)?));
        }
        if let Some(root) = &self.root {
            program = root.recorded(program);
            disks.push((ROOT, Attached { path: root.lower.clone(), direct: false }));
        }
        let mut more = String::new();
        // The guest's kernel names them in their order.
        for ((variable, Attached { path, direct }), letter) in disks.into_iter().zip('a'..) {
            let id = format!("disk-{letter}");
            let (only, named) =
                if variable == ROOT { (",readonly=on", ROOT_IMAGE) } else { ("", "") };
            more.push_str(&format!(" {variable}={named}/dev/vd{letter}"));
            if let Some(backend) = self.backend.as_ref().filter(|_| variable == DISK) {
                let disk = Attached { path, direct };
                program = backend.serve(host, boot, &disk, self.memory, program)?;
                continue;
            }
            let path = boot.short_name(&path, &id)?;
            let how = self.drive.of_drive(direct);
            let drive = format!("if=none,id={id},format=raw,{how},file={path}{only}");
            let device = format!("virtio-blk-pci,drive={id}{}", self.drive.of_device());
            program = program.args(["-drive", &drive, "-device", &device]);
        }
        Ok((program, more))
    }

    /// Adds the network to `program`; what to tell the guest's kernel of it.
    fn give_net(
        &self,
        host: &Host,
        boot: &BootSpec,
        mut program: Program,
    ) -> io::Result<(Program, String)> {
        let Some(net) = self.net else { return Ok((program, String::new())) };
        let Link { told, own, interface, .. } = net.attach(host, boot, &mut program)?;
        let mut more = format!(" {NET}=\"{told}\"");
        if let Some(own) = own {
            let netdev = match interface {
                Some(name) => format!("tap,id=net,ifname={name},script=no,downscript=no"),
                None => "user,id=net,ipv6=off".to_owned(),
            };
            let device = "virtio-net-pci,netdev=net,romfile=";
            program = program.args(["-netdev", &netdev, "-device", device]);
            more.push_str(&format!(" {NET_OWN}=eth0:{own}"));
        }
        Ok((program, more))
    }
}

impl Layer for Qemu {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        guests_run_here("the guest of QEMU's layers")?;
        if self.accel == "kvm" {
            hardware::device()?;
        }
        let emulator = programs::find(&self.emulator)?;
        if let Some(plugin) = self.plugin(host) {
            plugin.check(&emulator)?;
        }
        self.disk.as_ref().map_or(Ok(()), |disk| disk.check(host))?;
        self.backend.as_ref().map_or(Ok(()), |_| Backend::program(host).map(drop))?;
        self.files.as_ref().map_or(Ok(()), Files::check)?;
        let kernel = self.kernel.as_deref();
        self.root.as_ref().map_or(Ok(()), Root::check_image)?;
        let disks = self.disk.is_some() || self.files.is_some() || self.root.is_some();
        match disks || self.net.is_some() || self.balloon.is_some() {
            true => kernel::find_with_modules(kernel, host).map(drop),
            false => kernel::find(kernel, host).map(drop),
        }
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let other = |e: Unavailable| io::Error::other(e.to_string());
        let emulator = programs::find(&self.emulator).map_err(other)?;
        let kernel = kernel::find(self.kernel.as_deref(), host).map_err(other)?;
        let program = Program::new(&emulator)
            .args(["-accel", &self.accel, "-cpu", &self.cpu, "-machine", &self.machine])
            .args(["-smp", &self.vcpus.to_string(), "-m", &format!("{}M", self.memory)])
            .args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"])
            // The first serial line is the console, the second the probe's.
            .args(["-chardev", "file,id=console,path=/dev/stderr", "-serial", "chardev:console"])
            .args(["-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line"])
            .args(boot.counted_by(self.plugin(host), false)?)
            .args(&self.args);
        let (program, disks) = self.give_disks(host, boot, program)?;
        let (mut program, net) = self.give_net(host, boot, program)?;
        let mut more = disks + &net;
        if let Some(balloon) = &self.balloon {
            let told;
            (program, told) = balloon::of_qemu(balloon, host, self.memory, program);
            more.push_str(&told);
        }
        let drivers = if more.is_empty() { &[][..] } else { modules::VIRTIO };
        let balloon = self.balloon.map_or(&[][..], |_| modules::BALLOON);
        let ext4 = self.files.as_ref().map_or(&[][..], |_| modules::EXT4);
        let root = self.root.as_ref().map_or(&[][..], |_| modules::ROOT);
        let modules = modules::of(&kernel, &[drivers, balloon, ext4, root].concat(), host, boot)?;
        let append = kernel::arguments(&more, &self.append);
        let program = program.args(["-append", &append, "-kernel"]).arg(&kernel);
        let program =
            program.arg("-initrd").arg(boot.own_name(&initramfs::write(host, boot, &modules)?));
        let program = program.with_second(Second::ByProbe);
        let program = program.made_of("emulator", emulator, Some("--version"));
        Ok(Launch::Program(program.made_of("kernel", kernel, None)))
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        let kvm = (self.accel == "kvm").then(|| hardware::explain(error, console)).flatten();
        kvm.unwrap_or_else(|| crate::explain(error, console))
    }
}

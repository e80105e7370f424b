//! `kvm`: a virtual machine that the processor runs, under tare's own small monitor or, with `vmm=qemu`, the machine of
//! `qemu`; and why KVM fails where it does.

use crate::artifacts::initramfs::Initramfs;
use crate::attach::balloon;
use crate::attach::disk;
use crate::attach::disk::backend;
use crate::attach::disk::drive;
use crate::attach::disk::files;
use crate::attach::net;
use crate::attach::root;
use crate::kvm::{hardware, monitor};
use crate::layers::qemu;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Program, Second, SessionError, Setting, SettingError,
    Settings, Sign, Unavailable, Unnamed, Whose, artifacts::kernel,
};
use std::io;
use tare_proto::outside::Part;
use tare_proto::{DISK, DISK_FILES, Machine, NET, NO_DISK, ROOT};

pub const KIND: LayerKind = LayerKind {
    name: "kvm",
    about: "a virtual machine that the processor runs (KVM), under tare's own monitor or QEMU",
    machine: Some(Machine::Real),
    settings: &SETTINGS,
    defaults: &[("vmm", "tare"), ("accel", "kvm")],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

const VMM: Setting = Setting {
    key: "vmm",
    about: "who runs it: tare (default: one CPU, no device but two serial lines) or qemu",
};

/// The monitor, and all that QEMU takes.
const SETTINGS: [Setting; 1 + qemu::SETTINGS.len()] = {
    let mut all = [VMM; 1 + qemu::SETTINGS.len()];
    let mut at = 0;
    while at < qemu::SETTINGS.len() {
        all[1 + at] = qemu::SETTINGS[at];
        at += 1;
    }
    all
};

/// Settings that mean something to QEMU only.
const OF_QEMU: &[&str] = &[
    "cpu",
    "machine",
    "emulator",
    "args",
    balloon::SETTING.key,
    backend::BACKEND.key,
    drive::CACHE.key,
    drive::AIO.key,
    drive::QUEUES.key,
];

/// Chooses QEMU for a virtual machine whose programs need a root, unless a monitor is named: tare's own has no disk for it. Whether
/// that was chosen.
pub fn with_root(settings: &mut Settings) -> bool {
    let kind = settings.get("kind").or(settings.get("name"));
    let chosen = kind == Some(KIND.name) && settings.get(VMM.key).is_none();
    if chosen {
        settings.default_to(VMM.key, "qemu");
    }
    chosen
}

/// Where a guest finds why it has no disk.
const WITHOUT_DISK: &str = "/no-disk";

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    match settings.one_of("vmm", &["tare", "qemu"])? {
        Some("qemu") => qemu::make(settings),
        _ => Ok(Box::new(Kvm::new(settings)?)),
    }
}

/// The virtual machine under tare's own monitor.
struct Kvm {
    memory: u64,
    kernel: Option<String>,
    append: Vec<String>,
    /// Requested disks that this monitor cannot provide, by the variables that would name them.
    lacks: Vec<&'static str>,
    /// A network was requested, which this monitor cannot provide either.
    lacks_net: bool,
    /// And so was a root for programs, which would be a disk.
    lacks_root: bool,
}

impl Kvm {
    fn new(settings: &Settings) -> Result<Kvm, SettingError> {
        if let Some(key) = OF_QEMU.iter().find(|key| settings.get(key).is_some()) {
            return Err(SettingError(format!(
                "{key}= is a setting of QEMU: add vmm=qemu, or leave it out"
            )));
        }
        if settings.get("accel").is_some_and(|accel| accel != "kvm") {
            return Err(SettingError("vmm=tare supports only KVM: leave accel= out".into()));
        }
        if settings.number("vcpus", 1, 1, 64)? > 1 {
            return Err(SettingError(
                "tare's monitor supports one CPU: for more, add vmm=qemu".into(),
            ));
        }
        let disks = [(disk::SETTING.key, DISK), (files::SETTING.key, DISK_FILES)].into_iter();
        let given = |key| settings.get(key).is_some_and(|value| value != "none");
        Ok(Kvm {
            memory: settings.mebibytes("memory", 512)?,
            kernel: settings.get("kernel").map(str::to_owned),
            append: settings.words("append"),
            lacks: disks.filter(|(key, _)| given(key)).map(|(_, variable)| variable).collect(),
            lacks_net: given(net::SETTING.key),
            lacks_root: given(root::IMAGE.key),
        })
    }

    /// Tells the guest which requested devices are missing; returns the initramfs with the reason.
    fn without(&self, archive: &mut Initramfs) -> io::Result<String> {
        let mut told = String::new();
        let why = |what| format!("tare's own monitor has no {what}; vmm=qemu has");
        if !self.lacks.is_empty() {
            let reason = format!("{NO_DISK}{}", why("disk"));
            archive.file(WITHOUT_DISK, reason.as_bytes())?;
        }
        for variable in &self.lacks {
            told.push_str(&format!(" {variable}={WITHOUT_DISK}"));
        }
        if self.lacks_net {
            told.push_str(&format!(" {NET}=\"none: {}\"", why("network")));
        }
        if self.lacks_root {
            told.push_str(&format!(" {ROOT}=\"none: {}\"", why("disk for a root")));
        }
        Ok(told)
    }
}

/// The monitor's threads run the guest.
const WHOSE: &[Whose] = &[Whose::new(Sign::Any, Part::Kernel)];

impl Layer for Kvm {
    fn whose(&self) -> &'static [Whose] {
        WHOSE
    }

    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        monitor::find(host)?;
        hardware::device()?;
        kernel::find(self.kernel.as_deref(), host).map(drop)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let monitor = monitor::find(host)?;
        let kernel = kernel::find(self.kernel.as_deref(), host)?;
        let mut archive = Initramfs::new(host, &boot.folder.join("initramfs"))?;
        let without = self.without(&mut archive)?;
        let initrd = archive.finish()?;
        let append = kernel::arguments(&without, &self.append);
        let program = Program::new(monitor);
        let program = program.args(monitor::arguments(&kernel, &initrd, &append, self.memory));
        let program = program.with_second(Second::ByProbe).made_of("monitor", monitor, None);
        Ok(Launch::Program(program.made_of("kernel", kernel, None)))
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        hardware::explain(error, console).unwrap_or_else(|| crate::explain(error, console))
    }
}

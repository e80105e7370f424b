//! `qemu`: a virtual machine of QEMU, its code translated (TCG) or, with `accel=kvm`, run by the
//! processor. The same machine otherwise, with no device but two serial lines.

use super::kvm;
use crate::settings::suggestion;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, Program, SessionError, Setting, SettingError,
    Settings, Unavailable, initramfs, kernel, programs,
};
use std::io;

pub const KIND: LayerKind =
    kind("qemu", "a virtual machine that QEMU translates (TCG)", &[("accel", "tcg")]);

pub(super) const fn kind(
    name: &'static str,
    about: &'static str,
    defaults: &'static [(&'static str, &'static str)],
) -> LayerKind {
    LayerKind {
        name,
        about,
        settings: &[
            Setting { key: "accel", about: "tcg or kvm (default: by the layer's kind)" },
            Setting { key: "vcpus", about: "virtual CPUs (default 1)" },
            Setting { key: "memory", about: "the guest's memory (default 512M)" },
            Setting { key: "kernel", about: "the guest's kernel (default: found or downloaded)" },
            Setting { key: "cpu", about: "CPU model (default: max for tcg, host for kvm)" },
            Setting { key: "machine", about: "machine type (default q35)" },
            Setting { key: "emulator", about: "QEMU's program (default qemu-system-x86_64)" },
            Setting { key: "args", about: "more arguments of QEMU" },
        ],
        defaults,
        only_by_name: false,
        make: |settings| Ok(Box::new(Qemu::new(settings)?)),
    }
}

struct Qemu {
    accel: String,
    vcpus: u64,
    memory: u64,
    kernel: Option<String>,
    cpu: String,
    machine: String,
    emulator: String,
    args: Vec<String>,
}

impl Qemu {
    fn new(settings: &Settings) -> Result<Qemu, SettingError> {
        let text = |key, default: &str| settings.get(key).unwrap_or(default).to_owned();
        let accel = text("accel", "tcg");
        if !["tcg", "kvm"].contains(&accel.as_str()) {
            let near = suggestion(&accel, &["tcg", "kvm"]);
            return Err(SettingError(format!("accel={accel}; {near}")));
        }
        // What the emulator can do best: a guest then takes the paths of a current processor.
        let cpu = text("cpu", if accel == "kvm" { "host" } else { "max" });
        Ok(Qemu {
            accel,
            vcpus: settings.number("vcpus", 1, 1, 64)?,
            memory: settings.mebibytes("memory", 512)?,
            kernel: settings.get("kernel").map(str::to_owned),
            cpu,
            machine: text("machine", "q35"),
            emulator: text("emulator", "qemu-system-x86_64"),
            args: settings.words("args"),
        })
    }
}

impl Layer for Qemu {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        if self.accel == "kvm" {
            kvm::device()?;
        }
        programs::find(&self.emulator)?;
        kernel::find(self.kernel.as_deref(), host).map(drop)
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
            .args(["-append", "console=ttyS0 quiet panic=-1 tare.line=/dev/ttyS1", "-kernel"])
            .arg(&kernel)
            .arg("-initrd")
            .arg(initramfs::write(host, boot)?)
            .args(&self.args);
        let program = program.made_of("emulator", emulator, Some("--version"));
        Ok(Launch::Program(program.made_of("kernel", kernel, None)))
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        let kvm = (self.accel == "kvm").then(|| kvm::explain(error, console)).flatten();
        kvm.unwrap_or_else(|| crate::explain(error, console))
    }
}

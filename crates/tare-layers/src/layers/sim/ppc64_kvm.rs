//! `ppc64-kvm-hv` and `ppc64-kvm-pr`: the same POWER kernel in a virtual machine of KVM, inside the partition. HV has the
//! processor's help (in a partition: the hypervisor's), PR runs the guest's kernel in user mode.

use super::board::PSERIES_GUEST;
use super::inside::Inside;
use super::machine::Simulated;
use super::ppc64::{ARGUMENTS, DEFAULTS, MACHINE};
use super::{APPEND, CPU, EMULATOR, FOREIGN_KERNEL, MEMORY, root};
use crate::artifacts::foreign;
use crate::artifacts::program::Packed;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, SessionError, SettingError, Settings, Unavailable,
    Unnamed,
};
use std::io;
use std::path::PathBuf;
use tare_proto::{Inner, Machine};

pub const HV: LayerKind = kind(
    "ppc64-kvm-hv",
    "the same kernel in a virtual machine of KVM-HV, in that partition",
    |settings| make(&Mode::HV, settings),
);

pub const PR: LayerKind = kind(
    "ppc64-kvm-pr",
    "the same in one of KVM-PR, whose kernel runs in user mode; kernel= must have CONFIG_KVM_BOOK3S_64_PR",
    |settings| make(&Mode::PR, settings),
);

type Make = fn(&Settings) -> Result<Box<dyn Layer>, SettingError>;

const fn kind(name: &'static str, about: &'static str, make: Make) -> LayerKind {
    LayerKind {
        name,
        about,
        machine: Some(Machine::Sim),
        settings: &[FOREIGN_KERNEL, APPEND, MEMORY, root::SETTING, CPU, EMULATOR],
        defaults: DEFAULTS,
        unnamed: Unnamed::Tried("another machine: its layers are to be compared with each other"),
        words: None,
        make,
    }
}

/// How KVM runs a guest.
struct Mode {
    /// Its name in QEMU's machine.
    name: &'static str,
    /// KVM's modules, in the order of loading.
    modules: &'static [&'static str],
    /// Arguments of the kernel below the guest.
    below: &'static str,
}

impl Mode {
    const HV: Mode = Mode { name: "HV", modules: &["kvm", "kvm_hv"], below: "" };
    /// It knows hashed page tables only.
    const PR: Mode = Mode { name: "PR", modules: &["kvm", "kvm_pr"], below: " disable_radix" };
}

/// QEMU for the partition. The firmware is in a package of its own.
const QEMU: Packed<'static> = Packed {
    package: "qemu-system-ppc",
    members: &["./usr/bin/qemu-system-ppc64"],
    data: &[("qemu-system-data", &["./usr/share/qemu/vof.bin"])],
    triplet: "powerpc64le-linux-gnu",
};

/// Memory that the partition has beside its guest's, in MiB: for its kernel, for QEMU and its libraries, and for the guest's kernel
/// as a file, each of them as an archive, too.
const BESIDE: u64 = 768;

/// Where things are in the partition.
const PROGRAM: &str = "/usr/bin/qemu-system-ppc64";
const IMAGE: &str = "/vmlinux";
const INITRAMFS: &str = "/initramfs";

/// How a line of QEMU's begins that says why there is no guest, be it the partition's or the one in there, and what of it says less.
const SAYS: &str = "qemu-system-ppc64: ";
const WARNS: &str = "warning: ";

struct Kvm {
    mode: &'static Mode,
    machine: Simulated,
}

fn make(mode: &'static Mode, settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    Ok(Box::new(Kvm { mode, machine: MACHINE.machine(settings)? }))
}

impl Kvm {
    fn qemu(host: &Host) -> Result<PathBuf, Unavailable> {
        let architecture = MACHINE.architecture.name;
        let tree = QEMU.tree(&foreign::apt(architecture, host)?, host);
        tree.map_err(|lacking| Unavailable {
            remedy: foreign::remedy(architecture, host),
            ..lacking
        })
    }

    /// What starts the guest in the partition.
    fn inner(&self) -> Inner {
        let guest = format!("{},kvm-type={}", PSERIES_GUEST.machine, self.mode.name);
        let memory = format!("{}M", self.machine.memory);
        let append = self.machine.arguments(ARGUMENTS);
        let words = [PROGRAM, "-accel", "kvm", "-machine", &guest, "-cpu", "host", "-smp", "1"];
        let more = [
            &["-m", &memory, "-nodefaults", "-no-user-config", "-display", "none"][..],
            &["-monitor", "none", "-no-reboot", "-chardev", "file,id=console,path=/dev/console"],
            &["-chardev", "stdio,id=line,signal=off"],
            PSERIES_GUEST.fixed,
            PSERIES_GUEST.serial,
            &["-kernel", IMAGE, "-initrd", INITRAMFS, "-append", &append],
        ];
        let program = words.iter().chain(more.into_iter().flatten());
        Inner { program: program.map(|word| (*word).to_owned()).collect(), ..Inner::default() }
    }
}

impl Layer for Kvm {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        let host = &MACHINE.host(host)?;
        if self.mode.name == Mode::PR.name && !self.machine.kernel.is_file() {
            return Err(Unavailable::new(
                "the distribution's kernel is built without KVM-PR",
                "build one with CONFIG_KVM_BOOK3S_64_PR=y and give its tree (kernel=)",
            ));
        }
        self.machine.starts(host)?;
        self.machine.kernel.packed(host)?;
        Kvm::qemu(host).map(drop)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let host = &MACHINE.host(host)?;
        let Kvm { mode, machine } = self;
        let qemu = Kvm::qemu(host)?;
        let monitor = qemu.join(PROGRAM.trim_start_matches('/'));
        let files = vec![
            ("", qemu),
            (IMAGE, machine.kernel.packed(host)?),
            (INITRAMFS, machine.measured_initramfs(host, boot, &[])?),
        ];
        let inside = Inside {
            machine,
            arguments: mode.below,
            modules: mode.modules,
            packages: &[],
            files,
            inner: self.inner(),
            root: None,
        };
        let memory = machine.memory + BESIDE + machine.root_beside();
        let program = inside.program(host, boot, memory)?;
        let program = program.made_of("monitor", monitor, None);
        Ok(Launch::Program(program.made_of("probe", host.probe.clone(), None)))
    }

    fn scripted(&self) -> bool {
        true
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        let mut said = console.lines().filter_map(|line| line.trim().strip_prefix(SAYS));
        match said.find(|said| !said.starts_with(WARNS)) {
            Some(said) => Unavailable::new(
                format!("QEMU cannot start the partition, or the guest in it: {said}"),
                "leave kernel=, cpu= and append= out, or look at its console's log",
            ),
            None => crate::explain(error, console),
        }
    }
}

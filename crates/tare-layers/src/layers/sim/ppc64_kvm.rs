//! `ppc64-kvm-hv` and `ppc64-kvm-pr`: the same POWER kernel in a virtual machine of KVM, inside the partition. HV has the
//! processor's help (in a partition: the hypervisor's), PR runs the guest's kernel in user mode.

use super::board::{PSERIES, PSERIES_NESTED};
use super::foreign::Foreign;
use super::inside::Inside;
use super::machine::Simulated;
use super::ppc64::{DEFAULTS, MACHINE};
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
    "the same kernel in a virtual machine of KVM-HV, in such a partition",
    |settings| make(&Mode::HV, settings),
);

pub const PR: LayerKind = kind(
    "ppc64-kvm-pr",
    "the same in one of KVM-PR, on POWER8: its kernel runs in user mode; kernel= must have CONFIG_KVM_BOOK3S_64_PR",
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
    /// KVM's modules, in the order of loading.
    modules: &'static [&'static str],
    /// The machine below the partition.
    below: Foreign,
    /// The guest's machine, as QEMU calls it.
    guest: &'static str,
    /// More arguments of the guest's kernel.
    arguments: &'static str,
    /// Whether the distribution's kernel has it.
    is_usual: bool,
}

impl Mode {
    const HV: Mode = Mode {
        modules: &["kvm", "kvm_hv"],
        below: Foreign { board: &PSERIES_NESTED, ..MACHINE },
        guest: "pseries,kvm-type=HV,x-vof=on",
        arguments: "",
        is_usual: true,
    };

    /// It knows hashed page tables only. On POWER9 it breaks `scv`, by which the partition's C library makes system calls. Its guests do
    /// not start from the small firmware, and QEMU gives them none of the processor's safeguards: their kernel would do in software,
    /// by 12,000 instructions a call, what takes the bare one 3.
    const PR: Mode = Mode {
        modules: &["kvm", "kvm_pr"],
        below: Foreign { cpu: "POWER8", ..MACHINE },
        guest: "pseries,kvm-type=PR,cap-fwnmi=off,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off",
        arguments: " mitigations=off",
        is_usual: false,
    };
}

/// QEMU for the partition. The firmware is in a package of its own.
const QEMU: Packed<'static> = Packed {
    package: "qemu-system-ppc",
    members: &["./usr/bin/qemu-system-ppc64"],
    data: &[("qemu-system-data", &["./usr/share/qemu/vof.bin", "./usr/share/qemu/slof.bin"])],
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
    let mut machine = mode.below.machine(settings)?;
    machine.waits_in_guest = true;
    Ok(Box::new(Kvm { mode, machine }))
}

impl Kvm {
    fn qemu(host: &Host) -> Result<PathBuf, Unavailable> {
        let architecture = MACHINE.architecture.name;
        let tree = QEMU.tree(&foreign::apt(architecture, host)?, host);
        tree.map_err(foreign::outdated(architecture, host))
    }

    /// What starts the guest in the partition.
    fn inner(&self) -> Inner {
        let memory = format!("{}M", self.machine.memory);
        let append = self.machine.arguments(&format!("{}{}", PSERIES.bare, self.mode.arguments));
        let words =
            [PROGRAM, "-accel", "kvm", "-machine", self.mode.guest, "-cpu", "host", "-smp", "1"];
        let more = [
            &["-m", &memory, "-nodefaults", "-no-user-config", "-display", "none"][..],
            &["-monitor", "none", "-no-reboot", "-chardev", "file,id=console,path=/dev/console"],
            &["-chardev", "stdio,id=line,signal=off"],
            PSERIES.fixed,
            PSERIES.serial,
            &["-kernel", IMAGE, "-initrd", INITRAMFS, "-append", &append],
        ];
        let program = words.iter().chain(more.into_iter().flatten());
        Inner { program: program.map(|word| (*word).to_owned()).collect(), ..Inner::default() }
    }
}

impl Layer for Kvm {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        let host = &MACHINE.host(host)?;
        if !self.mode.is_usual && !self.machine.kernel.is_file() {
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

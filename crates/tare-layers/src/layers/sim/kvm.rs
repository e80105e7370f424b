//! `kvm` of the simulated machine: the same kernel image in a virtual machine of KVM, under tare's own monitor, on the SVM
//! with nested paging that QEMU emulates.

use super::inside::Inside;
use super::machine::Simulated;
use super::{APPEND, CPU, EMULATOR, KERNEL, MEMORY, SVM, root};
use crate::kvm::monitor;
use crate::{
    BootSpec, Host, Launch, Layer, LayerKind, SessionError, SettingError, Settings, Unavailable,
    Unnamed,
};
use std::io;
use std::path::Path;
use tare_proto::fork::BY_MONITOR;
use tare_proto::{Inner, Machine};

pub const KIND: LayerKind = LayerKind {
    name: "kvm",
    about: "the same kernel in a virtual machine of KVM, with nested paging",
    machine: Some(Machine::Sim),
    settings: &[KERNEL, APPEND, MEMORY, root::SETTING, CPU, EMULATOR],
    defaults: &[],
    unnamed: Unnamed::Weighed,
    words: None,
    make,
};

/// KVM's own modules and those that they need, in the order of loading.
const MODULES: &[&str] = &["irqbypass", "kvm", "ccp", "kvm_amd"];

/// Memory that the machine has beside its guest's, in MiB: for its kernel, and for the guest's as a file.
const BESIDE: u64 = 448;

/// Arguments of the guest's kernel, which does without asynchronous page faults: only a host that swaps sends them. Their
/// interrupt, which comes once at boot, could hang the guest. After QEMU has delivered an injected interrupt, `helper_vmrun` leaves
/// `exception_index` set, and where QEMU's budget of instructions ends before the guest's next exit it is delivered again, even
/// while interrupts are off. The handler then waited for a lock that it held itself.
const ARGUMENTS: &str = " no-kvmapf";

/// Where things are in the machine.
const MONITOR: &str = "/tare-vmm";
const IMAGE: &str = "/vmlinux";
const INITRAMFS: &str = "/initramfs";

struct Kvm(Simulated);

fn make(settings: &Settings) -> Result<Box<dyn Layer>, SettingError> {
    Ok(Box::new(Kvm(Simulated::new(settings, SVM)?)))
}

impl Layer for Kvm {
    fn check(&self, host: &Host) -> Result<(), Unavailable> {
        monitor::find(host)?;
        self.0.check(host)
    }

    fn launch(&self, host: &Host, boot: &BootSpec) -> io::Result<Launch> {
        let Kvm(machine) = self;
        let monitor = monitor::find(host)?;
        let kernel = machine.kernel.elf(host)?;
        let append = machine.arguments(&format!("{ARGUMENTS} {BY_MONITOR}"));
        let own =
            monitor::arguments(Path::new(IMAGE), Path::new(INITRAMFS), &append, machine.memory);
        let inner = Inner {
            program: [MONITOR.to_owned()].into_iter().chain(own).collect(),
            ..Inner::default()
        };
        let files = vec![
            (MONITOR, monitor.to_owned()),
            (IMAGE, kernel),
            (INITRAMFS, machine.measured_initramfs(host, boot, &[])?),
        ];
        let inside = Inside { machine, modules: MODULES, packages: &[], files, inner, root: None };
        let program =
            inside.program(host, boot, machine.memory + BESIDE + machine.root_beside())?;
        Ok(Launch::Program(program.made_of("monitor", monitor, None)))
    }

    fn scripted(&self) -> bool {
        true
    }

    fn explain(&self, error: &SessionError, console: &str) -> Unavailable {
        let refused = console.lines().find(|line| line.contains(monitor::SAYS));
        match refused {
            Some(line) => Unavailable::new(
                line.trim().to_owned(),
                format!("leave the CPU model out (cpu=): {SVM} is one that KVM runs on"),
            ),
            None => crate::explain(error, console),
        }
    }
}

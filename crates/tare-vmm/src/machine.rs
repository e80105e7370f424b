//! The machine: makes it of KVM's parts and runs its CPU until the guest ends.

use crate::args::Args;
use crate::exits::{Exits, Reason, totals};
use crate::fault::{Fault, refused};
use crate::serial::{CONSOLE, LINE, Ports};
use crate::stats::Stats;
use crate::{boot, cpu, memory, mptable};
use kvm_bindings::{KVM_API_VERSION, KVM_PIT_SPEAKER_DUMMY, kvm_pit_config};
use kvm_ioctls::{Kvm, VcpuExit, VcpuFd};
use std::io;
use std::sync::Arc;
use tare_proto::fork;

/// Where Intel's processors keep three pages of KVM's own, out of the guest's way.
const OWN_PAGES: usize = 0xfffb_d000;

/// The keyboard controller's port, and what resets a PC there.
const KEYBOARD: u16 = 0x64;
const RESET: u8 = 0xfe;

/// What is read where nothing is.
const NOTHING: u8 = 0xff;

/// Runs the guest until it ends.
pub fn run(args: &Args) -> Result<(), Fault> {
    let kvm = open()?;
    let memory = memory::make(args.memory)?;
    let entry = boot::load(args, &memory)?;
    mptable::write(&memory)?;
    let machine = Arc::new(kvm.create_vm().map_err(refused("KVM_CREATE_VM"))?);
    machine.set_tss_address(OWN_PAGES).map_err(refused("KVM_SET_TSS_ADDR"))?;
    memory::give(&machine, &memory)?;
    machine.create_irq_chip().map_err(refused("KVM_CREATE_IRQCHIP"))?;
    let timer = kvm_pit_config { flags: KVM_PIT_SPEAKER_DUMMY, ..Default::default() };
    machine.create_pit2(timer).map_err(refused("KVM_CREATE_PIT2"))?;
    let mut cpu = machine.create_vcpu(0).map_err(refused("KVM_CREATE_VCPU"))?;
    cpu::prepare(&kvm, &cpu, &memory, entry)?;
    let exits = Arc::new(Exits::default());
    let stats: Vec<Stats> = [Stats::of(&*machine), Stats::of(&cpu)].into_iter().flatten().collect();
    let counted = exits.clone();
    let mut ports = Ports::new(&machine, Box::new(move || totals(&stats, &counted)));
    ports.feed(io::stdin());
    while go(&mut cpu, &mut ports, &exits)? {}
    Ok(())
}

fn open() -> Result<Kvm, Fault> {
    let remedy =
        "load KVM's module (modprobe kvm_intel or kvm_amd), and use it as root or in the group kvm";
    let kvm = Kvm::new().map_err(|error| Fault::Kvm {
        request: "open /dev/kvm",
        error: error.into(),
        remedy,
    })?;
    match kvm.get_api_version() {
        version if version == KVM_API_VERSION as i32 => Ok(kvm),
        version => Err(Fault::Exit(format!("version {version} of KVM's interface"))),
    }
}

/// Runs the CPU up to its next exit to this program; whether the guest goes on.
fn go(cpu: &mut VcpuFd, ports: &mut Ports, exits: &Exits) -> Result<bool, Fault> {
    let gone = |why: String| Fault::Exit(format!("a serial port that fails: {why}"));
    match cpu.run() {
        Ok(VcpuExit::IoOut(port, bytes)) => {
            exits.count(Reason::Port);
            for byte in bytes {
                match port {
                    _ if CONSOLE.contains(&port) => {
                        ports.console_write(port - CONSOLE.start(), *byte).map_err(gone)?
                    }
                    _ if LINE.contains(&port) => {
                        ports.line_write(port - LINE.start(), *byte).map_err(gone)?
                    }
                    KEYBOARD if *byte == RESET => return Ok(false),
                    fork::PORT => fork::stop().map_err(Fault::Fork)?,
                    _ => {}
                }
            }
        }
        Ok(VcpuExit::IoIn(port, bytes)) => {
            exits.count(Reason::Port);
            for byte in bytes {
                *byte = match port {
                    _ if CONSOLE.contains(&port) => ports.console_read(port - CONSOLE.start()),
                    _ if LINE.contains(&port) => ports.line_read(port - LINE.start()),
                    _ => NOTHING,
                };
            }
        }
        Ok(VcpuExit::MmioRead(_, bytes)) => {
            exits.count(Reason::Memory);
            bytes.fill(NOTHING);
        }
        Ok(VcpuExit::MmioWrite(..)) => exits.count(Reason::Memory),
        Ok(VcpuExit::Shutdown | VcpuExit::SystemEvent(..)) => return Ok(false),
        Ok(VcpuExit::Intr) => exits.count(Reason::Other),
        Ok(VcpuExit::FailEntry(reason, _)) => {
            return Err(Fault::Exit(format!("KVM_EXIT_FAIL_ENTRY, hardware reason {reason:#x}")));
        }
        Ok(VcpuExit::InternalError) => {
            return Err(Fault::Exit(
                "KVM_EXIT_INTERNAL_ERROR: KVM cannot emulate an instruction".into(),
            ));
        }
        Ok(other) => return Err(Fault::Exit(format!("{other:?}"))),
        Err(error) if [libc::EINTR, libc::EAGAIN].contains(&error.errno()) => {
            exits.count(Reason::Other);
        }
        Err(error) => return Err(refused("KVM_RUN")(error)),
    }
    Ok(true)
}

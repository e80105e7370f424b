//! KVM on this host: whether it may be used, and why a guest does not boot.

use crate::kvm::monitor;
use crate::{SessionError, Unavailable};
use nix::unistd::{AccessFlags, access};
use std::fs;
use std::path::Path;

/// Whether this user may use KVM; whether it can run a guest, only a boot shows.
pub(crate) fn device() -> Result<(), Unavailable> {
    let device = Path::new("/dev/kvm");
    if !device.exists() {
        return Err(Unavailable::new(
            "there is no /dev/kvm",
            "enable virtualization in the firmware and load the module (modprobe kvm_intel or \
             kvm_amd); if this host is a virtual machine, enable nested virtualization on its host",
        ));
    }
    access(device, AccessFlags::R_OK | AccessFlags::W_OK).map_err(|_| {
        let remedy = "as root: usermod -aG kvm USER, then log in again; or run tare as root";
        Unavailable::new("this user may not open /dev/kvm", remedy)
    })
}

/// Why a guest did not come up although `/dev/kvm` opens, as far as this host shows it.
pub(crate) fn explain(error: &SessionError, console: &str) -> Option<Unavailable> {
    let how = match error {
        SessionError::NoGreeting(waited) => format!("the guest did not start the probe {waited}"),
        SessionError::Ended(_) if console.contains("failed to set MSR") => {
            "KVM refuses a processor register that QEMU must set".to_owned()
        }
        SessionError::Ended(how) => {
            match console.lines().find(|line| line.starts_with(monitor::SAYS)) {
                Some(line) => line.trim().to_owned(),
                None => format!("the virtual machine ended before it started the probe ({how})"),
            }
        }
        _ => return None,
    };
    let (cause, remedy) = cause()?;
    Some(Unavailable::new(format!("{how} although /dev/kvm opens: {cause}"), remedy))
}

fn cause() -> Option<(&'static str, &'static str)> {
    if Path::new("/sys/module/kvm_pvm").exists() {
        return Some((
            "this host's KVM is PVM (module kvm_pvm), which runs only kernels built for it",
            "give a kernel built with CONFIG_PVM_GUEST (kernel=FILE), use a machine with hardware \
             virtualization, or measure qemu (TCG) instead",
        ));
    }
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut flags = cpu.lines().filter(|line| line.starts_with("flags"));
    flags.next()?.split_whitespace().find(|flag| *flag == "hypervisor")?;
    Some((
        "this host is itself a virtual machine, and its nested virtualization does not work",
        "enable nested virtualization on the host below (kvm_intel or kvm_amd: nested=1), \
         or measure qemu (TCG) instead",
    ))
}

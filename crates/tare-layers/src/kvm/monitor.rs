//! tare's own virtual machine monitor (the crate `tare-vmm`): where it is and how it is called.

use crate::artifacts::guests_run_here;
use crate::{Host, Unavailable};
use std::path::Path;

/// What the lines begin with in which it says why it ends.
pub(crate) const SAYS: &str = "tare-vmm: ";

/// What a kernel must be told there: without ACPI it cannot switch the machine off, so the probe asks for a reboot, and
/// that is a triple fault, which ends the monitor.
const ENDING: &str = "reboot=t tare.end=reboot";

pub(crate) fn find(host: &Host) -> Result<&Path, Unavailable> {
    guests_run_here("tare's own monitor")?;
    host.vmm.as_deref().ok_or_else(|| {
        Unavailable::new(
            "this program does not contain tare-vmm",
            "use the command tare, which does",
        )
    })
}

/// The arguments that boot `kernel` with `memory` MiB and one CPU.
pub(crate) fn arguments(kernel: &Path, initrd: &Path, append: &str, memory: u64) -> Vec<String> {
    let text = |path: &Path| path.display().to_string();
    let append = format!("{append} {ENDING}");
    let given = [
        ("--kernel", text(kernel)),
        ("--initrd", text(initrd)),
        ("--append", append),
        ("--memory", memory.to_string()),
    ];
    given.into_iter().flat_map(|(option, value)| [option.to_owned(), value]).collect()
}

//! Kernel modules that the layer has put into the guest. Parameters come from the kernel's command line
//! (`xen_blkfront.max_queues=1`), as modprobe takes them.

use crate::{mark, sys};
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Loads what is in `/modules`, in the order of the names (`00-virtio_ring`). A device that is missing because this
/// failed is missed by the benchmarks that need it. A counter outside of the guest is told where they are; `outside`, where
/// the layer runs inside of this machine.
pub fn load(outside: bool) {
    let entries = fs::read_dir("/modules").into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let arguments = fs::read_to_string("/proc/cmdline").unwrap_or_default();
    for path in paths {
        if let Err(error) = load_one(&path, &arguments) {
            eprintln!("tare-probe: {}: {error}", path.display());
        }
    }
    let loaded = fs::read_to_string("/proc/modules").unwrap_or_default();
    loaded.lines().filter_map(place).for_each(|(name, at)| mark::module(name, at, outside));
}

/// A module's name and the address of its code, in a line of `/proc/modules`.
fn place(line: &str) -> Option<(&str, u64)> {
    let mut words = line.split_ascii_whitespace();
    let name = words.next()?;
    let at = u64::from_str_radix(words.nth(4)?.strip_prefix("0x")?, 16).ok()?;
    (at > 0).then_some((name, at))
}

fn load_one(path: &Path, arguments: &str) -> io::Result<()> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let name = file.split_once('-').map_or(&*file, |(_, name)| name);
    let parameters = CString::new(parameters(name, arguments))?;
    let module = File::open(path)?;
    // SAFETY: the descriptor is open and the parameters end with a NUL.
    let done = unsafe {
        libc::syscall(libc::SYS_finit_module, module.as_raw_fd(), parameters.as_ptr(), 0)
    };
    sys::check("finit_module", done).map(drop)
}

/// What the kernel's `arguments` have for the module `name`: `a=1` of `name.a=1`. Kernels take `-` for `_` in names.
fn parameters(name: &str, arguments: &str) -> String {
    let own = arguments.split_whitespace().filter_map(|word| {
        let (module, parameter) = word.split_once('.')?;
        (module.replace('-', "_") == name).then_some(parameter)
    });
    own.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_a_place() {
        let line = "brd 16384 0 - Live 0xffffffffc0000000";
        assert_eq!(place(line), Some(("brd", 0xffff_ffff_c000_0000)));
        assert_eq!(place("brd 16384 0 - Live 0x0000000000000000"), None, "hidden from a user");
        assert_eq!(place("brd 16384"), None);
    }

    #[test]
    fn a_module_gets_its_own_parameters() {
        let arguments =
            "quiet xen-blkfront.max_queues=1 brd.rd_nr=1 tare.line=/dev/hvc0 brd.rd_size=9";
        assert_eq!(parameters("brd", arguments), "rd_nr=1 rd_size=9");
        assert_eq!(parameters("xen_blkfront", arguments), "max_queues=1");
        assert_eq!(parameters("xen_blkback", arguments), "");
    }
}

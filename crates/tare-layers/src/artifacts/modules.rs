//! Drivers that a guest's kernel keeps in modules: found beside the kernel, put into the initramfs, and
//! loaded by the probe before anything else.

use crate::{BootSpec, Host};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tare_keeper::programs;

/// What virtio devices on PCI need, in the order of loading. What a kernel has built in it has no
/// module of.
pub(crate) const VIRTIO: &[&str] = &[
    "virtio_ring",
    "virtio",
    "virtio_pci_modern_dev",
    "virtio_pci_legacy_dev",
    "virtio_pci",
    "virtio_blk",
    "failover",
    "net_failover",
    "virtio_net",
];

/// What a virtio balloon needs in addition.
pub(crate) const BALLOON: &[&str] = &["virtio_balloon"];

/// What a file system of ext4 needs. Its checksums are the generic ones or, where the processor can, its own.
pub(crate) const EXT4: &[&str] =
    &["crc16", "crc32c_generic", "crc32c_intel", "mbcache", "jbd2", "ext4"];

/// What a root of programs needs: an overlay, over a file system that is an image.
pub(crate) const ROOT: &[&str] = &["overlay", "libcrc32c", "lz4_decompress", "erofs"];

/// How packages compress modules, and what undoes it.
const PACKED: &[(&str, &str)] =
    &[("ko", "cat"), ("ko.xz", "xz"), ("ko.zst", "zstd"), ("ko.gz", "gzip")];

/// Longest time for unpacking one of them.
const UNPACKING: Duration = Duration::from_secs(20);

/// Deepest folder below a release's modules.
const DEPTH: u32 = 8;

/// Where the modules of a kernel in tare's cache are.
pub(crate) fn folder(host: &Host, release: &str) -> PathBuf {
    host.cache.join("kernels").join(folder_name(release))
}

/// The name of their folder; the number is that of the list of drivers in it.
pub(crate) fn folder_name(release: &str) -> String {
    format!("modules-3-{release}")
}

/// Copies the modules of `kernel` that are called `names` into the boot's folder, unpacked; their paths in
/// the order of the names. One that is not there is left out: it may be built in.
pub(crate) fn copied(
    kernel: &Path,
    names: &[&str],
    host: &Host,
    boot: &BootSpec,
) -> io::Result<Vec<PathBuf>> {
    let Some(release) = release(kernel) else { return Ok(Vec::new()) };
    let folders = [folder(host, release), Path::new("/lib/modules").join(release)];
    let Some(folder) = folders.iter().find(|folder| folder.is_dir()) else {
        return Ok(Vec::new());
    };
    below(folder, names, boot)
}

/// The same for a `folder` that has the modules somewhere below it.
pub(crate) fn below(folder: &Path, names: &[&str], boot: &BootSpec) -> io::Result<Vec<PathBuf>> {
    let copied = names.iter().filter_map(|name| {
        let (found, packed) = find(folder, name, DEPTH)?;
        let copy = boot.folder.join(format!("{name}.ko"));
        Some(unpack(&found, packed, &copy).map(|()| copy))
    });
    copied.collect()
}

/// What a module is called in a package's list of files.
pub(crate) fn pattern(name: &str) -> String {
    format!("./*lib/modules/*/{}.ko*", name.replace('_', "[-_]"))
}

pub(crate) fn release(kernel: &Path) -> Option<&str> {
    kernel.file_name()?.to_str()?.strip_prefix("vmlinuz-")
}

/// The module's file below `folder`, and how it is packed. Files say `-` where kernels say `_`, or not.
fn find(folder: &Path, name: &str, depth: u32) -> Option<(PathBuf, &'static str)> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        let file = entry.file_name().to_string_lossy().replace('-', "_");
        let packed = PACKED.iter().find(|(end, _)| file == format!("{name}.{end}"));
        if let Some((_, tool)) = packed {
            return Some((path, tool));
        }
        if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(path);
        }
    }
    folders.iter().find_map(|folder| find(folder, name, depth - 1))
}

fn unpack(from: &Path, tool: &str, to: &Path) -> io::Result<()> {
    if tool == "cat" {
        return fs::copy(from, to).map(drop);
    }
    let mut command = programs::plain(tool);
    command.arg("-dc").arg(from).stdin(Stdio::null()).stdout(File::create(to)?);
    let why = |why| io::Error::other(format!("{}: {why}", from.display()));
    programs::run(&mut command, UNPACKING).map_err(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn modules_are_found_unpacked_and_kept_in_order() {
        let place = tempfile::tempdir().unwrap();
        let cache = place.path().join("cache");
        let host = Host::new("/probe".into(), cache.clone());
        let deep = cache.join("kernels").join(folder_name("6.1")).join("kernel/drivers");
        fs::create_dir_all(deep.join("virtio")).unwrap();
        fs::write(deep.join("virtio/virtio.ko"), "plain").unwrap();
        fs::write(deep.join("virtio-blk.ko"), "dash").unwrap();
        fs::write(deep.join("other.ko"), "other").unwrap();
        let mut gzip = Command::new("gzip");
        fs::write(deep.join("virtio_pci.ko"), "packed").unwrap();
        assert!(gzip.arg(deep.join("virtio_pci.ko")).status().unwrap().success());
        let boot = BootSpec {
            folder: place.path(),
            id: "tare-x",
            number: 0,
            counts: None,
            script: &[],
            cpus: &[],
            perturbation: 0,
            saved: &crate::Saved::Never,
        };
        let kernel = Path::new("/cache/vmlinuz-6.1");
        let files = copied(kernel, VIRTIO, &host, &boot).unwrap();
        let texts: Vec<_> = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        assert_eq!(texts, ["plain", "packed", "dash"]);
        assert!(copied(Path::new("/boot/bzImage"), VIRTIO, &host, &boot).unwrap().is_empty());
        assert!(copied(Path::new("/boot/vmlinuz-0"), VIRTIO, &host, &boot).unwrap().is_empty());
    }
}

//! Unpacks boot images once, into the cache: a kernel's ELF out of its bzImage, a hypervisor out of its gzip file. A
//! simulated machine would otherwise spend billions of instructions on it at every boot.

use crate::files::bounded;
use crate::{Host, Unavailable};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_keeper::cache;
use tare_keeper::programs;

/// How packed data begin, and the program that unpacks them from its standard input.
const FORMATS: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\0", "xz"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x02\x21\x4c\x18", "lz4"),
    (b"BZh", "bzip2"),
];

/// Longest time for an image of some 10 MB.
const UNPACKING: Duration = Duration::from_secs(60);

/// How an ELF file begins.
const ELF: &[u8] = b"\x7fELF";

/// Offsets in a bzImage (the x86 boot protocol of the kernel's documentation).
const SETUP_SECTORS: usize = 0x1f1;
const SIGNATURE: usize = 0x202;
const VERSION: usize = 0x206;
const PAYLOAD_OFFSET: usize = 0x248;
const PAYLOAD_LENGTH: usize = 0x24c;

/// The ELF image in `packed`: itself, or unpacked into the cache. The path is absolute, since layers start in folders of their own.
pub(crate) fn elf(packed: &Path, host: &Host) -> Result<PathBuf, Unavailable> {
    let fault = |why: String| {
        let remedy = "give an ELF image, or one packed by xz, gzip, zstd, lz4 or bzip2";
        Unavailable::new(format!("{}: {why}", packed.display()), remedy)
    };
    let data = bounded::read(packed, bounded::PROGRAM).map_err(|e| fault(e.to_string()))?;
    if data.starts_with(ELF) {
        return std::path::absolute(packed).map_err(|e| fault(e.to_string()));
    }
    let kept = host.cache.join("unpacked").join(name(packed, &data));
    if cache::is_own_file(&kept) {
        return Ok(kept);
    }
    let (payload, size) = payload(&data).map_err(fault)?;
    let format = FORMATS.iter().find(|(magic, _)| payload.starts_with(magic));
    let (_, program) = format.ok_or_else(|| fault("unknown compression".into()))?;
    let program = programs::find(program)?;
    unpack(&program, payload, size, &kept).map_err(|e| fault(e.to_string()))?;
    Ok(kept)
}

/// Names the unpacked file by what it comes from.
fn name(packed: &Path, data: &[u8]) -> String {
    let stem = packed.file_stem().unwrap_or_default().to_string_lossy();
    let plain: String =
        stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    format!("{plain}-{:.12x}", Sha256::digest(data))
}

/// The packed part of a bzImage and the size that it says it unpacks to; of another file, all of it.
fn payload(data: &[u8]) -> Result<(&[u8], Option<u64>), String> {
    if data.get(SIGNATURE..SIGNATURE + 4) != Some(b"HdrS") {
        return Ok((data, None));
    }
    let word = |at: usize| {
        let bytes = data.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    if word(VERSION).is_none_or(|version| version & 0xffff < 0x208) {
        return Err("its boot protocol is older than 2.08".into());
    }
    let sectors = data[SETUP_SECTORS].max(1) as usize;
    let start = (sectors + 1) * 512 + word(PAYLOAD_OFFSET).unwrap_or_default();
    let end = start + word(PAYLOAD_LENGTH).unwrap_or_default();
    let payload = data.get(start..end).filter(|payload| payload.len() > 4);
    let payload = payload.ok_or("it is shorter than its header says")?;
    let size = word(end - 4).map(|size| size as u64);
    // The size stands behind the packed data; in gzip it is part of them.
    let tail = if payload.starts_with(b"\x1f\x8b") { 0 } else { 4 };
    Ok((&payload[..payload.len() - tail], size))
}

/// Renamed when whole: another run of tare may do the same.
fn unpack(program: &Path, payload: &[u8], size: Option<u64>, kept: &Path) -> io::Result<()> {
    let folder = kept.parent().unwrap_or(Path::new("."));
    cache::make(folder)?;
    let unfinished = tempfile::NamedTempFile::new_in(folder)?;
    run(program, payload, unfinished.reopen()?, UNPACKING)?;
    let whole = fs::metadata(unfinished.path())?.len();
    if size.is_some_and(|size| size != whole) {
        return Err(io::Error::other(format!(
            "it unpacks to {whole} bytes, which its header contradicts"
        )));
    }
    let mut start = [0; 4];
    io::Read::read_exact(&mut File::open(unfinished.path())?, &mut start)?;
    if start != ELF {
        return Err(io::Error::other("what is packed in it is not an ELF image"));
    }
    unfinished.persist(kept).map(drop).map_err(io::Error::from)
}

/// The packed data go through a file: nobody has to feed a pipe while the program is watched.
fn run(program: &Path, packed: &[u8], output: File, within: Duration) -> io::Result<()> {
    let mut input = tempfile::tempfile()?;
    input.write_all(packed)?;
    input.rewind()?;
    let mut command = programs::plain(program);
    command.args(["-d", "-c"]).stdin(input).stdout(output);
    let why = |why| io::Error::other(format!("cannot unpack it: {why}"));
    programs::run(&mut command, within).map_err(why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    fn host(cache: &Path) -> Host {
        Host::new("/probe".into(), cache.to_owned())
    }

    /// A bzImage whose payload is `packed`, said to unpack to `size` bytes.
    fn image(packed: &[u8], size: u32) -> Vec<u8> {
        let mut image = vec![0; 1024];
        image[SETUP_SECTORS] = 1;
        image[SIGNATURE..SIGNATURE + 4].copy_from_slice(b"HdrS");
        image[VERSION..VERSION + 2].copy_from_slice(&[0x0f, 0x02]);
        let length = packed.len() as u32 + 4;
        image[PAYLOAD_LENGTH..PAYLOAD_LENGTH + 4].copy_from_slice(&length.to_le_bytes());
        image.extend(packed);
        image.extend(size.to_le_bytes());
        image
    }

    fn packed(content: &[u8]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, content).unwrap();
        Command::new("xz").arg("-c").arg(&plain).output().unwrap().stdout
    }

    #[test]
    fn a_kernel_is_unpacked_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vmlinuz-1");
        let content = b"\x7fELF and the rest";
        fs::write(&file, image(&packed(content), content.len() as u32)).unwrap();
        let unpacked = elf(&file, &host(folder.path())).unwrap();
        assert_eq!(fs::read(&unpacked).unwrap(), content);
        assert_eq!(elf(&file, &host(folder.path())).unwrap(), unpacked);
        assert_eq!(elf(&unpacked, &host(folder.path())).unwrap(), unpacked, "it is an ELF image");
    }

    #[test]
    fn an_unpacker_that_hangs_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("unpacker");
        fs::write(&program, "#!/bin/sh\nsleep 1000\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let output = tempfile::tempfile().unwrap();
        let late = run(&program, b"packed", output, Duration::from_millis(100)).unwrap_err();
        assert!(late.to_string().contains("did not finish within"), "{late}");
    }

    #[test]
    fn damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |content: Vec<u8>| {
            let file = folder.path().join("vmlinuz-2");
            fs::write(&file, content).unwrap();
            elf(&file, &host(folder.path())).unwrap_err().why
        };
        let good = packed(b"\x7fELF and the rest");
        assert!(refused(image(&good, 3)).contains("which its header contradicts"));
        assert!(refused(image(&packed(b"none!"), 5)).contains("not an ELF image"));
        assert!(refused(image(&good[..good.len() / 2], 20)).contains("cannot unpack"));
        assert!(refused(image(b"what?", 20)).contains("unknown compression"));
        let whole = image(&good, 20);
        assert!(refused(whole[..whole.len() - 9].to_vec()).contains("shorter"));
        let left: Vec<_> = fs::read_dir(folder.path().join("unpacked")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

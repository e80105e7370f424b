//! What a file that makes a layer says of its version: asked with a deadline, or read from what the Go
//! toolchain has written into it.

use crate::{Artifact, programs};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

/// Longest time for printing a version.
const SAYING: Duration = Duration::from_secs(10);

/// Most characters of it that are kept.
const LENGTH: usize = 120;

/// What runsc calls its version when its own build system has not set it, as after `go install`.
const UNSET: &str = "VERSION_MISSING";

/// How Go's build information begins: at a multiple of sixteen, in every program that Go links.
const MAGIC: &[u8] = b"\xff Go buildinf:";
const ALIGNED: usize = 16;

/// Where its two texts begin, and the bit of its flags that says that they stand there (since Go 1.18).
const TEXTS: usize = 32;
const FLAGS: usize = 15;
const INLINE: u8 = 2;

/// What surrounds the second text.
const SENTINEL: usize = 16;

/// Most of a file that is searched, how much at once, and most of its build information that is read.
const SEARCHED: usize = 512 << 20;
const CHUNK: usize = 1 << 20;
const INFORMATION: usize = 256 << 10;

impl Artifact {
    /// What the file says of its version, in one line; empty when it says nothing.
    pub fn version(&self) -> String {
        let Some(argument) = &self.version_argument else { return String::new() };
        let said = programs::output(programs::plain(&self.path).arg(argument), SAYING);
        let said = said.unwrap_or_default();
        let line = said.lines().next().unwrap_or_default();
        let line: String = line.chars().filter(|c| !c.is_control()).take(LENGTH).collect();
        let built = if line.contains(UNSET) { go_version(&self.path) } else { None };
        built.map_or(line.clone(), |version| line.replace(UNSET, &version))
    }
}

/// The version of the main module that a Go program was built from.
fn go_version(program: &Path) -> Option<String> {
    let information = go_information(&File::open(program).ok()?)?;
    let lines = || information.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let version = lines().find_map(|words| match words[..] {
        ["mod", _, version, ..] => Some(version.to_owned()),
        _ => None,
    })?;
    let revision = lines().find_map(|words| match words[..] {
        ["build", setting] => setting.strip_prefix("vcs.revision=").map(str::to_owned),
        _ => None,
    });
    let known = version != "(devel)";
    let text = if known { version } else { revision.unwrap_or(version) };
    Some(text.chars().filter(|c| c.is_ascii_graphic()).take(LENGTH).collect())
}

/// The text that lists a Go program's modules and how it was built.
fn go_information(file: &File) -> Option<String> {
    let mut chunk = vec![0; CHUNK];
    for at in (0..SEARCHED).step_by(CHUNK) {
        let read = read_at(file, &mut chunk, at)?;
        let starts = chunk[..read].chunks(ALIGNED).enumerate();
        let mut found = starts.filter(|(_, bytes)| bytes.starts_with(MAGIC));
        if let Some(text) = found.find_map(|(n, _)| information(file, at + n * ALIGNED)) {
            return Some(text);
        }
        if read < CHUNK {
            return None;
        }
    }
    None
}

/// The second text of the build information at `start`, unless it only looks like some.
fn information(file: &File, start: usize) -> Option<String> {
    let mut bytes = vec![0; INFORMATION];
    let read = read_at(file, &mut bytes, start)?;
    bytes.truncate(read);
    let inline = bytes.get(FLAGS)? & INLINE != 0;
    let (_, rest) = text(bytes.get(TEXTS..).filter(|_| inline)?)?;
    let (modules, _) = text(rest)?;
    let modules = modules.get(SENTINEL..modules.len().checked_sub(SENTINEL)?)?;
    Some(String::from_utf8_lossy(modules).into_owned())
}

/// A text behind its length, which is a number in groups of seven bits; and what follows.
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = bytes.iter().take(4).position(|byte| byte & 0x80 == 0)? + 1;
    let groups = bytes[..digits].iter().rev();
    let length = groups.fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    bytes[digits..].split_at_checked(length)
}

/// Fills `bytes` from `at` on as far as the file goes; how far.
fn read_at(file: &File, bytes: &mut [u8], at: usize) -> Option<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], (at + filled) as u64).ok()? {
            0 => break,
            n => filled += n,
        }
    }
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    const MODULES: &str = "path\tgvisor.dev/gvisor/runsc\nmod\tgvisor.dev/gvisor\tv0.0.0-20260905035102-160fafc42237\th1:x\n";

    /// A script that prints a version and has Go's build information behind its end.
    fn program(folder: &Path, says: &str, modules: &str) -> Artifact {
        let mut bytes = format!("#!/bin/sh\necho '{says}'\nexit\n").into_bytes();
        bytes.extend(MAGIC); // in passing, as programs have it that read build information
        bytes.resize(CHUNK + 3 * ALIGNED, b'\n');
        bytes.extend(MAGIC);
        bytes.extend([8, INLINE]);
        bytes.resize(bytes.len() + TEXTS - ALIGNED, 0);
        bytes.extend(b"\x06go1.26");
        let length = modules.len() + 2 * SENTINEL;
        bytes.extend([length as u8 & 0x7f | 0x80, (length >> 7) as u8]);
        bytes.extend([&[1; SENTINEL], modules.as_bytes(), &[2; SENTINEL]].concat());
        let path = folder.join("program");
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Artifact { role: "runtime".into(), path, version_argument: Some("--version".into()) }
    }

    #[test]
    fn a_version_that_is_missing_stands_in_the_build_information() {
        let folder = tempfile::tempdir().unwrap();
        // A child that another test starts meanwhile holds the file open for writing until it has become its own program.
        let version = |says, modules| {
            let tried = (0..50).map(|_| program(folder.path(), says, modules).version());
            tried.into_iter().find(|said| !said.is_empty()).unwrap_or_default()
        };
        let missing = "runsc version VERSION_MISSING";
        assert_eq!(version(missing, MODULES), "runsc version v0.0.0-20260905035102-160fafc42237");
        let here = "mod\tgvisor.dev/gvisor\t(devel)\t\nbuild\tvcs.revision=160fafc42237\n";
        assert_eq!(version(missing, here), "runsc version 160fafc42237");
        assert_eq!(version(missing, "path\tx\n"), missing, "it does not say");
        assert_eq!(version("runsc version 1.2\n more", MODULES), "runsc version 1.2");
    }

    #[test]
    fn damaged_build_information_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let whole = program(folder.path(), "x", MODULES);
        let bytes = fs::read(&whole.path).unwrap();
        assert!(go_version(&whole.path).is_some());
        for cut in [0, 40, CHUNK, CHUNK + 3 * ALIGNED + 14, CHUNK + 90, bytes.len() - 20] {
            fs::write(&whole.path, &bytes[..cut]).unwrap();
            assert_eq!(go_version(&whole.path), None, "cut at {cut}");
        }
        let mut endless = bytes.clone();
        endless[CHUNK + 3 * ALIGNED + TEXTS..][..8].fill(0xff);
        fs::write(&whole.path, &endless).unwrap();
        assert_eq!(go_version(&whole.path), None, "a length without an end");
    }

    #[test]
    fn what_a_program_leaves_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon");
        fs::write(&path, "#!/bin/sh\nsetsid sleep 5 &\necho version 3\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let version_argument = Some("--version".into());
        let artifact = Artifact { role: "runtime".into(), path, version_argument };
        assert_eq!(artifact.version(), "version 3");
    }
}

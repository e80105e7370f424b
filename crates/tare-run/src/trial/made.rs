//! What a layer is made of on this host: the files that a boot would use, with their hashes. None is started.

use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use tare_layers::{Artifact, BootSpec, Host, Launch, Layer, MACHINE_PLAN, Program, Saved};
use tare_store::StoredArtifact;

/// What a layer is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    /// The files that decide what it is.
    pub files: Vec<StoredArtifact>,
    /// SHA-256 of the files that are written for a boot which is asked for nothing, the guest's initramfs among them; `None` of a layer whose
    /// boots are not repeatable.
    pub initramfs: Option<String>,
}

/// What `layer` is made of, which has passed its check.
///
/// # Errors
/// A file that a boot would use is missing.
pub fn made_of(layer: &dyn Layer, host: &Host) -> io::Result<Made> {
    let folder = tempfile::tempdir()?;
    let Some(program) = look(layer, host, folder.path())? else { return Ok(Made::default()) };
    let files = program.artifacts.iter().map(describe).collect();
    Ok(Made { files, initramfs: written_for(layer, folder.path())? })
}

/// The same without the files, whose hashes a trial has told already.
///
/// # Errors
/// As [`made_of`]'s.
pub fn initramfs_of(layer: &dyn Layer, host: &Host) -> io::Result<Option<String>> {
    let folder = tempfile::tempdir()?;
    match look(layer, host, folder.path())? {
        Some(_) => written_for(layer, folder.path()),
        None => Ok(None),
    }
}

/// The hash of what a boot in `folder` has written there.
fn written_for(layer: &dyn Layer, folder: &Path) -> io::Result<Option<String>> {
    layer.scripted().then(|| sha256_of_all(folder)).transpose()
}

/// The program that a boot in `folder` would be; `None` of a layer that is a script.
pub(super) fn look(layer: &dyn Layer, host: &Host, folder: &Path) -> io::Result<Option<Program>> {
    let boot = BootSpec {
        folder,
        id: "tare-look",
        number: 0,
        counts: None,
        script: &[],
        cpus: &[],
        perturbation: 0,
        saved: &Saved::Never,
    };
    Ok(match layer.launch(host, &boot)? {
        Launch::Program(program) => Some(program),
        Launch::Script(..) => None,
    })
}

/// The artifact with its hash and what it says of itself.
pub(super) fn describe(artifact: &Artifact) -> StoredArtifact {
    StoredArtifact {
        role: artifact.role.clone().into(),
        path: artifact.path.display().to_string().into(),
        sha256: sha256(&artifact.path).unwrap_or_default().into(),
        version: artifact.version().into(),
    }
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(format!("{:x}", hash.finalize())),
            n => hash.update(&buffer[..n]),
        }
    }
}

/// Of the names and contents of all files in `folder` but what names places of this host; links lead to files of the host's, which are
/// recorded themselves.
fn sha256_of_all(folder: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let mut entries = fs::read_dir(next)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let kind = entry.file_type()?;
            let path = entry.path();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && entry.file_name() != MACHINE_PLAN {
                let name = path.strip_prefix(folder).unwrap_or(&path);
                hash.update(format!("{}\0{}\0", name.display(), sha256(&path)?));
            }
        }
    }
    Ok(format!("{:x}", hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_count_by_name_and_content_and_links_do_not() {
        let hash = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("in")).unwrap();
            std::os::unix::fs::symlink(folder.path(), folder.path().join("link")).unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            sha256_of_all(folder.path()).unwrap()
        };
        let one = hash(&[("initramfs", "a"), ("in/b", "c")]);
        assert_eq!(one, hash(&[("in/b", "c"), ("initramfs", "a")]), "wherever the folder is");
        assert_eq!(one, hash(&[("initramfs", "a"), ("in/b", "c"), (MACHINE_PLAN, "/here")]));
        assert_ne!(one, hash(&[("initramfs", "b"), ("in/b", "c")]));
        assert_ne!(one, hash(&[("initramfs", "a"), ("in/c", "c")]));
    }
}

//! Folders of tare's cache. Layers run what is in them, as root at times: nobody else may write to them.

use nix::unistd::geteuid;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Makes the cache `folder` where it is not there, and looks whether others may write to it or to a folder in it.
///
/// # Errors
/// A folder that cannot be made or read, belongs to somebody else or may be written to by others; the text has the remedy.
pub fn cache_folder(folder: &Path) -> io::Result<()> {
    make(folder)?;
    check(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // What another tare has just removed was its working folder.
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
            check(&path)?;
        }
    }
    Ok(())
}

/// Makes `folder` and what lacks above it, for others to read at most, whatever the umask allows.
pub fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(folder)
}

fn check(folder: &Path) -> io::Result<()> {
    let found = match fs::metadata(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    let name = folder.display();
    let uid = found.uid();
    let mode = found.mode() & 0o7777;
    if !owners().contains(&uid) {
        return refused(format!(
            "it belongs to somebody else (uid {uid}), who could change what layers run; set TARE_CACHE to a folder of \
             your own"
        ));
    }
    if mode & 0o022 != 0 {
        return refused(format!(
            "others may write to {name} (mode {mode:o}) and change what layers run; chmod -R go-w it if you trust what \
             is in it, else remove it, or set TARE_CACHE to a folder of your own"
        ));
    }
    Ok(())
}

/// Whether `file` is there and nobody else could have changed it, or can.
pub fn is_own_file(file: &Path) -> bool {
    fs::symlink_metadata(file).is_ok_and(|found| {
        found.is_file() && owners().contains(&found.uid()) && found.mode() & 0o022 == 0
    })
}

/// Whose files layers may run.
fn owners() -> [u32; 2] {
    [0, geteuid().as_raw()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown};

    #[test]
    fn a_file_that_others_may_have_changed_is_no_own_one() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        let link = place.path().join("link");
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert!(!is_own_file(&link) && !is_own_file(&place.path().join("none")));
        for (mode, own) in [(0o755, true), (0o775, false), (0o757, false), (0o500, true)] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_own_file(&file), own, "{mode:o}");
        }
        if geteuid().is_root() {
            chown(&file, Some(65534), None).unwrap();
            assert!(!is_own_file(&file));
        }
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let cache = place.path().join("a/cache");
        cache_folder(&cache).unwrap();
        make(&cache.join("kernels")).unwrap();
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for path in [cache.clone(), cache.join("kernels")] {
            for (mode, fine) in [(0o775, false), (0o757, false), (0o755, true), (0o700, true)] {
                set(&path, mode);
                let refused = cache_folder(&cache);
                assert_eq!(refused.is_ok(), fine, "{mode:o}: {refused:?}");
                let said = refused.err().map_or("chmod".into(), |e| e.to_string());
                assert!(said.contains("chmod"), "{said}");
            }
            set(&path, 0o755);
        }
        if geteuid().is_root() {
            chown(&cache, Some(65534), None).unwrap();
            let said = cache_folder(&cache).unwrap_err().to_string();
            assert!(said.contains("uid 65534"), "{said}");
        }
    }
}

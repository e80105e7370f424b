//! Files on a disk instead of the scratch folder: in a folder of the host's that the layer gives (`$TARE_DISK_FOLDER`), or
//! in the file system on a disk of the guest's own (`$TARE_DISK_FILES`), which is mounted when it is first asked for.

use crate::device::{size, why};
use crate::scratch;
use crate::sys::{check, file_system};
use std::ffi::CString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tare_proto::{DISK_FILES, DISK_FOLDER};

/// Where a guest's disk is mounted.
const MOUNTED: &str = "/files";

/// While it lives, files are made on the disk: it is the working directory.
pub struct OnDisk {
    former: PathBuf,
}

impl OnDisk {
    /// Goes there, or says why that cannot be.
    pub fn enter() -> Result<OnDisk, String> {
        scratch::folder(); // the memory-backed one is not chosen again behind its back
        let disk = folder()?;
        let kind = file_system(&disk);
        if ["tmpfs", "ramfs"].contains(&kind.as_str()) {
            return Err(format!("{} is memory-backed ({kind})", disk.display()));
        }
        let former = std::env::current_dir().map_err(|e| e.to_string())?;
        std::env::set_current_dir(&disk).map_err(|e| format!("{}: {e}", disk.display()))?;
        Ok(OnDisk { former })
    }
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        let _ = std::env::set_current_dir(&self.former); // fails only where its files fail too
    }
}

fn folder() -> Result<PathBuf, String> {
    static MOUNT: OnceLock<Result<(), String>> = OnceLock::new();
    if let Some(folder) = std::env::var_os(DISK_FOLDER) {
        return Ok(folder.into());
    }
    let Ok(device) = std::env::var(DISK_FILES) else {
        return Err("this layer has no folder on a disk (setting files=; by hand, \
                    TARE_DISK_FOLDER=FOLDER)"
            .into());
    };
    let mounted = MOUNT.get_or_init(|| match size(&device).and_then(|_| mount(&device)) {
        Ok(()) => Ok(()),
        Err(error) => Err(why(&device, &error)),
    });
    mounted.clone().map(|()| PathBuf::from(MOUNTED))
}

/// Mounts the file system on `device`. It ends with the guest.
fn mount(device: &str) -> io::Result<()> {
    fs::create_dir_all(Path::new(MOUNTED))?;
    let (from, to) = (CString::new(device)?, CString::new(MOUNTED)?);
    let kind = c"ext4".as_ptr();
    // SAFETY: all three strings are NUL-terminated and live; there is no data argument.
    let done = unsafe { libc::mount(from.as_ptr(), to.as_ptr(), kind, 0, std::ptr::null()) };
    check("mount of ext4", done).map(drop)
}

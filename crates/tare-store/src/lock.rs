//! Who owns a campaign's directory: the process that holds a lock on the directory itself, which needs no lock file and
//! ends with the process.

use crate::StoreError;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often the lock is tried, and the pause between two tries: a reader that checks whether somebody holds the lock holds it
/// for an instant itself.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the directory for this process, for as long as the file stays open.
pub(crate) fn hold(directory: &Path) -> Result<File, StoreError> {
    let failed = |e| StoreError::Io(directory.to_owned(), e);
    let handle = File::open(directory).map_err(failed)?;
    for _ in 0..TRIES {
        match handle.try_lock() {
            Ok(()) => return Ok(handle),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
    }
    Err(StoreError::Busy(directory.to_owned()))
}

/// Whether a process, this one included, runs the campaign in `directory`.
pub fn is_held(directory: &Path) -> bool {
    let looked = File::open(directory).map(|handle| handle.try_lock_shared());
    matches!(looked, Ok(Err(TryLockError::WouldBlock)))
}

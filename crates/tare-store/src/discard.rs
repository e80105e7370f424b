//! Removes campaigns that never began.

use crate::{FILE, load};
use std::fs;
use std::path::Path;

/// Removes the campaign in `directory` if nothing was ever booted for it, and the directory if nothing else is in it.
pub fn discard_empty(directory: &Path) {
    if load(directory).is_ok_and(|campaign| campaign.boots.is_empty()) {
        for end in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(directory.join(format!("{FILE}{end}")));
        }
        remove_folders(directory);
    }
}

/// Removes the campaign's folders as far as they are empty.
pub(crate) fn remove_folders(directory: &Path) {
    let _ = fs::remove_dir(directory.join("logs"));
    let _ = fs::remove_dir(directory);
}

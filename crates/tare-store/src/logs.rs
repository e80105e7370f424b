//! The folder of a campaign's logs.

use crate::StoreError;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Where the consoles of boots are logged.
pub(crate) const LOGS: &str = "logs";

/// Makes the folder of logs where it is not there. What is written to it goes there and nowhere else: a link leads anywhere.
pub(crate) fn own_logs(directory: &Path) -> Result<(), StoreError> {
    let path = directory.join(LOGS);
    let made = match fs::create_dir(&path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            fs::symlink_metadata(&path).and_then(|found| {
                let why = "it is a link or no folder at all; remove it";
                if found.is_dir() { Ok(()) } else { Err(io::Error::other(why)) }
            })
        }
        made => made,
    };
    made.map_err(|e| StoreError::Io(path, e))
}

//! SQLite's journals: a campaign that is written has a write-ahead log beside it, others one file. No kill leaves another journal
//! beside it, which who may only read does not get past; where one is there nevertheless, it is rolled back.

use crate::StoreError;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, ffi};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

/// The pragma that says where changes are noted down.
const MODE: &str = "journal_mode";

/// How a database changes between a log and none: by one write of its first page, without a journal on the disk.
const IN_MEMORY: &str = "MEMORY";

/// Writes go to a log beside the file from now on, so that others can read meanwhile.
pub(crate) fn begin_log(database: &Connection) -> rusqlite::Result<()> {
    let mode: String = database.pragma_query_value(None, MODE, |row| row.get(0))?;
    if mode != "wal" {
        database.pragma_update(None, MODE, IN_MEMORY)?;
        database.pragma_update(None, MODE, "WAL")?;
    }
    Ok(())
}

/// Folds the log into the file. While somebody else has the file open it stays beside it, and nothing is lost.
pub(crate) fn end_log(database: &Connection) -> rusqlite::Result<()> {
    match database.pragma_update(None, MODE, IN_MEMORY) {
        Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
        done => done,
    }
}

/// What `open` makes of the database `path`. If a journal has to be rolled back first, that is done once, where everything
/// belongs to this user: a journal names other files, which are removed with it.
pub(crate) fn or_recovered<T>(
    path: &Path,
    open: impl Fn() -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    let foreign = |e: Error| StoreError::Foreign(path.to_owned(), e.to_string());
    // Looked at before: for root, SQLite gives a journal that it opens to the database's owner.
    let own = is_own(path).unwrap_or(false);
    match open() {
        Err(error) if is_cut_off(&error) => {
            if !own || roll_back(path).is_err() {
                return Err(StoreError::CutOff(path.to_owned()));
            }
            open().map_err(foreign)
        }
        done => done.map_err(foreign),
    }
}

fn is_cut_off(error: &Error) -> bool {
    error.sqlite_error().is_some_and(|e| e.extended_code == ffi::SQLITE_READONLY_ROLLBACK)
}

/// Whether the database, its journal and their folder are this user's.
fn is_own(path: &Path) -> io::Result<bool> {
    let user = fs::metadata("/proc/self")?.uid();
    let journal = PathBuf::from(format!("{}-journal", path.display()));
    let folder = fs::metadata(path.parent().unwrap_or(Path::new(".")))?;
    let all = [fs::symlink_metadata(path)?, fs::symlink_metadata(journal)?, folder];
    Ok(all.iter().all(|found| found.uid() == user))
}

fn roll_back(path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let database = Connection::open_with_flags(path, flags)?;
    database.busy_timeout(Duration::from_secs(10))?;
    database.query_row("PRAGMA schema_version", [], |_| Ok(()))
}

//! What can go wrong with a campaign directory; every message names it.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// What SQLite failed of. Whoever may read a campaign can lock it.
fn reason(path: &Path, error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy) => {
            let file = path.display();
            format!(
                "another program has locked it for longer than tare waits ('fuser {file} {file}-shm' names it); \
                 when that has ended, 'tare resume' goes on"
            )
        }
        _ => error.to_string(),
    }
}

/// Why a campaign could not be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A directory that should be new holds a campaign.
    #[error("{} already holds a campaign; go on with 'tare resume', or name another directory", .0.display())]
    Exists(PathBuf),
    /// There is no campaign in the directory.
    #[error("{} holds no campaign (no {})", .0.display(), crate::FILE)]
    Missing(PathBuf),
    /// The campaign's file was removed or replaced while it was open.
    #[error("{} was removed, renamed or replaced while this campaign ran", .0.display())]
    Gone(PathBuf),
    /// Another process is running the campaign.
    #[error("{} is in use by another tare", .0.display())]
    Busy(PathBuf),
    /// Whoever wrote it was killed in the middle of a write, and this user may not undo that.
    #[error("{} was left in the middle of a write, which only the owner of its folder can undo: as that user, 'tare show' it once",
            .0.display())]
    CutOff(PathBuf),
    /// The file is a database, but not a campaign.
    #[error("{} is not a campaign: {why}", .0.display(), why = .1)]
    Foreign(PathBuf, String),
    /// A newer tare wrote it: the file, its schema's version, and the tare that reads it.
    #[error("{} has schema version {has}, and this tare reads versions 1 to {max}; read it with {by}", .0.display(), has = .1,
            by = .2, max = crate::SCHEMA_VERSION)]
    Newer(PathBuf, i64, String),
    /// It took too long to read.
    #[error("{} takes longer than {} s to read, which no campaign of tare's does", .0.display(), .1.as_secs_f64())]
    Slow(PathBuf, Duration),
    /// SQLite failed: the disk is full, the file is damaged or the directory is gone.
    #[error("{}: {}", .0.display(), reason(.0, .1))]
    Database(PathBuf, rusqlite::Error),
    /// The directory could not be made or opened.
    #[error("{}: {why}", .0.display(), why = .1)]
    Io(PathBuf, std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::{Connection, Error};

    #[test]
    fn a_lock_of_somebody_else_comes_with_what_to_do() {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join(crate::FILE);
        let other = Connection::open(&file).expect("a database");
        other.execute_batch("BEGIN EXCLUSIVE").expect("locked");
        let refused = || -> Result<(), Error> {
            let own = Connection::open(&file)?;
            own.busy_timeout(Duration::ZERO)?;
            own.execute_batch("CREATE TABLE t (x)")
        };
        let error =
            StoreError::Database(file.clone(), refused().expect_err("it is locked")).to_string();
        assert!(
            error.contains("campaign.db-shm' names it") && error.contains("'tare resume'"),
            "{error}"
        );
    }
}

//! What can go wrong with a campaign directory; every message names it.

use std::path::PathBuf;

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
    /// The file is a database, but not a campaign.
    #[error("{} is not a campaign: {why}", .0.display(), why = .1)]
    Foreign(PathBuf, String),
    /// A newer tare wrote it: the file, its schema's version, and the tare that reads it.
    #[error("{} has schema version {has}, and this tare reads versions 1 to {max}; read it with {by}", .0.display(), has = .1,
            by = .2, max = crate::SCHEMA_VERSION)]
    Newer(PathBuf, i64, String),
    /// SQLite failed: the disk is full, the file is damaged or the directory is gone.
    #[error("{}: {why}", .0.display(), why = .1)]
    Database(PathBuf, rusqlite::Error),
    /// The directory could not be made or opened.
    #[error("{}: {why}", .0.display(), why = .1)]
    Io(PathBuf, std::io::Error),
}

impl StoreError {
    /// Whether the disk is full.
    pub fn is_disk_full(&self) -> bool {
        match self {
            StoreError::Database(_, e) => {
                e.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
            }
            StoreError::Io(_, e) => e.kind() == std::io::ErrorKind::StorageFull,
            _ => false,
        }
    }
}

//! Why a root could not be made, or not be read.

use std::io;
use std::path::Path;
use tare_keeper::ProgramError;

#[derive(Debug, thiserror::Error)]
pub(super) enum RootError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{name}: {error}")]
    File { name: String, error: io::Error },
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("interrupted")]
    Interrupted,
    /// An archive or an image that is not whole, or not what it says.
    #[error("{0}")]
    Damaged(String),
    /// What no root may hold, or where no file of one may be.
    #[error("{0}")]
    Forbidden(String),
    #[error("{0}; if that is right, unpack it yourself and give the folder: --root DIR")]
    TooLarge(String),
    #[error("{file}: {why}")]
    Archive { file: String, why: Box<RootError> },
    #[error("{why}; a command in it said last: {line}")]
    Command { why: ProgramError, line: String },
}

impl RootError {
    pub fn file(path: &Path) -> impl Fn(io::Error) -> RootError + Copy {
        move |error| RootError::File { name: path.display().to_string(), error }
    }
}

pub(super) fn damaged(why: impl Into<String>) -> RootError {
    RootError::Damaged(why.into())
}

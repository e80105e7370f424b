//! What can go wrong, in words for whoever asked.

use std::io;

/// Why a device could not be served, driven or measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Settings that exclude each other or that nothing can have.
    #[error("{0}")]
    Setting(String),
    /// A call of the operating system failed.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// What the system says.
        source: io::Error,
    },
    /// The two ends could not agree.
    #[error("the back end refused {step}: {why}")]
    Refused {
        /// What was asked of it.
        step: &'static str,
        /// What it or its socket says.
        why: String,
    },
    /// The back end's socket was closed under load.
    #[error("the back end ended while requests were in flight")]
    Ended,
    /// Nothing was completed for so long.
    #[error("the back end completed no request for {0} seconds")]
    Silent(u64),
    /// A request came back with an error.
    #[error("a request of {bytes} bytes at {offset} failed with status {status}")]
    Failed {
        /// Where it was.
        offset: u64,
        /// How long it was.
        bytes: u32,
        /// The device's status: 1 is an error of input or output, 2 is unsupported, 255 was never written.
        status: u8,
    },
    /// The other end wrote into the ring what cannot be.
    #[error("the back end answered a request that was not made: {0}")]
    Nonsense(String),
    /// The back end's process failed before or while it was measured.
    #[error("{failure}; its back end says: {says}")]
    Back {
        /// What the front end saw.
        failure: Box<Error>,
        /// The last lines of the process.
        says: String,
    },
    /// A row of a suite failed.
    #[error("{name}: {failure}")]
    Row {
        /// Which.
        name: String,
        /// Why.
        failure: Box<Error>,
    },
    /// A ratio could not be computed.
    #[error("{0}")]
    Statistics(#[from] tare_stats::StatError),
}

impl Error {
    /// A failed call, with what was tried.
    pub fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }

    /// The same for calls that give an error number.
    pub fn number(what: impl Into<String>) -> impl FnOnce(nix::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source: source.into() }
    }
}

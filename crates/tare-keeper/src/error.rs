//! Why a boot, a measurement in it, or a program of the host's failed.

use crate::patience::Waited;
use std::io;
use std::time::Duration;
use tare_proto::FromProbe;

/// Why a boot or a measurement in it failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The layer could not be started.
    #[error("cannot start: {0}")]
    Start(#[source] io::Error),
    /// The probe did not greet in time.
    #[error("the probe did not answer {0}")]
    NoGreeting(Waited),
    /// The layer ended before it was asked to.
    #[error("the layer ended ({0})")]
    Ended(String),
    /// The process that looks after the layer ended before the layer did.
    #[error("the process that looks after the layer ended ({0}), so tare has ended the layer")]
    KeeperLost(String),
    /// No answer in time.
    #[error("no answer to {0} {1}")]
    NoAnswer(String, Waited),
    /// A line of the protocol arrived damaged.
    #[error("the line to the probe is damaged: {0}")]
    Damaged(String),
    /// A message arrived that was not asked for.
    #[error("the probe broke the protocol: {0}")]
    Protocol(String),
    /// The probe says that it failed.
    #[error("the probe failed: {0}")]
    Panic(String),
    /// A knob of this host cannot be turned.
    #[error("a knob of this host: {why}; {remedy}")]
    Knob {
        /// Which, and why.
        why: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The campaign was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Why a program that is no layer has not done its work.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It is not there, or does not start.
    #[error("{name}: {error}")]
    Start {
        /// What was to be started.
        name: String,
        /// Why it was not.
        #[source]
        error: io::Error,
    },
    /// It failed, with these last words.
    #[error("{name}: {said}")]
    Failed {
        /// The program.
        name: String,
        /// What it said last, harmless.
        said: String,
    },
    /// It failed, and nobody listened.
    #[error("{0} failed")]
    Unheard(String),
    /// It took too long, and was ended.
    #[error("{name} did not finish within {within:?}")]
    Late {
        /// The program.
        name: String,
        /// The time that it had.
        within: Duration,
    },
    /// tare was asked to end meanwhile.
    #[error("interrupted")]
    Interrupted,
    /// Its keeper would not start, or start it.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The process that looks after it ended first.
    #[error("{name} lost its keeper ({how})")]
    KeeperLost {
        /// The program.
        name: String,
        /// How its keeper ended.
        how: String,
    },
    /// It succeeded, but this could not be removed.
    #[error("{name} left behind: {left}")]
    LeftBehind {
        /// The program.
        name: String,
        /// What is left, harmless.
        left: String,
    },
}

/// A layer, or its keeper, would not start.
pub(crate) fn refused(why: String) -> SessionError {
    SessionError::Start(io::Error::other(why))
}

pub(crate) fn unexpected(message: &FromProbe) -> SessionError {
    SessionError::Protocol(format!("it said {} without being asked", message.kind()))
}

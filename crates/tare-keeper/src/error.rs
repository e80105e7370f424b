//! Why a boot, or a measurement in it, failed.

use crate::patience::Waited;
use std::io;
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
    /// The campaign was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// A layer, or its keeper, would not start.
pub(crate) fn refused(why: String) -> SessionError {
    SessionError::Start(io::Error::other(why))
}

/// A message out of turn.
pub(crate) fn unexpected(message: &FromProbe) -> SessionError {
    SessionError::Protocol(format!("it said {} without being asked", message.kind()))
}

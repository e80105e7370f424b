//! How a running layer is saved.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a layer that runs is saved into an image, after which it has ended or is worth no more than its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Saving {
    /// Nobody has said how.
    #[default]
    Unknown,
    /// By this command, which ends when the image is whole.
    Command(Vec<String>),
    /// By the monitor of QEMU that listens on the socket: it migrates the machine to `to`, a place as QEMU writes it.
    Monitor {
        /// Where QEMU listens.
        socket: PathBuf,
        /// Where it sends the machine: `exec:cat > FILE`.
        to: String,
    },
}

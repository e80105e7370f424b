//! What a remark on a layer is, for those that make some (`note.rs`, `identity.rs`).

use serde::Serialize;
use tare_proto::Untrusted;

/// A remark on a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// A name for programs: `kernel`, `cpus`, `clock_drift`, ...
    pub kind: &'static str,
    /// A sentence's worth, without the layer's name.
    pub text: Untrusted,
}

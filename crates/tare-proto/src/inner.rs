//! A layer inside a guest. The probe that is PID 1 of the guest starts that layer instead of measuring itself.

use serde::{Deserialize, Serialize};

/// Where such a probe finds its [`Inner`], as JSON.
pub const INNER: &str = "/tare-inner";

/// A layer inside a guest: how to start it. Its standard input and output are the guest's line, so that the host hears
/// the probe inside it; its standard error is the console.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inner {
    /// File systems to mount first, beside the usual ones (`xenfs`), and where.
    pub mounts: Vec<(String, String)>,
    /// Programs that run to their end before it, one after the other; each must succeed.
    pub steps: Vec<Vec<String>>,
    /// The layer's program and its arguments.
    pub program: Vec<String>,
    /// The whole environment of all of them.
    pub env: Vec<(String, String)>,
}

//! `tare --version`: which tare this is, which probe it carries, and which campaigns it reads.

use crate::carried::PROBE;
use tare_store::SCHEMA_VERSION;

/// The version as `--version` prints it.
pub fn text() -> String {
    format!(
        "tare {} ({})\nprobe {}\ncampaign schema {SCHEMA_VERSION}, reads 1 to {SCHEMA_VERSION}\n",
        env!("CARGO_PKG_VERSION"),
        env!("TARE_COMMIT_TEXT"),
        PROBE.sha256(),
    )
}

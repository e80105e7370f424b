//! One message as one line: `tare1 <crc32> <json>\n`.

use crate::harmless::harmless;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// Opens every protocol line; the digit is the framing's version.
const PREFIX: &str = "tare1 ";

/// Longest line that is read, in bytes: a full series of [`crate::MAX_SAMPLES`] samples fits.
pub const MAX_LINE: usize = 1 << 20;

/// Most characters of a complaint about a line.
const MAX_COMPLAINT: usize = 200;

/// Why a line is not a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineError {
    /// No protocol prefix: console output, kept for the log.
    Noise,
    /// The prefix is there but the frame is not whole (cut short or overwritten).
    Truncated,
    /// The checksum does not match: bytes were lost or changed on the way.
    Checksum,
    /// The checksum matches but the message is not one we know; the text says why.
    Unknown(String),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::Noise => f.write_str("not a protocol line"),
            LineError::Truncated => f.write_str("truncated protocol line"),
            LineError::Checksum => f.write_str("protocol line with a wrong checksum"),
            LineError::Unknown(why) => write!(f, "unknown message: {why}"),
        }
    }
}

impl std::error::Error for LineError {}

/// `message` as a line, its newline included.
pub fn encode<T: Serialize>(message: &T) -> String {
    // Serialising our own message types cannot fail: no maps with odd keys, no fallible impls.
    let json = serde_json::to_string(message).unwrap_or_default();
    format!("{PREFIX}{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
}

/// The message in `line` (without or with its line ending).
///
/// Console noise may stand before the prefix on a shared line; it is passed over.
pub fn decode<T: DeserializeOwned>(line: &str) -> Result<T, LineError> {
    let line = line.trim_end_matches(['\n', '\r']);
    let frame = line.rfind(PREFIX).ok_or(LineError::Noise)? + PREFIX.len();
    let (sum, json) = line[frame..].split_once(' ').ok_or(LineError::Truncated)?;
    if sum.len() != 8 {
        return Err(LineError::Truncated);
    }
    if format!("{:08x}", crc32fast::hash(json.as_bytes())) != sum {
        return Err(LineError::Checksum);
    }
    // What serde complains of, it quotes, and a line may be long.
    serde_json::from_str(json)
        .map_err(|e| LineError::Unknown(harmless(&e.to_string(), MAX_COMPLAINT)))
}

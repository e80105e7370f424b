//! One message as one line: `tare1 <crc32> <json>\n`.

use crate::harmless::harmless;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// Opens every protocol line; the digit is the framing's version.
const PREFIX: &str = "tare1 ";

/// Longest line that is read, in bytes: a full series of [`crate::MAX_SAMPLES`] samples fits.
pub const MAX_LINE: usize = 1 << 20;

/// Most prefixes of a line that are taken for the begin of its message: noise may hold some, and the message itself any number.
const MOST_BEGINS: usize = 16;

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
/// Console noise may stand before the prefix on a shared line; it is passed over. The message begins at the first prefix whose
/// checksum matches, since noise and texts in a message may hold the prefix, too.
pub fn decode<T: DeserializeOwned>(line: &str) -> Result<T, LineError> {
    let line = line.trim_end_matches(['\n', '\r']);
    let mut why = LineError::Noise;
    for (at, _) in line.match_indices(PREFIX).take(MOST_BEGINS) {
        match framed(&line[at + PREFIX.len()..]) {
            // What serde complains of, it quotes, and a line may be long.
            Ok(json) => {
                return serde_json::from_str(json)
                    .map_err(|e| LineError::Unknown(harmless(&e.to_string(), MAX_COMPLAINT)));
            }
            Err(how) if why != LineError::Checksum => why = how,
            Err(_) => {}
        }
    }
    Err(why)
}

/// What stands behind a checksum that matches it.
fn framed(frame: &str) -> Result<&str, LineError> {
    let (sum, json) = frame.split_once(' ').ok_or(LineError::Truncated)?;
    if sum.len() != 8 {
        return Err(LineError::Truncated);
    }
    let matches = format!("{:08x}", crc32fast::hash(json.as_bytes())) == sum;
    matches.then_some(json).ok_or(LineError::Checksum)
}

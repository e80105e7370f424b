//! The wire between host and probe: one checksummed JSON line per message, over any byte stream.
//!
//! What comes from a layer is untrusted: lines are bounded, checksummed and checked before use.

mod bench;
mod line;
mod message;
mod reader;

pub use bench::{BenchInfo, Better, SuiteInfo, Unit};
pub use line::{LineError, MAX_LINE, decode, encode};
pub use message::{FromProbe, Hello, MAX_SAMPLES, Mitigation, PROTOCOL, Request, Series, ToProbe};
pub use reader::{Incoming, LineReader};

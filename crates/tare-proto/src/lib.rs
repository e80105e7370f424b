//! The wire between host and probe: one checksummed JSON line per message, over any byte stream.
//!
//! What comes from a layer is untrusted: lines are bounded, checksummed and checked before use.

mod balloon;
mod bench;
mod call_class;
#[cfg(target_pointer_width = "64")]
mod call_names;
pub mod counter;
mod disk;
pub mod fork;
mod harmless;
mod inner;
mod line;
mod load;
mod machine;
pub mod mark;
mod message;
mod net;
mod operation;
pub mod outside;
pub mod perf_event;
mod program;
mod quota;
mod reader;
mod series;
mod state;
mod untrusted;

pub use balloon::{BALLOON, BALLOON_COUNTER, Balloon, MOVED_BY_HOST, MOVED_UNSEEN};
pub use bench::{BenchInfo, Better, FIRST_DEFINITION, SuiteInfo, Unit};
pub use call_class::{CallClass, Way, call_class, kib_class, transfer_class, transfer_kind};
#[cfg(target_pointer_width = "64")]
pub use call_names::call_name;
pub use disk::{DISK, DISK_FILES, DISK_FOLDER, NO_DISK};
pub use harmless::{harmless, harmless_lines, steers};
pub use inner::{INNER, Inner};
pub use line::{LineError, MAX_LINE, decode, encode};
pub use load::{at_load, name_and_load, throughput};
pub use machine::Machine;
pub use message::{FromProbe, Hello, Mitigation, PROTOCOL, Request, SCRIPT, ToProbe};
pub use net::{NET, NET_NAMESPACE, NET_OWN, Peer};
pub use operation::{
    CODE, COMPUTE, COUNTED_SHARE, OPERATION_COUNTER, OPERATION_ROW, OPERATIONS, Operation,
    REMEMBERED_NAMES, RESUME, RESUMED, Work, operation,
};
pub use program::{
    Around, COUNT_OPERATIONS, ITSELF, MAX_OUTPUT, MAX_OUTPUTS, Program, ROOT, ROOT_DISK,
    ROOT_FOLDER, ROOT_HERE, ROOT_HOSTFS, ROOT_IMAGE, ROOT_NONE, ROOT_OVERLAY,
};
pub use quota::{cpu_quota, stopped_by_quota};
pub use reader::{Incoming, LineReader};
pub use series::{Counter, MAX_COUNTERS, MAX_SAMPLES, Series, Turn};
pub use state::{STATE_COMMAND, STATE_FILL, STATE_IDENTITY, STATE_REQUEST, STATE_TOUCH};
pub use untrusted::{Foreign, Untrusted};

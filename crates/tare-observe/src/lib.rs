//! Watches threads from outside while some work goes on: system calls by name, switches, signals, faults and wake-ups as the host's
//! kernel sees them, and where the time went. It knows no layer and no benchmark: whoever calls it says which threads are whose.
//!
//! An [`Observer`] holds one group of perf events and one ring a CPU. A window ([`Observer::watch`]) is as a rule so short that its
//! records fit into the rings, and nothing reads them meanwhile: the reader would take a CPU from what is watched.

mod counter;
mod counts;
mod elf;
mod event;
mod exits;
mod files;
mod gopclntab;
mod images;
mod kallsyms;
mod linked;
mod mangled;
mod modes;
mod observer;
mod path;
mod places;
mod points;
mod processor;
mod read;
mod record;
mod refused;
mod registers;
mod ring;
mod stopped;
mod story;
mod symbols;
mod threads;
mod tracefs;
mod tracepoint;
mod wakeups;
mod within;

pub use counter::{Counter, PROCESSOR};
pub use counts::{Figures, counts};
pub use files::Files;
pub use linked::{Linked, Modules};
pub use modes::{looks, on_cpu, split};
pub use observer::{Observer, RINGS, Trace, What};
pub use path::path;
pub use places::{places, shares};
pub use points::Missing;
pub use processor::processor;
pub use record::{Asked, Counted, Happened, Identity, Look, Mapping, Record};
pub use refused::Refused;
pub use registers::Registers;
pub use stopped::stopped;
pub use threads::Threads;
pub use wakeups::Wakeups;
pub use within::{scaled, within};

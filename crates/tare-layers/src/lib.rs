//! Boots layers: what each needs, how it starts, and the session with the probe inside it.
//!
//! A layer only says how it starts ([`Launch`]); a [`Session`] runs it under a keeper process that
//! ends and removes all of it whatever happens to tare. Layers know no benchmark.

pub mod affinity;
mod availability;
mod bundle;
mod cache;
mod console;
mod counting;
mod disk;
mod error;
mod explain;
mod files;
mod initramfs;
mod keep;
mod keeper;
mod kernel;
mod launch;
mod layer;
mod layers;
mod line;
mod modules;
mod net;
mod package;
mod procs;
mod programs;
mod session;
mod settings;
mod unpack;
mod version;
mod vmm;

pub use availability::{Remedy, Unavailable};
pub use cache::cache_folder;
pub use counting::{CountError, Counts, Plugin};
pub use disk::Image;
pub use error::SessionError;
pub use explain::explain;
pub use keep::keep;
pub use keeper::Keeper;
pub use launch::{Artifact, Helper, Launch, Program};
pub use layer::{BootSpec, Host, Layer};
pub use layers::{KINDS, LayerKind, configure, kinds_of, usual};
pub use line::Stamped;
pub use programs::output;
pub use session::{Answer, BootName, Ended, Greeting, Session};
pub use settings::{Setting, SettingError, Settings, suggestion};

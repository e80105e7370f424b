//! Boots layers: what each needs, how it starts, and the session with the probe inside it.
//!
//! A layer only says how it starts ([`Launch`]); a [`Session`] runs it under a keeper process that
//! ends and removes all of it whatever happens to tare. Layers know no benchmark.

pub mod affinity;
mod availability;
mod begin;
mod boot;
mod bundle;
mod cache;
mod console;
mod consumed;
mod counting;
mod disk;
mod end;
mod error;
mod estate;
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
mod mounts;
mod net;
mod orders;
mod package;
mod patience;
mod procs;
mod programs;
mod record;
mod registers;
mod session;
mod settings;
mod unpack;
mod used;
mod version;
mod vmm;

pub use availability::{Remedy, Unavailable};
pub use boot::{Answer, BootName, Ended, Greeting, fresh_id};
pub use cache::cache_folder;
pub use counting::{CountError, Counts, Plugin};
pub use disk::Image;
pub use error::SessionError;
pub use explain::explain;
pub use keep::keep;
pub use keeper::Keeper;
pub use launch::{Artifact, Helper, Launch, Program, Step};
pub use layer::{BootSpec, Host, Layer};
pub use layers::{KINDS, LayerKind, Unnamed, configure, kinds_of, usual};
pub use line::Stamped;
pub use patience::{Patience, Waited};
pub use programs::output;
pub use record::{Swept, sweep};
pub use session::Session;
pub use settings::{Setting, SettingError, Settings, suggestion};

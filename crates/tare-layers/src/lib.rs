//! Boots layers: what each needs, how it starts, and the session with the probe inside it.
//!
//! A layer only says how it starts ([`Launch`]); a [`Session`] runs it under a keeper process that
//! ends and removes all of it whatever happens to tare. Layers know no benchmark.

mod availability;
mod console;
mod explain;
mod initramfs;
mod keeper;
mod kernel;
mod launch;
mod layer;
mod layers;
mod procs;
mod programs;
mod session;
mod settings;

pub use availability::{Remedy, Unavailable};
pub use explain::explain;
pub use keeper::{Keeper, keep};
pub use launch::{Artifact, Launch, Program};
pub use layer::{BootSpec, Host, Layer};
pub use layers::{KINDS, LayerKind, configure};
pub use session::{Answer, BootName, Ended, Greeting, Session, SessionError, Stamped};
pub use settings::{Setting, SettingError, Settings};

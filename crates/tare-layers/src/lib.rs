//! Boots layers: what each needs, how it starts, and the session with the probe inside it.
//!
//! A layer only says how it starts ([`Launch`]); a [`Session`] runs it under a keeper process that
//! ends and removes all of it whatever happens to tare. Layers know no benchmark.

pub mod affinity;
mod artifacts;
mod availability;
mod balloon;
mod bounded;
mod cache;
mod counting;
mod disk;
mod error;
mod explain;
mod hardware;
mod image;
mod keeper;
mod kept;
mod launch;
mod layer;
mod layers;
mod mounts;
mod net;
mod open_files;
mod page_cache;
mod pages;
mod patience;
mod programs;
mod registers;
mod root;
mod roots;
mod session;
mod settings;
mod spares;
mod terminal;
mod threads;
mod vmm;
mod whereabouts;
mod work;

pub use artifacts::versions::{is_pattern, kernels, unknown_packages};
pub use availability::{Remedy, Unavailable};
pub use cache::{cache_folder, is_own_file};
pub use counting::{CountError, Counts, Plugin};
pub use error::SessionError;
pub use explain::explain;
pub use image::Image;
pub use keeper::keep::keep;
pub use keeper::procs::Processes;
pub use keeper::record::{Swept, sweep};
pub use launch::{Artifact, Helper, Keeper, Launch, ProcessesAre, Program, Second, Step};
pub use layer::{BootSpec, Host, Layer};
pub use layers::{
    KINDS, LayerKind, Recipe, Tested, Unnamed, configure, has_counters, kinds_of, takes_image,
    usual, with_root,
};
pub use mounts::Mounts;
pub use page_cache::{Dropped, drop_cached};
pub use pages::Pages;
pub use patience::{Patience, Waited};
pub use programs::{find as program, output};
pub use roots::{HeldRoot, KeptRoot, Maker, ReadyRoot, RootRecipe, clear, hold_again, list, ready};
pub use session::Session;
pub use session::boot::{Answer, BootName, Ended, Greeting, Turn, fresh_id};
pub use session::line::Stamped;
pub use session::phases::Phases;
pub use settings::{Setting, SettingError, Settings, split_at_commas, suggestion};
pub use spares::Spares;
pub use threads::no_thread;
pub use work::remove_unfinished;

//! Layers: what each needs of the host, what it is given, and how it starts.
//!
//! A layer only says how it starts ([`Launch`]); [`start`] boots it under a keeper (the crate `tare-keeper`), which ends and
//! removes all of it whatever happens to tare. Layers know no benchmark.

mod aliases;
mod artifacts;
mod attach;
mod counting;
mod explain;
mod files;
mod kvm;
mod layer;
mod layers;
mod rootfs;
mod settings;
mod snapshot;

pub use aliases::other_names;
pub use artifacts::kernel_packages::{is_pattern, kernels, unknown_packages};
pub use attach::lacking::lacking;
pub use attach::scratch::{DiskFolder, disk_folder};
pub use counting::{Called, CountError, Counted, Counts, LoadedModule, Plugin};
pub use explain::explain;
pub use files::page_cache::{Dropped, drop_cached};
pub use files::work::remove_unfinished;
pub use layer::{BootName, BootSpec, Cpus, Host, Layer, Saved, start};
pub use layers::fork::{ForkError, PLAN as MACHINE_PLAN, run as run_machine};
pub use layers::{
    KINDS, LayerKind, Recipe, SERVED, Tested, Unnamed, configure, has_counters, kinds_of,
    takes_image, usual, with_root,
};
pub use rootfs::{
    HeldRoot, KeptRoot, Maker, ReadyRoot, RootRecipe, check_image, clear, hold_again, list, ready,
};
pub use settings::{Setting, SettingError, Settings, split_at_commas, suggestion};
pub use tare_keeper::cache::{cache_folder, is_own_file};
pub use tare_keeper::programs::{before_install, find as program, output};
pub use tare_keeper::threads::no_thread;
pub use tare_keeper::{
    Answer, Artifact, Ended, Greeting, Held, Keeper, Launch, Mounts, PROBE, Pages, Patience,
    Phases, Processes, ProcessesAre, Program, Room, Saving, Second, Session, SessionError, Sign,
    Spares, Stamped, Step, Swept, Turn, USUAL, Unavailable, Waited, Whose, affinity, fresh_id,
    has_hosts_kernel, has_measured_layer, keep, sweep,
};

//! Starts a program under a keeper, a process that ends and removes all of it whatever happens to tare, and holds the
//! conversation with the probe inside. What the program is, a layer or what makes a root, is its caller's affair.

mod error;
mod host;
mod keeper;
mod launch;
mod monitor;
mod patience;
mod processes;
mod session;

pub use error::{ProgramError, SessionError};
pub use host::availability::{Unavailable, user_namespaces};
pub use host::{cache, knobs, programs, threads};
pub use keeper::id::fresh_id;
pub use keeper::keep::keep;
pub use keeper::mounts::{plain as unescaped, remove as remove_with_mounts};
pub use keeper::record::{Swept, sweep};
pub use keeper::room::Room;
pub use keeper::share::{has_measured_layer, shares};
pub use keeper::{Keeper, knobs::Knobs, spares::Spares};
pub use launch::image::{Image, make_file_system};
pub use launch::mounts::Mounts;
pub use launch::pages::Pages;
pub use launch::saving::Saving;
pub use launch::{
    Artifact, Conversation, Helper, Launch, ProcessesAre, Program, Second, Step, affinity, mounts,
    registers,
};
pub use monitor::{Monitor, MonitorError};
pub use patience::{Patience, Waited};
pub use processes::Processes;
pub use processes::memory::Held;
pub use processes::whose::{PROBE, Sign, USUAL, Whose, has_hosts_kernel};
pub use session::boot::{Answer, Ended, Greeting, Turn};
pub use session::consumed::Memory;
pub use session::line::Stamped;
pub use session::phases::Phases;
pub use session::save::Saved;
pub use session::{Boot, Session};

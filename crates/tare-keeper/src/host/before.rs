//! Where knobs of this host stood before tare turned them.

use crate::host::knobs::Knob;
use nix::fcntl::Flock;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;

/// What tells the host's starts apart.
const START: &str = "/proc/sys/kernel/random/boot_id";

/// Where a knob stood before tare turned it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Before {
    knob: String,
    pub value: String,
    /// The start of the host in which that was so.
    start: String,
}

impl Before {
    /// Where the knobs of these names stand.
    pub fn of(names: &[String]) -> io::Result<Vec<Before>> {
        let before = |knob: &Knob| {
            let start = fs::read_to_string(START)?;
            Ok(Before { knob: knob.name.into(), value: knob.read()?, start })
        };
        names.iter().filter_map(|name| Knob::named(name)).map(before).collect()
    }

    /// Puts the knob back, unless the host has been started anew since.
    pub fn restore(&self) -> io::Result<()> {
        match Knob::named(&self.knob) {
            Some(knob) if fs::read_to_string(START)? == self.start => knob.set(&self.value),
            _ => Ok(()),
        }
    }
}

/// Takes knobs for this process, a keeper, as long as the files are open, and says where they stand.
pub(crate) fn take(names: &[String]) -> io::Result<(Vec<Flock<File>>, Vec<Before>)> {
    let knobs = names.iter().filter_map(|name| Knob::named(name));
    let locks = knobs.map(Knob::lock).collect::<io::Result<_>>()?;
    Ok((locks, Before::of(names)?))
}

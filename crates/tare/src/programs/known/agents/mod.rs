//! The suite `agents`: what sandboxes for coding agents do all day, offline and the same every time, one file and one row each.

/// Shell text that fills the current folder with so many folders of fifty files with numbers.
macro_rules! tree {
    ($folders:literal) => {
        concat!(
            "i=0; while [ $i -lt ",
            $folders,
            " ]; do mkdir d$i; j=0; while [ $j -lt 50 ]; do seq $i $((i + 9 * j)) > d$i/f$j; j=$((j + 1)); done; \
             i=$((i + 1)); done"
        )
    };
}

mod cargo;
mod clone;
mod go;
mod npm;
mod pip;
mod pytest;
mod search;
mod shell;
mod unpack;

use super::{Known, PLAIN as PROGRAM};
use tare_proto::SuiteInfo;

/// The name of the suite, and what its rows begin with.
pub const SUITE: &str = "agents";

/// What most of them have none of.
const PLAIN: Known = Known { suite: SUITE, ..PROGRAM };

/// Every task, in the scoreboard's order.
pub const ALL: &[&Known] = &[
    &clone::TASK,
    &npm::TASK,
    &pip::TASK,
    &pytest::TASK,
    &cargo::TASK,
    &go::TASK,
    &search::TASK,
    &unpack::TASK,
    &shell::TASK,
];

pub fn suite() -> SuiteInfo {
    let about = "what coding agents do in sandboxes: clones, installations, tests, builds, searches; from Debian's packages, as root, with mmdebstrap";
    SuiteInfo { name: SUITE.into(), about: about.into() }
}

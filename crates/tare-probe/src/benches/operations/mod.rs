//! The suite `operations`: what one operation of each class costs that programs are counted by ([`tare_proto::OPERATIONS`]).
//! `tare predict` multiplies these by a program's counts.
//!
//! Most rows do one thing a program does; what a row needs beside it (the fork below an exec) is subtracted. Operations
//! that wait stay on one CPU, so that their time is what they take, not how long others let them wait.
//!
//! A price is a mean, since a program pays the mean: also for what a layer does only now and then, such as the collection of
//! garbage in gVisor's kernel. The best samples of a series show none of that.

mod calls;
mod code;
mod cold;
mod compute;
mod files;
mod lacking;
mod memory;
mod messages;
mod processes;
mod room;
mod tmpfs;

use crate::bench::{Bench, Op, Refusal};

/// The suite's name.
pub const SUITE: &str = "operations";

/// Every row, in families.
pub const TABLES: &[&[Bench]] = &[
    calls::ROWS,
    files::ROWS,
    cold::ROWS,
    tmpfs::ROWS,
    messages::ROWS,
    memory::ROWS,
    processes::ROWS,
    compute::ROWS,
    code::ROWS,
];

/// Samples of a layer that takes them all at once: long enough for a few collections of garbage.
const SAMPLES: u32 = 60;

/// A row of the suite.
const fn row(
    name: &'static str,
    about: &'static str,
    prepare: fn() -> Result<Op, Refusal>,
) -> Bench {
    let row = Bench::primitive(SUITE, name, about, prepare);
    Bench { estimator: "mean", samples: SAMPLES, ..row }
}

/// A row of files as programs see them: in the root of the layer's programs.
const fn rooted(
    name: &'static str,
    about: &'static str,
    prepare: fn() -> Result<Op, Refusal>,
) -> Bench {
    Bench { needs: "root", ..row(name, about, prepare) }
}

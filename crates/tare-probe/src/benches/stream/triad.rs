//! STREAM Triad: a = b + 3 c over arrays of four last-level caches, 24 bytes an element

use super::{TRIAD, measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "stream/triad",
    "STREAM Triad: a = b + 3 c over arrays of four last-level caches, 24 bytes an element",
    |own| measure(own, &TRIAD, Pages::Default),
);

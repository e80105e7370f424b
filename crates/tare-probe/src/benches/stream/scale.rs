//! STREAM Scale: b = 3 c over arrays of four last-level caches, 16 bytes an element

use super::{SCALE, measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "stream/scale",
    "STREAM Scale: b = 3 c over arrays of four last-level caches, 16 bytes an element",
    |own| measure(own, &SCALE, Pages::Default),
);

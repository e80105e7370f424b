//! STREAM Copy: c = a over arrays of four last-level caches, 16 bytes an element

use super::{COPY, measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "stream/copy",
    "STREAM Copy: c = a over arrays of four last-level caches, 16 bytes an element",
    |own| measure(own, &COPY, Pages::Default),
);

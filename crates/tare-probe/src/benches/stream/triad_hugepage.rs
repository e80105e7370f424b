//! STREAM Triad in transparent huge pages, asked for by madvise(2)

use super::{TRIAD, measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "stream/triad_hugepage",
    "STREAM Triad in transparent huge pages, asked for by madvise(2)",
    |own| measure(own, &TRIAD, Pages::Huge),
);

//! STREAM Triad in base pages only, whatever the layer would give

use super::{TRIAD, measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "stream/triad_basepage",
    "STREAM Triad in base pages only, whatever the layer would give",
    |own| measure(own, &TRIAD, Pages::Base),
);

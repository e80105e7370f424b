//! STREAM Add: c = a + b over arrays of four last-level caches, 24 bytes an element

use super::{ADD, measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "stream/add",
    "STREAM Add: c = a + b over arrays of four last-level caches, 24 bytes an element",
    |own| measure(own, &ADD, Pages::Default),
);

//! Transactions of all warehouses, in transparent huge pages.

use super::{measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "warehouse/mix_hugepage",
    "transactions of warehouses, a thread each, over twice the cache, in transparent huge pages",
    |own| measure(own, Pages::Huge),
);

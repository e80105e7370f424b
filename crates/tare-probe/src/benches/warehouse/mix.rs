//! Transactions of all warehouses, in base pages.

use super::{measure, row};
use crate::bench::Bench;
use crate::memory::Pages;

pub const BENCH: Bench = row(
    "warehouse/mix",
    "transactions of warehouses, a thread each, over twice the cache, in base pages",
    |own| measure(own, Pages::Base),
);

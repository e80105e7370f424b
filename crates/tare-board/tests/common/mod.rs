//! Campaigns made by hand.

#![allow(dead_code, unused_imports)] // not every test file uses every fixture

#[path = "../../../tare-report/tests/common/mod.rs"]
mod campaigns;
mod small;

pub use campaigns::*;
pub use small::*;

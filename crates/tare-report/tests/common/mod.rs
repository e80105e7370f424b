//! The campaigns that tare-board's tests judge, to be written here.

#![allow(dead_code, unused_imports)] // not every test file uses every fixture

#[path = "../../../tare-board/tests/common/mod.rs"]
mod campaigns;

pub use campaigns::*;

//! Parts of the probe that can be tried without starting it. It has an entry point of its own, so their files are taken in here, with
//! the tests that stand in them.

#![allow(dead_code, reason = "the probe uses what no test does")]

#[path = "../src/program/cold.rs"]
mod cold;
#[path = "../src/facts.rs"]
mod facts;
#[path = "../src/modules.rs"]
mod modules;
#[path = "../src/program/place.rs"]
mod place;
#[path = "../src/program/sampled.rs"]
mod sampled;
#[path = "../src/sys.rs"]
mod sys;
#[path = "../src/program/transfers.rs"]
mod transfers;

//! `tare-blk`: a paravirtual disk in time. A block device over vhost-user (the back end), a driver of it without any guest
//! (the front end), and what lies between them as settings: segments, the ring's length, indirect descriptors, queues, locks.
//!
//! The way of a request: `front/load.rs` asks for a block, `front/virtio.rs` splits it and puts it into the ring
//! (`front/ring.rs`), `backend.rs` is woken and takes it out (`lane.rs`, `request.rs`), a `device` answers, and all the way
//! back. `measure.rs` does that for a while, `suite` for all of report 001's questions.
//!
//! What comes through the ring or the socket is untrusted at both ends: addresses are looked up, lengths bounded, answers
//! compared with what was asked.

mod backend;
pub mod cli;
mod device;
mod error;
pub mod front;
mod lane;
pub mod measure;
mod outcome;
mod polling;
mod process;
mod request;
mod serve;
pub mod settings;
mod suite;

pub use error::Error;

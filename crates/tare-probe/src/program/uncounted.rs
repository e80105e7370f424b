//! The operations of a program on a 32-bit machine: none are counted, since the numbers of its calls are others.

use super::run::Surroundings;
use std::io;
use tare_proto::Counter;

/// Says so.
pub fn count(_: &Surroundings, _: f64, _: Option<f64>) -> io::Result<Vec<Counter>> {
    Err(io::Error::other("calls are counted on 64-bit machines only"))
}

/// The operations of a process that runs already.
pub mod attached {
    /// Says so, too.
    pub fn main(_: &str, _: &str) -> i32 {
        eprintln!("tare-probe: calls are counted on 64-bit machines only");
        1
    }
}

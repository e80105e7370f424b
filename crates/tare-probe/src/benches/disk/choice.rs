//! Which engine: io_uring, Linux's older asynchronous calls where that is refused, one request after the other where
//! both are.

use super::Job;
use super::aio::Aio;
use super::buffers::Buffers;
use super::engine::Engine;
use super::plain::Plain;
use super::target::Disk;
use crate::bench::Refusal;
use std::io;

/// The best engine that works here: it has read the first block.
pub fn choose(
    disk: &Disk,
    job: &Job,
    buffers: &mut Buffers,
    depth: usize,
) -> Result<Box<dyn Engine>, Refusal> {
    if job.aio {
        let engine = Aio::new(disk, job.write, buffers, depth).and_then(tried);
        return engine.map_err(|error| Refusal::Unavailable(format!("io_submit: {error}")));
    }
    let refused = match uring(disk, job.write, buffers, depth) {
        Ok(engine) => return Ok(engine),
        Err(error) => error,
    };
    let refused_too = match Aio::new(disk, job.write, buffers, depth).and_then(tried) {
        Ok(engine) => return Ok(engine),
        Err(error) => error,
    };
    if depth > 1 {
        return Err(Refusal::Unavailable(format!(
            "{depth} requests at once need io_uring ({refused}) or io_submit ({refused_too})"
        )));
    }
    Ok(Plain::new(disk, job.write, buffers).and_then(tried)?)
}

#[cfg(target_pointer_width = "64")]
fn uring(
    disk: &Disk,
    write: bool,
    buffers: &mut Buffers,
    depth: usize,
) -> io::Result<Box<dyn Engine>> {
    super::uring::Uring::new(disk, write, buffers, depth).and_then(tried)
}

#[cfg(target_pointer_width = "32")]
fn uring(_: &Disk, _: bool, _: &mut Buffers, _: usize) -> io::Result<Box<dyn Engine>> {
    Err(io::Error::other("tare speaks it on 64-bit machines only"))
}

/// `engine` after it has made one request: some layers have the calls but not what they do.
fn tried<E: Engine + 'static>(mut engine: E) -> io::Result<Box<dyn Engine>> {
    let mut done = Vec::new();
    engine.push(0, 0)?;
    engine.wait(&mut done)?;
    match done.first() {
        Some(&(0, bytes)) if bytes > 0 => Ok(Box::new(engine)),
        Some(&(0, error)) => Err(io::Error::from_raw_os_error(-error as i32)),
        _ => Err(io::Error::other("a request did not come back")),
    }
}

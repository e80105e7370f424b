//! Threads, where the kernel may refuse to start one: processes are limited.

use crate::Unavailable;
use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts `work` in a thread of its own.
pub fn start<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().spawn(work).map_err(|e| io::Error::new(e.kind(), no_thread(&e).why))
}

/// What to do where the kernel refuses a process or a thread.
pub const MORE_PROCESSES: &str =
    "allow more processes (ulimit -u, a container's limit of processes, TasksMax)";

/// Why tare cannot go on without a thread, and what to do.
pub fn no_thread(why: &io::Error) -> Unavailable {
    Unavailable::new(format!("no thread can be started: {why}"), MORE_PROCESSES)
}

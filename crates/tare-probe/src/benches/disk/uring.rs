//! Requests through io_uring(7).

use super::buffers::Buffers;
use super::engine::{Done, Engine};
use super::target::Disk;
use io_uring::{IoUring, opcode, types};
use std::io;
use std::os::fd::AsRawFd;

/// A ring with room for every buffer.
pub struct Uring {
    ring: IoUring,
    file: types::Fd,
    write: bool,
    blocks: Vec<*mut u8>,
    size: u32,
}

impl Uring {
    /// A ring for `depth` requests to `disk`. It must not outlive `disk` and `buffers`.
    pub fn new(disk: &Disk, write: bool, buffers: &mut Buffers, depth: usize) -> io::Result<Uring> {
        Ok(Uring {
            ring: IoUring::new(depth as u32)?,
            file: types::Fd(disk.file.as_raw_fd()),
            write,
            blocks: buffers.blocks(),
            size: buffers.size() as u32,
        })
    }
}

impl Engine for Uring {
    fn name(&self) -> &'static str {
        "io_uring"
    }

    fn push(&mut self, slot: usize, offset: u64) -> io::Result<()> {
        let block = self.blocks[slot];
        let entry = match self.write {
            true => opcode::Write::new(self.file, block, self.size).offset(offset).build(),
            false => opcode::Read::new(self.file, block, self.size).offset(offset).build(),
        };
        let entry = entry.user_data(slot as u64);
        let mut queue = self.ring.submission();
        // SAFETY: the block is used by this request only until it has ended, and outlives the ring.
        unsafe { queue.push(&entry) }.map_err(|_| io::Error::from(io::ErrorKind::WouldBlock))?;
        drop(queue);
        retry(|| self.ring.submit())
    }

    fn wait(&mut self, done: &mut Vec<Done>) -> io::Result<()> {
        retry(|| self.ring.submit_and_wait(1))?;
        let ended = self.ring.completion();
        done.extend(ended.map(|one| (one.user_data() as usize, i64::from(one.result()))));
        Ok(())
    }
}

fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<()> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other.map(drop),
        }
    }
}

//! One request at a time: pread(2) and pwrite(2).

use super::buffers::Buffers;
use super::engine::{Done, Engine};
use super::target::Disk;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

pub struct Plain {
    file: File,
    write: bool,
    buffers: Buffers,
    next: Option<(usize, u64)>,
}

impl Plain {
    /// Requests to `disk` from and to a buffer of its own, as large as one of `buffers`.
    pub fn new(disk: &Disk, write: bool, buffers: &Buffers) -> io::Result<Plain> {
        let (file, buffers) = (disk.file.try_clone()?, buffers.first());
        Ok(Plain { file, write, buffers, next: None })
    }
}

impl Engine for Plain {
    fn name(&self) -> &'static str {
        "pread"
    }

    fn push(&mut self, slot: usize, offset: u64) -> io::Result<()> {
        self.next = Some((slot, offset));
        Ok(())
    }

    fn wait(&mut self, done: &mut Vec<Done>) -> io::Result<()> {
        let (slot, offset) = self.next.take().ok_or(io::ErrorKind::WouldBlock)?;
        let block = self.buffers.bytes();
        let result = match self.write {
            true => self.file.write_at(block, offset),
            false => self.file.read_at(block, offset),
        };
        done.push((
            slot,
            result.map_or_else(|e| -i64::from(e.raw_os_error().unwrap_or(5)), |n| n as i64),
        ));
        Ok(())
    }
}

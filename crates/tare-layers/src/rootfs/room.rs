//! How much may come out of the archives of a root: a small one may unpack to more than any disk holds.

use super::error::RootError;
use std::cell::Cell;
use std::io::{self, Read};

/// Most entries and bytes of a root.
const ENTRIES: usize = 2_000_000;
pub(super) const BYTES: u64 = 32 << 30;

/// An archive may unpack to so many times its own size, and to so much in any case: what people pack becomes a tenth of it at best.
const TIMES: u64 = 100;
const ANYWAY: u64 = 64 << 20;

/// Most bytes before an entry: a name may be of any length, and is kept in memory.
const NAMES: u64 = 1 << 20;

/// What is left of what one root may take.
pub(super) struct Room {
    entries: usize,
    bytes: u64,
    interrupted: fn() -> bool,
}

impl Room {
    /// All of it, until somebody asks tare to end.
    pub fn new(interrupted: fn() -> bool) -> Room {
        Room { entries: ENTRIES, bytes: BYTES, interrupted }
    }

    /// The part of an archive that takes `packed` bytes.
    pub fn of_archive(&mut self, packed: u64) -> Part<'_> {
        let most = packed.saturating_mul(TIMES).max(ANYWAY);
        Part { room: self, most, left: most }
    }
}

/// What one archive may take of it.
pub(super) struct Part<'a> {
    room: &'a mut Room,
    most: u64,
    left: u64,
}

impl Part<'_> {
    /// Takes what an entry of `size` bytes needs.
    pub fn take(&mut self, size: u64) -> Result<(), RootError> {
        if (self.room.interrupted)() {
            return Err(RootError::Interrupted);
        }
        let take = |of: &mut u64| of.checked_sub(size).map(|left| *of = left);
        if take(&mut self.left).is_none() {
            let most = self.most >> 20;
            return Err(RootError::TooLarge(format!(
                "it unpacks to more than {most} MiB, {TIMES} times its own size (or {} MiB)",
                ANYWAY >> 20
            )));
        }
        if take(&mut self.room.bytes).is_none() {
            return Err(RootError::TooLarge(format!(
                "it unpacks to more than {} GiB, the limit for a root",
                BYTES >> 30
            )));
        }
        let Some(left) = self.room.entries.checked_sub(1) else {
            return Err(RootError::TooLarge(format!(
                "it holds more than {ENTRIES} files, the limit for a root"
            )));
        };
        self.room.entries = left;
        Ok(())
    }
}

/// A stream of which no more than is left may be read.
pub(super) struct Measured<'a, R> {
    pub stream: R,
    pub left: &'a Cell<u64>,
}

/// Before an entry is looked for, and while its content is read.
pub(super) fn between(left: &Cell<u64>) {
    left.set(NAMES);
}
pub(super) fn inside(left: &Cell<u64>) {
    left.set(u64::MAX);
}

impl<R: Read> Read for Measured<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        let long = || io::Error::other(format!("a name in it is longer than {} KiB", NAMES >> 10));
        self.left.set(left.ok_or_else(long)?);
        Ok(read)
    }
}

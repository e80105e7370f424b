//! What answers requests at last: the same code below a ring and without one.

mod model;
mod null;
mod pread;
mod uring;

use crate::error::Error;
use crate::settings::{Engine, SECTOR, Settings, Source};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::{Arc, Mutex};

pub use model::Timeline;

/// A piece of memory that a request reads or fills.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Segment(libc::iovec);

// SAFETY: a segment is an address and a length; whoever follows it promises that it is valid (see `Device::begin`).
unsafe impl Send for Segment {}

impl Segment {
    /// `bytes` bytes from `base` on.
    pub fn new(base: *mut u8, bytes: usize) -> Self {
        Self(libc::iovec { iov_base: base.cast(), iov_len: bytes })
    }

    pub fn base(&self) -> *mut u8 {
        self.0.iov_base.cast()
    }

    pub fn bytes(&self) -> usize {
        self.0.iov_len
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Fill the segments.
    Read,
    /// Keep what the segments hold.
    Write,
    /// Keep all that was written through a loss of power.
    Flush,
}

pub struct Io<'a> {
    pub action: Action,
    /// Where, in bytes.
    pub offset: u64,
    /// The sum of the segments' bytes.
    pub bytes: u32,
    pub segments: &'a [Segment],
}

#[derive(Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is done already; whether it succeeded.
    Done(bool),
    /// [`Device::finished`] will name it.
    Later,
}

pub trait Device: Send {
    /// Begins a request. `token` is below the depth that the queue was made with, and no other request in flight has it.
    ///
    /// # Safety
    /// If the answer is [`Begun::Later`], the slice and the memory that its segments name stay valid until
    /// [`finished`](Device::finished) has named `token` or the device is dropped.
    unsafe fn begin(&mut self, token: u32, io: &Io<'_>) -> Begun;

    /// Sees to it that all that was begun goes on, and that `event` will tell.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Adds what has finished since: tokens, and whether they succeeded.
    fn finished(&mut self, _into: &mut Vec<(u32, bool)>) -> io::Result<()> {
        Ok(())
    }

    /// Becomes readable when something may have finished; none if nothing is ever finished later.
    fn event(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// A device whose queues are still to be made.
pub struct Medium {
    capacity: u64,
    kind: Kind,
}

enum Kind {
    Null,
    File { file: Arc<File>, engine: Engine },
    Model(Arc<Mutex<Timeline>>),
}

impl Medium {
    /// Opens what the settings name.
    ///
    /// # Errors
    /// A file that cannot be opened so, or that is shorter than a sector.
    pub fn open(settings: &Settings) -> Result<Self, Error> {
        let bytes = settings.mebibytes << 20;
        match &settings.device {
            Source::Null => Ok(Self { capacity: bytes, kind: Kind::Null }),
            Source::Model(model) => {
                let line = Arc::new(Mutex::new(Timeline::new(*model)));
                Ok(Self { capacity: bytes, kind: Kind::Model(line) })
            }
            Source::File(path) => {
                let mut options = OpenOptions::new();
                options.read(true).write(settings.writable);
                if !settings.cached {
                    options.custom_flags(libc::O_DIRECT);
                }
                let what = || format!("opening {}", path.display());
                let mut file = options.open(path).map_err(Error::system(what()))?;
                let end = file.seek(SeekFrom::End(0)).map_err(Error::system(what()))?;
                let capacity = end - end % SECTOR;
                if capacity == 0 {
                    return Err(Error::Setting(format!(
                        "{} is no disk: it has {end} bytes",
                        path.display()
                    )));
                }
                Ok(Self {
                    capacity,
                    kind: Kind::File { file: Arc::new(file), engine: settings.engine },
                })
            }
        }
    }

    /// Its size in bytes, a multiple of [`SECTOR`].
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// A queue of it for `depth` requests at a time.
    ///
    /// # Errors
    /// When the system refuses io_uring or a timer.
    pub fn queue(&self, depth: u32) -> Result<Box<dyn Device>, Error> {
        Ok(match &self.kind {
            Kind::Null => Box::new(null::Null),
            Kind::File { file, engine: Engine::Pread } => Box::new(pread::Pread::new(file.clone())),
            Kind::File { file, engine: Engine::IoUring } => {
                let ring = uring::Uring::new(file.clone(), depth);
                Box::new(ring.map_err(Error::system("io_uring (--engine pread needs none)"))?)
            }
            Kind::Model(line) => {
                Box::new(model::Modelled::new(line.clone()).map_err(Error::system("a timer"))?)
            }
        })
    }
}

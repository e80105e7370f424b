//! The memory that stands for a guest's: a memfd, sealed so that the back end can trust its length.

use crate::error::Error;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::sync::Arc;
use vm_memory::{ByteValued, FileOffset, MmapRegion, VolatileMemory};

/// The address at which the back end sees its first byte.
pub const BASE: u64 = 1 << 20;

/// Shared memory, given out piece by piece. Places in it are offsets from its start.
pub struct Shared {
    region: MmapRegion<()>,
    file: Arc<File>,
    given: usize,
}

impl Shared {
    /// Memory of at least `bytes` bytes.
    pub fn new(bytes: usize) -> Result<Self, Error> {
        let bytes = bytes.next_multiple_of(4096);
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let file = memfd_create(c"tare-blk", flags).map_err(Error::number("shared memory"))?;
        let file = Arc::new(File::from(file));
        file.set_len(bytes as u64).map_err(Error::system("shared memory"))?;
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&*file, FcntlArg::F_ADD_SEALS(seals))
            .map_err(Error::number("sealing shared memory"))?;
        let region = MmapRegion::from_file(FileOffset::from_arc(file.clone(), 0), bytes)
            .map_err(|why| Error::Setting(format!("shared memory: {why}")))?;
        Ok(Self { region, file, given: 0 })
    }

    /// The next `bytes` bytes, at a multiple of `align` (a power of two). All of them are zero.
    ///
    /// # Panics
    /// When the memory was made too small for its pieces.
    pub fn give(&mut self, bytes: usize, align: usize) -> usize {
        let start = self.given.next_multiple_of(align);
        self.given = start + bytes;
        assert!(self.given <= self.region.size(), "shared memory of {} bytes", self.region.size());
        start
    }

    /// Writes a value at a place.
    pub fn put<T: ByteValued>(&self, place: usize, value: T) {
        self.region.get_ref(place).expect("a place within the memory").store(value);
    }

    /// Reads a value at a place.
    pub fn get<T: ByteValued>(&self, place: usize) -> T {
        self.region.get_ref(place).expect("a place within the memory").load()
    }

    /// A number that both ends change.
    pub fn atomic(&self, place: usize) -> &std::sync::atomic::AtomicU16 {
        self.region.get_atomic_ref(place).expect("an even place within the memory")
    }

    /// Where `bytes` bytes from a place on lie in this process.
    pub fn address(&self, place: usize, bytes: usize) -> *mut u8 {
        let slice = self.region.get_slice(place, bytes).expect("places within the memory");
        slice.ptr_guard_mut().as_ptr()
    }

    /// Its file, to be passed on.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// How long it is.
    pub fn bytes(&self) -> usize {
        self.region.size()
    }
}

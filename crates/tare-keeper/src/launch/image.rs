//! Disk images: filled or sparse, and with a file system if requested.

use crate::programs;
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tare_proto::NO_DISK;

/// Longest time that making a file system may take.
pub(crate) const MAKING: Duration = Duration::from_secs(30);

/// Bytes that an image is filled with at once.
const CHUNK: usize = 1 << 20;

/// An image to be made before a layer starts; it lies in a folder that is removed with the boot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Where.
    pub path: PathBuf,
    /// How large.
    pub bytes: u64,
    /// Whether it gets a file system, empty, over what fills it.
    pub file_system: bool,
    /// Whether its blocks are taken when something is first written there; otherwise all of them are written before.
    #[serde(default)]
    pub sparse: bool,
}

impl Image {
    /// Makes the image, really written and on the disk; where that fails, one that holds the reason.
    /// `go_on` is asked at every step, and what it says ends the work.
    pub fn make(&self, go_on: &dyn Fn() -> io::Result<()>) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path).display();
        let named = |e| format!("an image of {} MiB in {folder}: {e}", self.bytes >> 20);
        let filled = if self.sparse { self.leave_empty() } else { self.fill(go_on) };
        let made = filled.map_err(named).and_then(|()| match self.file_system {
            true => make_file_system(&self.path).map_err(|e| e.to_string()),
            false => Ok(()),
        });
        let Err(reason) = made else { return Ok(()) };
        let reason = format!("{NO_DISK}{reason}");
        let mut sector = reason.into_bytes();
        sector.truncate(512);
        sector.resize(512, 0);
        fs::write(&self.path, sector)
    }

    /// Gives it its size, and no blocks.
    fn leave_empty(&self) -> io::Result<()> {
        File::create(&self.path)?.set_len(self.bytes)
    }

    /// Fills the image with what no disk can compress, and waits until it is on the disk.
    pub fn fill(&self, go_on: &dyn Fn() -> io::Result<()>) -> io::Result<()> {
        let mut file = File::create(&self.path)?;
        // What does not fit is known before half of it has been written.
        match fallocate(&file, FallocateFlags::empty(), 0, self.bytes as i64) {
            Ok(()) | Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => {}
            Err(error) => return Err(error.into()),
        }
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut chunk = vec![0; CHUNK];
        for _ in 0..self.bytes / CHUNK as u64 {
            for word in chunk.chunks_exact_mut(8) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word.copy_from_slice(&state.to_le_bytes());
            }
            go_on()?;
            file.write_all(&chunk)?;
        }
        file.sync_all()
    }
}

/// Makes an empty ext4 file system on `image`, without lazy initialisation, which would run during measurements. The
/// host makes it, so that the guest's kernel only has to mount it.
pub fn make_file_system(image: &Path) -> io::Result<()> {
    let mut command = programs::plain(programs::find("mke2fs")?);
    let at_once = "lazy_itable_init=0,lazy_journal_init=0";
    command.args(["-q", "-F", "-t", "ext4", "-E", at_once]).arg(image);
    programs::output(&mut command, MAKING).map(drop).map_err(io::Error::other)
}

//! A folder that a keeper removes: what outlives one boot and belongs to several, such as the image of a saved layer.

use crate::error::SessionError;
use crate::keeper::{Keeper, Running, record};
use std::path::{Path, PathBuf};

/// A folder of this user's alone, which is removed when this is dropped, also after tare was killed.
pub struct Room {
    running: Running,
    folder: PathBuf,
}

impl Room {
    /// Makes the folder `id`, recorded below `cache`. Its keeper is given no program, and waits.
    ///
    /// # Errors
    /// Why there is none; nothing is left.
    pub fn new(keeper: &Keeper, id: &str, cache: &Path) -> Result<Room, SessionError> {
        let (running, folder, _) = keeper.start(id, &record::folder(cache))?;
        Ok(Room { running, folder })
    }

    /// The folder, by an absolute path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes it; names what is left.
    pub fn remove(mut self) -> Vec<String> {
        self.running.finish()
    }
}

//! Keepers that wait for a boot. One that is not needed ends when tare lets go of its life line.

use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A keeper without a boot.
#[derive(Debug)]
pub(crate) struct Spare {
    pub keeper: Child,
    pub life: UnixStream,
    /// It has said that it waits.
    pub ready: bool,
}

/// Those of one tare.
#[derive(Debug, Clone, Default)]
pub struct Spares(Arc<Mutex<Vec<Spare>>>);

impl Spares {
    pub(crate) fn count(&self) -> usize {
        let mut all = self.all();
        all.retain_mut(|spare| matches!(spare.keeper.try_wait(), Ok(None)));
        all.len()
    }

    pub(crate) fn processes(&self) -> Vec<u32> {
        self.all().iter().map(|spare| spare.keeper.id()).collect()
    }

    pub(crate) fn add(&self, spare: Spare) {
        self.all().push(spare);
    }

    pub(crate) fn take(&self) -> Option<Spare> {
        self.all().pop()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Spare>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! A cell for state that only the callbacks of the one virtual CPU access.

use std::cell::UnsafeCell;

/// A value that callbacks of the single virtual CPU use, one callback at a time.
pub struct OneCpu<T>(UnsafeCell<T>);

// SAFETY: QEMU runs callbacks of one virtual CPU one after another, the plugin refuses to load with
// more than one, and the callback at exit comes when it has stopped.
unsafe impl<T> Sync for OneCpu<T> {}

impl<T> OneCpu<T> {
    pub const fn new(value: T) -> OneCpu<T> {
        OneCpu(UnsafeCell::new(value))
    }

    /// Works on the value. Must not be called from within `work`.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: see above; `work` is this crate's, and none of it calls back into QEMU and out again.
        work(unsafe { &mut *self.0.get() })
    }
}

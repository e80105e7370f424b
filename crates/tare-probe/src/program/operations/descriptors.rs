//! How many descriptors the probe may have open: an event for every thread that is counted needs more than usual.

use std::ptr;

/// As many as the kernel allows, for as long as this is there.
pub struct MoreFiles(Option<libc::rlimit>);

impl MoreFiles {
    /// Where the kernel refuses, it stays as it was.
    pub fn allow() -> MoreFiles {
        let mut former = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `former` is a valid place to write to; no limit is set.
        let known = unsafe { libc::prlimit(0, libc::RLIMIT_NOFILE, ptr::null(), &mut former) } == 0;
        let most = libc::rlimit { rlim_cur: former.rlim_max, ..former };
        MoreFiles((known && set(&most)).then_some(former))
    }
}

impl Drop for MoreFiles {
    fn drop(&mut self) {
        self.0.as_ref().map(set);
    }
}

fn set(limit: &libc::rlimit) -> bool {
    // SAFETY: the limit is valid for the call; the former one is not asked for.
    unsafe { libc::prlimit(0, libc::RLIMIT_NOFILE, limit, ptr::null_mut()) == 0 }
}

//! Whether there is memory and space for as many users: a load curve ends before the kernel starts to kill.

use crate::bench::Refusal;
use crate::free;
use std::mem::MaybeUninit;

/// What a user needs: two files of a megabyte, a sieve, a program that is loaded beside it.
const MEMORY: u64 = 8 << 20;
/// What its files take at once.
const SPACE: u64 = 3 << 20;
/// Most users.
const MOST: u32 = 512;

/// Refuses more users than there is room for.
pub fn has_room_for(users: u32) -> Result<(), Refusal> {
    if users > MOST {
        return Err(Refusal::Unavailable(format!("{users} users are more than {MOST}")));
    }
    free::memory_for(users, "users", MEMORY)?;
    space().map_or(Ok(()), |free| free::fits(users, "users", SPACE, "space for files", free))
}

/// Bytes free where files are made: the working directory.
fn space() -> Option<u64> {
    let mut stat = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: the path is NUL-terminated and `stat` is a valid place to write to.
    let done = unsafe { libc::statvfs(c".".as_ptr(), stat.as_mut_ptr()) };
    // SAFETY: zeroed bytes are a valid `statvfs`, and the kernel may have filled it since.
    let stat = unsafe { stat.assume_init() };
    (done == 0 && stat.f_blocks > 0).then(|| stat.f_bavail.saturating_mul(stat.f_frsize))
}

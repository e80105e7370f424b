//! Whether there is memory and space for as many users: a load curve ends before the kernel starts to kill.

use crate::bench::Refusal;
use crate::free;

/// What a user needs: two files of a megabyte, a sieve, a program that is loaded beside it.
const MEMORY: u64 = 8 << 20;
/// What its files take at once.
const SPACE: u64 = 3 << 20;
/// Most users.
const MOST: u32 = 512;

pub fn has_room_for(users: u32) -> Result<(), Refusal> {
    if users > MOST {
        return Err(Refusal::Unavailable(format!("{users} users are more than {MOST}")));
    }
    free::memory_for(users, "users", MEMORY)?;
    space().map_or(Ok(()), |free| free::fits(users, "users", SPACE, "space for files", free))
}

/// Bytes free where files are made: the working directory.
fn space() -> Option<u64> {
    free::space(c".").ok().flatten()
}

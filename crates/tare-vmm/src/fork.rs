//! Where a simulated machine with this monitor and its guest is saved ([`tare_proto::fork`]).

use std::io;
use tare_proto::fork::{AT, PAGE};

/// An instruction that returns to its caller.
const RETURN: u8 = 0xc3;

/// Executes that instruction where the machine has a breakpoint; nothing else happens.
pub fn stop() -> io::Result<()> {
    let at = AT as *mut libc::c_void;
    let fresh = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: without a mapping there, the kernel makes one; one that is there stays as it is.
    let mapped = unsafe { libc::mmap(at, PAGE, libc::PROT_READ | libc::PROT_WRITE, fresh, -1, 0) };
    if mapped != at {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page has just been mapped, to be written to.
    unsafe { at.cast::<u8>().write(RETURN) };
    // SAFETY: the page is ours.
    if unsafe { libc::mprotect(at, PAGE, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page holds a function without arguments and result, of the C calling convention, which returns at once.
    let wait = unsafe { std::mem::transmute::<*mut libc::c_void, extern "C" fn()>(at) };
    wait();
    // SAFETY: nothing refers to the page any more.
    unsafe { libc::munmap(at, PAGE) };
    Ok(())
}

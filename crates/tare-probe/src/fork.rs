//! Where a simulated machine is saved: each of its copies is told what it measures ([`tare_proto::fork`]).

use crate::facts::first_line;
use crate::{clock, sys};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use tare_proto::fork::{AT, BY_MONITOR, PAGE, PAGES, PORT, Page, heard, page, text};

/// An instruction that returns to its caller.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const RETURN: &[u8] = &[0xc3];
#[cfg(target_arch = "aarch64")]
const RETURN: &[u8] = &0xd65f_03c0_u32.to_le_bytes();
#[cfg(target_arch = "powerpc64")]
const RETURN: &[u8] = &0x4e80_0020_u32.to_ne_bytes();

/// What a script asks: the messages of its file, or where that is empty, what this copy of the machine is told.
///
/// # Errors
/// There is no such region, or no pipe.
pub fn requests(script: File) -> io::Result<OwnedFd> {
    if script.metadata()?.len() > 0 {
        return Ok(script.into());
    }
    let told = told()?;
    let (wait_ns, asked) = heard(&told).ok_or(io::ErrorKind::InvalidData)?;
    let (read, write) = sys::pipe()?;
    File::from(write).write_all(asked.as_bytes())?;
    let begin = clock::now_ns();
    while clock::now_ns() - begin < wait_ns {} // without a sleep, after which all copies would go on at a tick
    Ok(read)
}

/// Executes the instruction at the begin of the region, or has the guest's monitor do it.
fn stop(at: *mut libc::c_void) -> io::Result<()> {
    if first_line("/proc/cmdline").split_whitespace().any(|word| word == BY_MONITOR) {
        let ports = OpenOptions::new().write(true).open("/dev/port")?;
        return ports.write_all_at(&[0], PORT.into());
    }
    // SAFETY: the first page of the region is ours, and holds the instruction.
    let done = unsafe { libc::mprotect(at, PAGE, libc::PROT_READ | libc::PROT_EXEC) };
    sys::check("mprotect", done)?;
    // SAFETY: the page holds a function without arguments and result, of the C calling convention, which returns at once.
    let wait = unsafe { std::mem::transmute::<*mut libc::c_void, extern "C" fn()>(at) };
    wait();
    Ok(())
}

/// Waits in the region for what the host writes there.
fn told() -> io::Result<String> {
    let (at, length) = (AT as *mut libc::c_void, (1 + PAGES) * PAGE);
    let fresh = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: without a mapping there, the kernel makes one; one that is there stays as it is.
    let mapped =
        unsafe { libc::mmap(at, length, libc::PROT_READ | libc::PROT_WRITE, fresh, -1, 0) };
    if mapped != at {
        return Err(sys::name_error("mmap", io::Error::last_os_error()));
    }
    // SAFETY: the first page has just been mapped, to be written to, and holds as much.
    unsafe { std::ptr::copy_nonoverlapping(RETURN.as_ptr(), at.cast(), RETURN.len()) };
    let pages = at.wrapping_byte_add(PAGE).cast::<Page>();
    for number in 0..PAGES {
        // SAFETY: so many pages follow, mapped to be written to.
        unsafe { pages.wrapping_add(number).write_volatile(page(number, "")) };
    }
    stop(at)?;
    // SAFETY: the pages are mapped; the host may have written any bytes to them, which are valid.
    let filled = (0..PAGES).map(|number| unsafe { pages.wrapping_add(number).read_volatile() });
    let asked = text(&filled.collect::<Vec<_>>());
    // SAFETY: nothing refers to the region any more.
    sys::check("munmap", unsafe { libc::munmap(at, length) })?;
    Ok(asked)
}

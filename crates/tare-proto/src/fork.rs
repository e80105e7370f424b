//! How a simulated machine begins every row in the same state. The machine is saved when its probe is ready to be asked, and each
//! row is measured in a copy of what was saved.
//!
//! The probe maps a page at an address where nothing else is, and calls an instruction there. QEMU has a breakpoint on it, so that the
//! machine stops at the same instruction whatever the host does. The host writes what it asks into each copy's memory, into pages of the
//! probe's that it finds by how they begin. So a guest never sees what else is measured.

use std::io;

/// Where the page with the instruction is in an address space. Nothing is linked or mapped there otherwise, in the probe or in other
/// programs that a machine runs.
pub const AT: u64 = 0x4fe0_0000;

/// Where the instruction cannot be the probe's: QEMU restores no processor that was saved within a virtual machine. A guest whose kernel
/// has this word writes a byte to this port instead, and its monitor, which is outside, has the page with the instruction.
pub const BY_MONITOR: &str = "tare.fork=monitor";
/// See [`BY_MONITOR`].
pub const PORT: u16 = 0x7a2e;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// Pages for the requests. A pipe holds as much as they do.
pub const PAGES: usize = 16;

/// How a page begins; behind it are its number and how many bytes of text it holds, four bytes each.
const BEGINS: [u8; 8] = *b"\xf0tare\xf0\x01\n";
const HEAD: usize = BEGINS.len() + 8;

/// Most bytes of text that the pages hold.
pub const MOST: usize = PAGES * (PAGE - HEAD);

/// A page for the requests.
pub type Page = [u8; PAGE];

/// An instruction that returns to its caller.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const RETURN: [u8; 1] = [0xc3];
#[cfg(target_arch = "aarch64")]
const RETURN: [u8; 4] = 0xd65f_03c0_u32.to_le_bytes();
#[cfg(target_arch = "powerpc64")]
const RETURN: [u8; 4] = 0x4e80_0020_u32.to_ne_bytes();

/// Executes the instruction at [`AT`]; nothing else happens where no machine has a breakpoint.
///
/// # Errors
/// There cannot be such a page.
pub fn stop() -> io::Result<()> {
    let at = AT as *mut libc::c_void;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let fresh = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: without a mapping there, the kernel makes one; one that is there stays as it is.
    let mapped = unsafe { libc::mmap(at, PAGE, access, fresh, -1, 0) };
    if mapped != at {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page has just been mapped, to be written to, and holds as much.
    unsafe { at.cast::<[u8; RETURN.len()]>().write(RETURN) };
    // SAFETY: the page is ours.
    if unsafe { libc::mprotect(at, PAGE, libc::PROT_READ | libc::PROT_EXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page holds a function without arguments and result, of the C calling convention, which returns at once.
    let wait = unsafe { std::mem::transmute::<*mut libc::c_void, extern "C" fn()>(at) };
    wait();
    // SAFETY: nothing refers to the page any more.
    match unsafe { libc::munmap(at, PAGE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// What a copy is told: to let so many nanoseconds of its clock pass, and then what it is `asked`.
pub fn told(wait_ns: u64, asked: &str) -> String {
    format!("{wait_ns}\n{asked}")
}

/// The same, read again.
pub fn heard(told: &str) -> Option<(u64, &str)> {
    let (wait, asked) = told.split_once('\n')?;
    Some((wait.parse().ok()?, asked))
}

/// The page with this number, which holds a part of `text`: none of it, where that is too short to reach it.
pub fn page(number: usize, text: &str) -> Page {
    let part = text.as_bytes().chunks(PAGE - HEAD).nth(number).unwrap_or_default();
    let mut page = [0; PAGE];
    page[..BEGINS.len()].copy_from_slice(&BEGINS);
    page[8..12].copy_from_slice(&(number as u32).to_ne_bytes());
    page[12..16].copy_from_slice(&(part.len() as u32).to_ne_bytes());
    page[HEAD..HEAD + part.len()].copy_from_slice(part);
    page
}

/// The number of a page that waits to be filled.
pub fn waiting(found: &[u8]) -> Option<usize> {
    let number = u32::from_ne_bytes(found.get(8..12)?.try_into().ok()?) as usize;
    (number < PAGES && found == page(number, "")).then_some(number)
}

/// The text that filled `pages` hold.
pub fn text(pages: &[Page]) -> String {
    let part = |page: &Page| {
        let long = u32::from_ne_bytes([page[12], page[13], page[14], page[15]]) as usize;
        page[HEAD..(HEAD + long).min(PAGE)].to_vec()
    };
    String::from_utf8_lossy(&pages.iter().flat_map(part).collect::<Vec<_>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_read_again_from_the_pages() {
        for text in ["", "one", &"two ".repeat(2000), &"x".repeat(MOST)] {
            let pages: Vec<_> = (0..PAGES).map(|number| page(number, text)).collect();
            assert_eq!(super::text(&pages), text);
        }
    }

    #[test]
    fn a_wait_stands_before_what_is_asked() {
        assert_eq!(heard(&told(17, "one\ntwo\n")), Some((17, "one\ntwo\n")));
        assert_eq!(heard(""), None);
        assert_eq!(heard("x\n"), None);
    }

    #[test]
    fn only_pages_that_wait_are_found() {
        assert_eq!(waiting(&page(3, "")), Some(3));
        assert_eq!(waiting(&page(0, "asked")), None);
        assert_eq!(waiting(&[0; PAGE]), None);
        assert_eq!(waiting(&page(3, "")[..8]), None);
        let mut odd = page(3, "");
        odd[8] = PAGES as u8;
        assert_eq!(waiting(&odd), None);
    }
}

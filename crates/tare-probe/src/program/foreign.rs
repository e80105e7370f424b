//! Programs for 32-bit x86 where a layer's kernel runs none. execvp(3) hands a file that the kernel refuses to a shell, whose
//! complaint about the file's bytes explains nothing.

use super::root::Root;
use super::run::Surroundings;
use crate::process;
use std::ffi::{CStr, CString};
use std::ptr;

/// Exit status of the child that has found such a program.
const REFUSED: i32 = 32;

/// The beginning of a 32-bit ELF file, and its machine: x86.
const CLASS_32: &[u8] = b"\x7fELF\x01";
const MACHINE: u8 = 3;
const MACHINE_AT: usize = 18;

/// The smallest 32-bit program, which ends: its ELF header, one segment with all of it, and `xor ebx, ebx; xor eax, eax; inc eax;
/// int 0x80`.
const SMALLEST: [u8; 91] = *b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\
    \x02\0\x03\0\x01\0\0\0\x54\x80\x04\x08\x34\0\0\0\0\0\0\0\0\0\0\0\x34\0\x20\0\x01\0\0\0\0\0\0\0\
    \x01\0\0\0\0\0\0\0\0\x80\x04\x08\0\x80\x04\x08\x5b\0\0\0\x5b\0\0\0\x05\0\0\0\0\x10\0\0\
    \x31\xdb\x31\xc0\x40\xcd\x80";

/// Whether `name`, as a command in this `place`, is a 32-bit program and this kernel runs none. Asked only of what has failed.
pub fn is_refused(place: &Surroundings, name: &str) -> bool {
    let Some((folder, files)) = files(place, name) else { return false };
    let looked = process::fork(|| look(place.root, &folder, &files));
    let ended = looked.and_then(process::wait);
    ended.is_ok_and(|(_, status)| libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == REFUSED)
}

/// The working directory, and the files that `name` may mean there.
fn files(place: &Surroundings, name: &str) -> Option<(CString, Vec<CString>)> {
    let folder = CString::new(place.program.folder.as_str()).ok()?;
    if name.contains('/') {
        return Some((folder, vec![CString::new(name).ok()?]));
    }
    let (_, path) = place.program.env.iter().find(|(key, _)| key == "PATH")?;
    let files = path.split(':').filter_map(|place| CString::new(format!("{place}/{name}")).ok());
    Some((folder, files.collect()))
}

/// In a child of the probe's: the first of `files` that is there decides.
fn look(root: &Root, folder: &CStr, files: &[CString]) -> i32 {
    // SAFETY: the path is NUL-terminated.
    if root.enter().is_err() || unsafe { libc::chdir(folder.as_ptr()) } != 0 {
        return 0;
    }
    // SAFETY: every path is NUL-terminated.
    let opened = files.iter().map(|file| unsafe { libc::open(file.as_ptr(), libc::O_RDONLY) });
    let Some(file) = opened.into_iter().find(|file| *file >= 0) else { return 0 };
    let mut head = [0; MACHINE_AT + 1];
    // SAFETY: the buffer is as long as is said.
    unsafe { libc::read(file, head.as_mut_ptr().cast(), head.len()) };
    let is_for_32_bits = head.starts_with(CLASS_32) && head[MACHINE_AT] == MACHINE;
    if is_for_32_bits && refuses_all() { REFUSED } else { 0 }
}

/// Whether this kernel refuses the smallest program; the process becomes that program where it does not.
fn refuses_all() -> bool {
    // SAFETY: the name is NUL-terminated.
    let file = unsafe { libc::memfd_create(c"smallest".as_ptr(), libc::MFD_CLOEXEC) };
    // SAFETY: the bytes are as many as is said; a wrong file is refused.
    unsafe { libc::write(file, SMALLEST.as_ptr().cast(), SMALLEST.len()) };
    let none = [ptr::null::<libc::c_char>()];
    // SAFETY: the path is NUL-terminated, and both lists end at once.
    unsafe {
        let (path, none) = (c"".as_ptr(), none.as_ptr());
        libc::syscall(libc::SYS_execveat, file, path, none, none, libc::AT_EMPTY_PATH)
    };
    std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOEXEC)
}

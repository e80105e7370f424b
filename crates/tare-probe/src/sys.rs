//! The system calls that several parts of the probe need, each wrapped once.

use std::ffi::CStr;
use std::fmt::Display;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;

/// `uname`: release, version, machine.
pub fn uname() -> (String, String, String) {
    let name = names();
    (text(&name.release), text(&name.version), text(&name.machine))
}

/// What this machine calls itself.
pub fn node_name() -> String {
    text(&names().nodename)
}

fn names() -> libc::utsname {
    let mut name = MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: `name` is a valid place for the kernel to write to.
    unsafe { libc::uname(name.as_mut_ptr()) };
    // SAFETY: zeroed bytes are a valid `utsname`, and the kernel has filled it since.
    unsafe { name.assume_init() }
}

/// A field of [`names`].
fn text(field: &[libc::c_char]) -> String {
    // SAFETY: the kernel ends every field with a NUL within its array.
    unsafe { CStr::from_ptr(field.as_ptr()) }.to_string_lossy().into_owned()
}

/// CPUs online.
pub fn cpus_online() -> u32 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }.max(1) as u32
}

/// Page size in bytes.
pub fn page_size() -> u64 {
    // SAFETY: sysconf has no preconditions.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64
}

/// The user this process runs as.
pub fn uid() -> u32 {
    // SAFETY: getuid has no preconditions.
    unsafe { libc::getuid() }
}

/// CPUs in a word of a [`CpuMask`].
const WORD: usize = 64;

/// CPUs, a bit each: as many as the largest kernel has, where the C library's set ends at 1,024.
#[derive(Clone)]
pub struct CpuMask([u64; 8192 / WORD]);

impl CpuMask {
    /// `cpu` alone.
    pub fn only(cpu: usize) -> CpuMask {
        let mut mask = CpuMask([0; 8192 / WORD]);
        if let Some(word) = mask.0.get_mut(cpu / WORD) {
            *word = 1 << (cpu % WORD);
        }
        mask
    }

    /// Those that this process may run on.
    pub fn allowed() -> io::Result<CpuMask> {
        let mut mask = CpuMask([0; 8192 / WORD]);
        let bytes = size_of_val(&mask.0);
        // SAFETY: the pointer and the size are of the same mask, which the call may fill.
        let written =
            unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, bytes, mask.0.as_mut_ptr()) };
        if written < 0 { Err(io::Error::last_os_error()) } else { Ok(mask) }
    }

    /// Lets this process run on them alone.
    pub fn pin(&self) -> io::Result<()> {
        let bytes = size_of_val(&self.0);
        // SAFETY: the pointer and the size are of the same mask, which the call reads.
        let done = unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, bytes, self.0.as_ptr()) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Their numbers.
    pub fn list(&self) -> Vec<u32> {
        let has = |cpu: &usize| self.0[cpu / WORD] >> (cpu % WORD) & 1 == 1;
        (0..self.0.len() * WORD).filter(has).map(|cpu| cpu as u32).collect()
    }
}

/// The CPUs this process may run on; none where that cannot be asked.
pub fn affinity() -> Vec<u32> {
    CpuMask::allowed().map(|mask| mask.list()).unwrap_or_default()
}

/// The type of the file system that holds `path`, by its usual name or its magic number.
pub fn file_system(path: &Path) -> String {
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()) else {
        return String::new();
    };
    let mut stat = MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: `path` is NUL-terminated and `stat` is a valid place to write to.
    if unsafe { libc::statfs(path.as_ptr(), stat.as_mut_ptr()) } != 0 {
        return String::new();
    }
    // SAFETY: zeroed bytes are a valid `statfs`, and the kernel has filled it since.
    match unsafe { stat.assume_init() }.f_type as u32 {
        0x0102_1994 => "tmpfs".into(),
        0x8584_58f6 => "ramfs".into(),
        0xef53 => "ext4".into(),
        0x5846_5342 => "xfs".into(),
        0x9123_683e => "btrfs".into(),
        0x794c_7630 => "overlayfs".into(),
        0x0102_1997 => "9p".into(),
        other => format!("{other:#x}"),
    }
}

/// The result of a system call made while preparing, or its error with `what` was tried.
pub fn check<T: PartialEq + From<i8>>(what: impl Display, result: T) -> io::Result<T> {
    if result == T::from(-1) {
        Err(name_error(what, io::Error::last_os_error()))
    } else {
        Ok(result)
    }
}

/// `error` with `what` was tried before it.
pub fn name_error(what: impl Display, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// Panics with the system's reason unless a system call inside a batch went `fine`; the harness
/// makes it the benchmark's failure.
#[inline(always)]
pub fn must(what: &str, fine: bool) {
    if !fine {
        failed(what);
    }
}

#[cold]
#[inline(never)]
fn failed(what: &str) -> ! {
    panic!("{what}: {}", io::Error::last_os_error());
}

/// A pipe: its reading and its writing end, both closed on exec.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for both descriptors.
    check("pipe", unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: pipe2 has just opened it, and nobody else owns it.
    let reader = unsafe { OwnedFd::from_raw_fd(ends[0]) };
    // SAFETY: as above.
    let writer = unsafe { OwnedFd::from_raw_fd(ends[1]) };
    Ok((reader, writer))
}

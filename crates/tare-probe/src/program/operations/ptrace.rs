//! What ptrace(2) tells of a stopped process, and what it is told.

use std::ffi::c_void;
use std::io;
use std::mem;
use std::ptr;

/// The longest path, in bytes.
const LONGEST: usize = 4096;

/// The path at `address` of `tid`'s memory; `None` where it cannot be read.
pub fn path_at(tid: libc::pid_t, address: u64) -> Option<Vec<u8>> {
    let mut path = bytes_at(tid, address)?;
    let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
    path.truncate(end);
    Some(path)
}

/// The bytes from `address` of `tid`'s memory to the end of the page: what lies beyond it may be nobody's.
fn bytes_at(tid: libc::pid_t, address: u64) -> Option<Vec<u8>> {
    let size = LONGEST - address as usize % LONGEST;
    let mut bytes = vec![0u8; size];
    let ours = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: size };
    let theirs = libc::iovec { iov_base: address as *mut c_void, iov_len: size };
    // SAFETY: the kernel writes at most `size` bytes, for which there is room, and reads another process's memory.
    let got = unsafe { libc::process_vm_readv(tid, &ours, 1, &theirs, 1, 0) };
    bytes.truncate(usize::try_from(got).ok()?);
    Some(bytes)
}

/// Tells the program that `tid` has just become nothing of the kernel's page for clocks (vDSO): it reads them by system calls, which
/// can be counted. Its stack begins with the number of arguments, then come these, the environment, and what the kernel tells (the
/// auxiliary vector), each list up to a 0.
pub fn hide_clocks(tid: libc::pid_t) {
    let Some(info) = info(tid) else { return };
    let mut words = Words { tid, at: info.stack_pointer, read: Vec::new() };
    let Some((_, arguments)) = words.next() else { return };
    let behind = |words: &mut Words| words.find(|(_, word)| *word == 0);
    if words.nth(arguments as usize).is_none() || behind(&mut words).is_none() {
        return;
    }
    while let (Some((at, kind)), Some(_)) = (words.next(), words.next()) {
        match kind {
            libc::AT_NULL => return,
            libc::AT_SYSINFO_EHDR => {
                let (at, ignore) = (at as *mut c_void, libc::AT_IGNORE as *mut c_void);
                // SAFETY: this request writes a word to another process.
                unsafe { libc::ptrace(libc::PTRACE_POKEDATA, tid, at, ignore) };
                return;
            }
            _ => {}
        }
    }
}

/// The words of `tid`'s memory from an address on, each with its own, up to what cannot be read.
struct Words {
    tid: libc::pid_t,
    at: u64,
    /// Words that have been read, the next one at the end.
    read: Vec<u64>,
}

impl Iterator for Words {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        if self.read.is_empty() {
            let bytes = bytes_at(self.tid, self.at)?;
            let (words, _) = bytes.as_chunks::<8>();
            self.read = words.iter().rev().map(|word| u64::from_ne_bytes(*word)).collect();
        }
        let at = self.at;
        self.at += 8;
        Some((at, self.read.pop()?))
    }
}

/// Components of `path`; none of an empty one.
pub fn components(path: &[u8]) -> usize {
    names(path).count().max(usize::from(!path.is_empty()))
}

/// The names between the slashes of `path`.
pub fn names(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}

/// Whether the kernel, and no other process, has sent the signal that `tid` has stopped for.
pub fn is_from_kernel(tid: libc::pid_t) -> bool {
    signal_code(tid).is_some_and(|code| code > 0)
}

/// Why `tid` was sent the signal that it has stopped for: `si_code`.
pub fn signal_code(tid: libc::pid_t) -> Option<libc::c_int> {
    // SAFETY: all zeros is a valid value.
    let mut about: libc::siginfo_t = unsafe { mem::zeroed() };
    let none = ptr::null_mut::<c_void>();
    // SAFETY: the kernel fills the structure.
    let got = unsafe { libc::ptrace(libc::PTRACE_GETSIGINFO, tid, none, &raw mut about) };
    (got == 0).then_some(about.si_code)
}

/// Why `tid` has stopped.
pub fn info(tid: libc::pid_t) -> Option<libc::ptrace_syscall_info> {
    // SAFETY: all zeros is a valid value.
    let mut info: libc::ptrace_syscall_info = unsafe { mem::zeroed() };
    let size = mem::size_of_val(&info) as *mut c_void;
    // SAFETY: the kernel writes at most `size` bytes to the structure.
    let got = unsafe { libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, tid, size, &raw mut info) };
    (got > 0).then_some(info)
}

/// The number that the kernel tells with an event of `tid`: of what it has started, or its own former one.
pub fn number_of_event(tid: libc::pid_t) -> Option<libc::pid_t> {
    let mut number: libc::c_ulong = 0;
    // SAFETY: the kernel writes one long.
    let told = unsafe {
        libc::ptrace(libc::PTRACE_GETEVENTMSG, tid, ptr::null_mut::<c_void>(), &raw mut number)
    };
    (told == 0).then_some(number as libc::pid_t)
}

/// A request that writes nothing here. A process that was killed meanwhile refuses it, and its end is heard of next.
pub fn request(what: libc::c_uint, pid: libc::pid_t, data: usize) {
    let _ = asked(what, pid, data);
}

/// The same, with the kernel's answer.
pub fn asked(what: libc::c_uint, pid: libc::pid_t, data: usize) -> io::Result<()> {
    let none = ptr::null_mut::<c_void>();
    // SAFETY: these requests take numbers.
    match unsafe { libc::ptrace(what, pid, none, data as *mut c_void) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub enum Heard {
    /// A thread has stopped.
    Stopped(Stop),
    /// One has ended, with this wait status.
    Ended(libc::pid_t, i32),
    /// A signal has ended the wait.
    Nothing,
}

pub struct Stop {
    pub tid: libc::pid_t,
    /// The signal that it gets, or has stopped by.
    pub signal: libc::c_int,
    /// The event that it has stopped for: `PTRACE_EVENT_FORK` and its like; 0 for none.
    pub event: i32,
}

impl Stop {
    /// What the thread has started, if it has stopped for that.
    pub fn started(&self) -> Option<libc::pid_t> {
        let starts = [libc::PTRACE_EVENT_FORK, libc::PTRACE_EVENT_VFORK, libc::PTRACE_EVENT_CLONE];
        starts.contains(&self.event).then(|| number_of_event(self.tid))?
    }

    /// The number that it had before it became another program, if it has stopped for that and has another one now.
    pub fn former(&self) -> Option<libc::pid_t> {
        let execs = self.event == libc::PTRACE_EVENT_EXEC;
        execs.then(|| number_of_event(self.tid))?.filter(|former| *former != self.tid)
    }
}

/// Waits for any traced thread to stop or to end; `ends` hears of an end before it is waited for.
pub fn next(ends: impl FnOnce(libc::pid_t)) -> io::Result<Heard> {
    // SAFETY: all zeros is a valid siginfo_t.
    let mut about: libc::siginfo_t = unsafe { mem::zeroed() };
    let look = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL;
    // SAFETY: `about` is a valid place to write to.
    if unsafe { libc::waitid(libc::P_ALL, 0, &mut about, look) } != 0 {
        return nothing_or_why();
    }
    // SAFETY: waitid has filled it.
    let tid = unsafe { about.si_pid() };
    if matches!(about.si_code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED) {
        ends(tid);
    }
    let mut status = 0;
    // SAFETY: `status` is a valid place to write to.
    match unsafe { libc::waitpid(tid, &mut status, libc::__WALL) } {
        -1 => nothing_or_why(),
        tid if libc::WIFSTOPPED(status) => {
            Ok(Heard::Stopped(Stop { tid, signal: libc::WSTOPSIG(status), event: status >> 16 }))
        }
        tid => Ok(Heard::Ended(tid, status)),
    }
}

fn nothing_or_why() -> io::Result<Heard> {
    match io::Error::last_os_error() {
        why if why.kind() == io::ErrorKind::Interrupted => Ok(Heard::Nothing),
        why => Err(why),
    }
}

/// A stop at the begin or the end of a call has this bit beside SIGTRAP.
pub const CALL: libc::c_int = 0x80;

/// The event of a thread that was attached, or that a signal has stopped: `PTRACE_EVENT_STOP`.
pub const GROUP_STOP: i32 = 128;

/// Of what kinds of stops the tracer is told.
pub const TOLD: libc::c_int = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEEXIT;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_at_the_end_of_a_page_is_read_where_nothing_follows() {
        let own = std::process::id() as libc::pid_t;
        let page = 4096;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a fresh mapping of no file, at no wanted place.
        let pages = unsafe { libc::mmap(ptr::null_mut(), 2 * page, access, kind, -1, 0) };
        assert_ne!(pages, libc::MAP_FAILED);
        // SAFETY: the second page of the mapping, which nothing refers to.
        unsafe { libc::munmap(pages.wrapping_byte_add(page), page) };
        let at = pages.wrapping_byte_add(page - 5);
        // SAFETY: the last five bytes of the first page.
        unsafe { ptr::copy_nonoverlapping(c"/etc".as_ptr(), at.cast(), 5) };
        assert_eq!(path_at(own, at as u64).as_deref(), Some(&b"/etc"[..]));
        assert_eq!(path_at(own, pages.wrapping_byte_add(page) as u64), None);
        // SAFETY: the first page, which nothing refers to any more.
        unsafe { libc::munmap(pages, page) };
    }

    #[test]
    fn components_are_names_between_slashes() {
        let rows = [("", 0), ("/", 1), (".", 1), ("a", 1), ("/a//b/", 2), ("../x/y", 3)];
        for (path, wanted) in rows {
            assert_eq!(components(path.as_bytes()), wanted, "{path}");
        }
    }
}

//! Children: forked, waited for, replaced by the probe's own applets, and never left behind.

use crate::sys::{CpuMask, check};
use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// Forks; the child runs `child` and exits with its value, whatever happens in it.
///
/// The child must keep to what is safe after a fork: system calls on memory that is already there.
pub fn fork(child: impl FnOnce() -> i32) -> io::Result<libc::pid_t> {
    // SAFETY: the probe has one thread, and the child below never returns into the parent's code.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(101);
            // SAFETY: _exit has no preconditions and does not return.
            unsafe { libc::_exit(code) }
        }
        pid => Ok(pid),
    }
}

/// Bytes of stack for what a [`spawned`] child does before it is another program.
const SPAWN_STACK: usize = 4096;

/// Starts `child`, which becomes another program, as a shell does with a simple command: this process waits until
/// the child has, and its memory is never copied. Signals are blocked meanwhile, as in dash. This is clone(2) with the
/// flags of vfork and a stack of its own: vfork(2) returns twice, which no Rust function may, and posix_spawn(3) maps a
/// stack each time.
///
/// The child must keep to system calls on memory that is already there, and change none of it; what it returns is the
/// code it exits with when it could not become another program.
pub fn spawned<F: FnMut() -> i32>(mut child: F) -> io::Result<libc::pid_t> {
    extern "C" fn run<F: FnMut() -> i32>(both: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the parent, which is stopped meanwhile, has passed its child and its mask.
        let (child, mask) = unsafe { &mut *both.cast::<(&mut F, libc::sigset_t)>() };
        // SAFETY: the mask is a valid set; the former one is not asked for.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, mask, ptr::null_mut()) };
        let code = child();
        // SAFETY: _exit has no preconditions and does not return.
        unsafe { libc::_exit(code) }
    }
    // SAFETY: all zeros is the empty set.
    let mut all: libc::sigset_t = unsafe { MaybeUninit::zeroed().assume_init() };
    let mut before = all;
    // SAFETY: `all` is a valid place for a set.
    unsafe { libc::sigfillset(&mut all) };
    // SAFETY: both sets are valid.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &all, &mut before) };
    let mut stack = [MaybeUninit::<u128>::uninit(); SPAWN_STACK / size_of::<u128>()];
    let mut both = (&mut child, before);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let (top, both) = (stack.as_mut_ptr_range().end.cast(), (&raw mut both).cast());
    // SAFETY: this process is stopped until the child is another program or has ended, so the stack and what is passed
    // outlive its use of them, and nothing else touches them.
    let pid = unsafe { libc::clone(run::<F>, top, flags, both) };
    let error = io::Error::last_os_error();
    // SAFETY: the set is the former one.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &before, ptr::null_mut()) };
    if pid == -1 { Err(error) } else { Ok(pid) }
}

/// What a forked child ends with in C: exit(3), which runs exit handlers and flushes streams where there are any.
pub fn exit(code: i32) -> ! {
    // SAFETY: the child has one thread and nothing that its exit handlers could disturb.
    unsafe { libc::exit(code) }
}

/// Waits for the child `pid` (-1: any) and returns `(pid, wait status)`.
pub fn wait(pid: libc::pid_t) -> io::Result<(libc::pid_t, i32)> {
    loop {
        let mut status = 0;
        // SAFETY: `status` is a valid place to write to.
        let done = unsafe { libc::waitpid(pid, &mut status, 0) };
        if done >= 0 {
            return Ok((done, status));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// A child of `which` and `id` ([`libc::P_PID`], [`libc::P_ALL`]) that has ended and stays to be waited for; 0 if `how` is
/// [`libc::WNOHANG`] and none has.
pub fn ended(which: libc::idtype_t, id: u32, how: libc::c_int) -> io::Result<libc::pid_t> {
    loop {
        // SAFETY: all zeros is a valid siginfo_t.
        let mut about: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let look = libc::WEXITED | libc::WNOWAIT | how;
        // SAFETY: `about` is a valid place to write to.
        if unsafe { libc::waitid(which, id, &mut about, look) } == 0 {
            // SAFETY: waitid has filled it, with zeros when no child has ended.
            return Ok(unsafe { about.si_pid() });
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Waits for the child `pid`, and for whatever else ends before it; its wait status.
pub fn reap_until(pid: libc::pid_t) -> io::Result<i32> {
    loop {
        if let (ended, status) = wait(-1)?
            && ended == pid
        {
            return Ok(status);
        }
    }
}

/// One child from fork to wait, as an operation: panics unless it exits with `code`.
pub fn child_exits(code: i32, child: impl FnOnce() -> i32) {
    let ended = fork(child).and_then(wait);
    let (_, status) = ended.unwrap_or_else(|error| panic!("fork and wait: {error}"));
    assert!(status == code << 8, "a child ended with wait status {status:#x}, not exit {code}");
}

/// Closes standard output (which may be the protocol's line) and becomes the applet `args[0]` of
/// the program that is running, with an environment that is empty but for [`TUNABLES`]. Returns only when that fails.
pub fn exec_applet(args: &[&CStr]) -> i32 {
    // SAFETY: closing a descriptor number has no memory preconditions.
    unsafe { libc::close(1) };
    exec_keeping_output(args)
}

/// What the C library is told of the processor holds for every program in a layer.
const TUNABLES: &CStr = c"GLIBC_TUNABLES=";

/// This process' own [`TUNABLES`]; null, which ends an environment, where there are none.
fn tunables() -> *const libc::c_char {
    unsafe extern "C" {
        static environ: *const *const libc::c_char;
    }
    // SAFETY: the C library has set it, and the probe never changes its environment.
    let mut at = unsafe { environ };
    loop {
        // SAFETY: the array ends with a null pointer, at which the loop ends.
        let one = unsafe { at.read() };
        // SAFETY: both are NUL-terminated.
        let ours = || unsafe { libc::strncmp(one, TUNABLES.as_ptr(), TUNABLES.count_bytes()) } == 0;
        if one.is_null() || ours() {
            return one;
        }
        at = at.wrapping_add(1);
    }
}

/// Most words of an applet's command line.
pub const MOST_ARGS: usize = 6;

/// [`exec_applet`] that leaves standard output as it is.
pub fn exec_keeping_output(args: &[&CStr]) -> i32 {
    let mut argv = [ptr::null(); MOST_ARGS + 1];
    for (slot, arg) in argv.iter_mut().zip(args).take(MOST_ARGS) {
        *slot = arg.as_ptr();
    }
    let environment = [tunables(), ptr::null()];
    // SAFETY: the path is NUL-terminated, both arrays end with a null pointer.
    unsafe { libc::execve(c"/proc/self/exe".as_ptr(), argv.as_ptr(), environment.as_ptr()) };
    127
}

/// A child that is killed and reaped when dropped.
pub struct Child {
    pid: libc::pid_t,
}

impl Child {
    /// Forks `child`, as [`fork`] does.
    pub fn start(child: impl FnOnce() -> i32) -> io::Result<Child> {
        fork(child).map(|pid| Child { pid })
    }

    /// Its process id.
    pub fn pid(&self) -> libc::pid_t {
        self.pid
    }

    /// Waits for it to end by itself; its wait status.
    pub fn finish(self) -> io::Result<i32> {
        let pid = self.pid;
        std::mem::forget(self);
        wait(pid).map(|(_, status)| status)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: the child has not been waited for, so its id is still its own.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
        let _ = wait(self.pid);
    }
}

/// Keeps this process, and the children it starts meanwhile, on the CPU it is on; dropping it
/// lets this process go again.
pub struct OneCpu {
    former: CpuMask,
}

impl OneCpu {
    /// Pins this process.
    pub fn pin() -> io::Result<OneCpu> {
        let former = CpuMask::allowed()?;
        // SAFETY: sched_getcpu has no preconditions.
        let cpu = check("sched_getcpu", unsafe { libc::sched_getcpu() })?;
        CpuMask::only(cpu as usize).pin()?;
        Ok(OneCpu { former })
    }
}

impl Drop for OneCpu {
    fn drop(&mut self) {
        let _ = self.former.pin();
    }
}

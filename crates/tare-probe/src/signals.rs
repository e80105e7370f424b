//! Signal handlers that put back what they replaced.

use crate::sys::check;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// What the probe expects whatever it was started with: children can be waited for, a write to a
/// line without a reader is an error and not the end, and no signal is blocked.
pub fn reset() {
    // SAFETY: SIG_DFL is a valid disposition.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    // SAFETY: SIG_IGN is a valid disposition.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    let mut none = MaybeUninit::uninit();
    // SAFETY: `none` is a valid place to write to.
    unsafe { libc::sigemptyset(none.as_mut_ptr()) };
    // SAFETY: sigemptyset has filled it; the old mask is not asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut()) };
}

/// An installed handler; dropping it restores the former one.
pub struct Handler {
    signal: libc::c_int,
    former: libc::sigaction,
}

impl Handler {
    /// Installs `handler` for `signal`, with no flags and no further signal blocked.
    pub fn install(
        signal: libc::c_int,
        handler: extern "C" fn(libc::c_int),
    ) -> io::Result<Handler> {
        Handler::set(signal, handler as *const () as usize, 0)
    }

    /// Installs a handler that is given the interrupted context.
    pub fn with_context(
        signal: libc::c_int,
        handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void),
    ) -> io::Result<Handler> {
        Handler::set(signal, handler as *const () as usize, libc::SA_SIGINFO)
    }

    fn set(signal: libc::c_int, handler: usize, flags: libc::c_int) -> io::Result<Handler> {
        let new = action(handler, flags);
        let mut former = action(libc::SIG_DFL, 0);
        // SAFETY: `new` is whole and holds a handler of the form that its flags name.
        check("sigaction", unsafe { libc::sigaction(signal, &new, &mut former) })?;
        Ok(Handler { signal, former })
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // SAFETY: the action came from the kernel.
        unsafe { libc::sigaction(self.signal, &self.former, ptr::null_mut()) };
    }
}

/// `handler` with `flags` and an empty mask.
pub fn action(handler: usize, flags: libc::c_int) -> libc::sigaction {
    // SAFETY: all zeros is a valid `sigaction`: default action, empty mask, no flags.
    let zeros: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    libc::sigaction { sa_sigaction: handler, sa_flags: flags, ..zeros }
}

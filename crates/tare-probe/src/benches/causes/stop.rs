//! A process that another one traces: it goes on, makes half of a system call, and stops. Two stops are one call: before and after it.
//! Whoever acts as its kernel reads and writes its registers meanwhile.

use super::call;
use crate::bench::{Op, Refusal};
use crate::process::{Child, OneCpu, wait};
use crate::sys::{check, must};
use std::io;
use std::ptr;

/// The exit code of a child that may not be traced.
const REFUSED: i32 = 77;

/// Sets of registers (`elf.h`): the general ones, those of floating point, and x86's set of all others.
pub const GENERAL: usize = 1;
pub const FLOAT: usize = 2;
pub const ALL: usize = 0x202;

/// All registers of any processor fit into this.
const ROOM: usize = 16 << 10;

/// On to the next stop.
pub fn stops() -> Result<Op, Refusal> {
    let traced = Traced::start()?;
    Ok(Op::new(move || {
        must("ptrace", ptrace(libc::PTRACE_SYSCALL, traced.pid(), 0).is_ok());
        must("wait4", wait(traced.pid()).is_ok_and(|(_, status)| libc::WIFSTOPPED(status)));
    }))
}

/// This `set` is read and written; half of that.
pub fn registers(set: usize) -> Result<Op, Refusal> {
    let traced = Traced::start()?;
    let mut room = vec![0u8; ROOM];
    let mut move_them = move || {
        let mut place = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: ROOM };
        for request in [libc::PTRACE_GETREGSET, libc::PTRACE_SETREGSET] {
            let set = set as *mut libc::c_void;
            // SAFETY: the place is `room`, which is as long as it says and outlives the call; a read makes it as long as the set.
            let done = unsafe { libc::ptrace(request as _, traced.pid(), set, &raw mut place) };
            check("ptrace", done)?;
        }
        Ok::<_, io::Error>(())
    };
    move_them().map_err(|e| Refusal::Unavailable(format!("registers are not given: {e}")))?;
    Ok(Op::new(move || must("ptrace", move_them().is_ok())).divided_by(2.0))
}

/// A stopped child on the CPU of its tracer. It ends when this is dropped, and with its tracer, whatever ends that.
struct Traced {
    child: Child,
    _pinned: OneCpu,
}

impl Traced {
    fn start() -> Result<Traced, Refusal> {
        let refused = |why: &str| Refusal::Unavailable(format!("ptrace(2) is refused here: {why}"));
        let pinned = OneCpu::pin()
            .map_err(|e| Refusal::Unavailable(format!("both cannot stay on one CPU: {e}")))?;
        let child = Child::start(|| {
            if ptrace(libc::PTRACE_TRACEME, 0, 0).is_err() {
                return REFUSED;
            }
            // SAFETY: raise has no memory preconditions; the parent goes on from here.
            unsafe { libc::raise(libc::SIGSTOP) };
            loop {
                call();
            }
        })?;
        let (_, status) = wait(child.pid())?;
        if !libc::WIFSTOPPED(status) {
            std::mem::forget(child); // it has been waited for
            return Err(refused("the child has ended"));
        }
        ptrace(libc::PTRACE_SETOPTIONS, child.pid(), libc::PTRACE_O_EXITKILL)
            .map_err(|e| refused(&e.to_string()))?;
        Ok(Traced { child, _pinned: pinned })
    }

    fn pid(&self) -> libc::pid_t {
        self.child.pid()
    }
}

/// A request is a `c_uint` with glibc and a `c_int` with musl.
fn ptrace(request: impl Into<i64>, pid: libc::pid_t, data: libc::c_int) -> io::Result<()> {
    let none = ptr::null_mut::<libc::c_void>();
    // SAFETY: none of the requests made here reads or writes memory of this process.
    let done = unsafe { libc::ptrace(request.into() as _, pid, none, libc::c_long::from(data)) };
    check("ptrace", done).map(|_| ())
}

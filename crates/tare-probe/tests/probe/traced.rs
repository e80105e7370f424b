//! Follows a program by ptrace(2): how its processes are made, and what its system calls give.

use nix::sys::ptrace::{self, Event, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use std::collections::HashMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub enum Seen {
    /// A process was made: by a fork, or, when it is true, so that its parent waits until it is another program.
    Process(bool),
    /// The system call of that number gave that result.
    Call(u64, i64),
}

/// Runs `command` and tells `look` what is seen, until it has ended or `look` has seen enough (false).
pub fn follow(mut command: Command, mut look: impl FnMut(Seen) -> bool) {
    // SAFETY: the closure only makes a system call.
    unsafe { command.pre_exec(|| ptrace::traceme().map_err(io::Error::from)) };
    let first = command.spawn().expect("start").id() as i32;
    let mut options = Some(
        Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_EXITKILL,
    );
    let mut inside = HashMap::new();
    loop {
        // Of this thread alone: other tests have children, too.
        let stop = waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD));
        let (pid, signal, goes_on) = match stop.expect("wait") {
            WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..) => {
                if pid.as_raw() == first {
                    return;
                }
                continue;
            }
            WaitStatus::PtraceEvent(pid, _, event) => {
                (pid, None, look(Seen::Process(event == Event::PTRACE_EVENT_VFORK as i32)))
            }
            WaitStatus::PtraceSyscall(pid) => {
                let seen = call(pid, &mut inside);
                (pid, None, seen.is_none_or(&mut look))
            }
            WaitStatus::Stopped(pid, signal) => {
                if let Some(options) = options.take() {
                    ptrace::setoptions(pid, options).expect("set options");
                }
                let own = matches!(signal, Signal::SIGTRAP | Signal::SIGSTOP);
                (pid, (!own).then_some(signal), true)
            }
            other => panic!("{other:?}"),
        };
        if !goes_on {
            ptrace::kill(nix::unistd::Pid::from_raw(first)).expect("kill");
            return;
        }
        let _ = ptrace::syscall(pid, signal); // one that was killed meanwhile is waited for next
    }
}

/// The call that `pid` stops in front of or behind; told when it is over.
fn call(pid: nix::unistd::Pid, inside: &mut HashMap<i32, u64>) -> Option<Seen> {
    let mut place = MaybeUninit::<libc::ptrace_syscall_info>::zeroed();
    let (request, size) = (libc::PTRACE_GET_SYSCALL_INFO, size_of_val(&place));
    // SAFETY: the place has as many bytes as the kernel is told.
    unsafe { libc::ptrace(request, pid.as_raw(), size, place.as_mut_ptr()) };
    // SAFETY: zeroed bytes are a valid value, of no kind, and the kernel has filled it unless the process has gone.
    let info = unsafe { place.assume_init() };
    match info.op {
        libc::PTRACE_SYSCALL_INFO_ENTRY => {
            // SAFETY: the kernel says that it is this member.
            let entry = unsafe { info.u.entry };
            inside.insert(pid.as_raw(), entry.nr);
            None
        }
        libc::PTRACE_SYSCALL_INFO_EXIT => {
            // SAFETY: as above.
            let exit = unsafe { info.u.exit };
            Some(Seen::Call(inside.remove(&pid.as_raw())?, exit.sval))
        }
        _ => None,
    }
}

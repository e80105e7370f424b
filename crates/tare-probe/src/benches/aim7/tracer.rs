//! Follows the jobs of a user by ptrace(2) and counts their system calls, by the numbers that x86-64 gives them.

use super::mix;
use crate::bench::{Measured, Own, Refusal};
use crate::clock::now_ns;
use crate::process::{fork, wait};
use crate::scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ptr;
use tare_proto::Counter;

/// One user's jobs once, every call of them counted.
pub fn count(own: &Own) -> Result<Measured, Refusal> {
    scratch::folder();
    let deadline = now_ns() + 3 * own.limit.as_nanos() as u64;
    let (jobs, _) = mix::jobs()?;
    let traced = jobs.clone();
    let child = fork(move || {
        if ptrace(libc::PTRACE_TRACEME, 0, 0) == -1 {
            return REFUSED;
        }
        // SAFETY: raise has no memory preconditions; the parent goes on from here.
        unsafe { libc::raise(libc::SIGSTOP) };
        traced.iter().map(|job| mix::once(job)).find(|done| !done).map_or(0, |_| 1)
    })?;
    let calls = Tracer { child: Some(child), inside: BTreeSet::new() }.follow(deadline)?;
    let all: u64 = calls.values().sum();
    let share = |(&number, &count): (&i64, &u64)| {
        Counter::new(&format!("syscall/{}", name(number)), count as f64 / jobs.len() as f64)
    };
    let counters = calls.iter().map(share).collect();
    Ok(Measured { samples: vec![all as f64], ops: jobs.len() as u64, warmup: 0, counters })
}

/// The exit code of a child that may not be traced.
const REFUSED: i32 = 77;

/// A stop for a system call, told apart from SIGTRAP by `PTRACE_O_TRACESYSGOOD`.
const CALL: libc::c_int = libc::SIGTRAP | 0x80;

/// Follows a child and what it forks. Dropping it ends the child; what that had started ends by itself, at the
/// latest with the probe.
struct Tracer {
    /// Until it has been waited for.
    child: Option<libc::pid_t>,
    /// The processes that have entered a call and not left it.
    inside: BTreeSet<libc::pid_t>,
}

impl Tracer {
    /// How often each system call was entered, until the child's end.
    fn follow(mut self, deadline: u64) -> Result<BTreeMap<i64, u64>, Refusal> {
        let mut calls = BTreeMap::new();
        let mut attached = false;
        loop {
            let (pid, status) = wait_any()?;
            if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
                self.inside.remove(&pid);
                if self.child != Some(pid) {
                    continue;
                }
                self.child = None;
                return match libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)) {
                    Some(0) => Ok(calls),
                    Some(REFUSED) => Err(Refusal::Unavailable("ptrace(2) is refused here".into())),
                    _ => Err(Refusal::Failed("a job failed while its calls were counted".into())),
                };
            }
            if now_ns() > deadline {
                return Err(Refusal::Unavailable(
                    "counting takes longer than a series; --series gives it more".into(),
                ));
            }
            let signal = libc::WSTOPSIG(status);
            if !attached {
                attached = true;
                options(pid)?;
            } else if signal == CALL {
                if self.inside.remove(&pid) {
                    // it leaves the call
                } else if let Some(number) = called(pid) {
                    self.inside.insert(pid);
                    *calls.entry(number).or_default() += 1;
                }
            }
            let passed = match signal {
                CALL | libc::SIGTRAP | libc::SIGSTOP => 0,
                other => other,
            };
            // A process that has ended meanwhile is reported by the next wait.
            ptrace(libc::PTRACE_SYSCALL, pid, i64::from(passed));
        }
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        let Some(child) = self.child else { return };
        // SAFETY: kill has no memory preconditions; the child has not been waited for.
        unsafe { libc::kill(child, libc::SIGKILL) };
        let _ = wait(child);
    }
}

fn options(pid: libc::pid_t) -> Result<(), Refusal> {
    let wanted = libc::PTRACE_O_TRACESYSGOOD
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_EXITKILL;
    match ptrace(libc::PTRACE_SETOPTIONS, pid, i64::from(wanted)) {
        -1 => Err(Refusal::Unavailable(format!(
            "ptrace(2) cannot follow processes here: {}",
            io::Error::last_os_error()
        ))),
        _ => Ok(()),
    }
}

/// The number of the call that `pid` has stopped at.
fn called(pid: libc::pid_t) -> Option<i64> {
    /// Place of `orig_rax` among the registers.
    const NUMBER: usize = 15 * 8;
    // SAFETY: reading a register of a stopped child writes no memory of this process.
    let number = unsafe { libc::ptrace(libc::PTRACE_PEEKUSER, pid, NUMBER, 0) };
    (number >= 0).then_some(number)
}

fn ptrace(what: libc::c_uint, pid: libc::pid_t, data: i64) -> i64 {
    // SAFETY: none of the requests made here takes an address.
    unsafe { libc::ptrace(what, pid, ptr::null_mut::<u8>(), data) }
}

/// Waits for any child, threads of others among them.
fn wait_any() -> Result<(libc::pid_t, i32), Refusal> {
    let mut status = 0;
    // SAFETY: `status` is a valid place to write to.
    match unsafe { libc::waitpid(-1, &mut status, libc::__WALL) } {
        -1 => Err(io::Error::last_os_error().into()),
        pid => Ok((pid, status)),
    }
}

/// The names of the calls that the jobs make; others go by their number.
fn name(number: i64) -> String {
    let known = NAMES.iter().find(|(known, _)| *known == number);
    known.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
}

const NAMES: &[(libc::c_long, &str)] = &[
    (libc::SYS_accept4, "accept4"),
    (libc::SYS_bind, "bind"),
    (libc::SYS_brk, "brk"),
    (libc::SYS_clone, "clone"),
    (libc::SYS_close, "close"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_execve, "execve"),
    (libc::SYS_exit_group, "exit_group"),
    (libc::SYS_fcntl, "fcntl"),
    (libc::SYS_fstat, "fstat"),
    (libc::SYS_ftruncate, "ftruncate"),
    (libc::SYS_getdents64, "getdents64"),
    (libc::SYS_getpid, "getpid"),
    (libc::SYS_getrandom, "getrandom"),
    (libc::SYS_getsockname, "getsockname"),
    (libc::SYS_kill, "kill"),
    (libc::SYS_listen, "listen"),
    (libc::SYS_lseek, "lseek"),
    (libc::SYS_mmap, "mmap"),
    (libc::SYS_mprotect, "mprotect"),
    (libc::SYS_mremap, "mremap"),
    (libc::SYS_munmap, "munmap"),
    (libc::SYS_newfstatat, "newfstatat"),
    (libc::SYS_openat, "openat"),
    (libc::SYS_pipe2, "pipe2"),
    (libc::SYS_prlimit64, "prlimit64"),
    (libc::SYS_read, "read"),
    (libc::SYS_readlinkat, "readlinkat"),
    (libc::SYS_rseq, "rseq"),
    (libc::SYS_rt_sigaction, "rt_sigaction"),
    (libc::SYS_rt_sigprocmask, "rt_sigprocmask"),
    (libc::SYS_rt_sigreturn, "rt_sigreturn"),
    (libc::SYS_set_robust_list, "set_robust_list"),
    (libc::SYS_set_tid_address, "set_tid_address"),
    (libc::SYS_setsockopt, "setsockopt"),
    (libc::SYS_shmat, "shmat"),
    (libc::SYS_shmctl, "shmctl"),
    (libc::SYS_shmdt, "shmdt"),
    (libc::SYS_shmget, "shmget"),
    (libc::SYS_socket, "socket"),
    (libc::SYS_socketpair, "socketpair"),
    (libc::SYS_statx, "statx"),
    (libc::SYS_unlinkat, "unlinkat"),
    (libc::SYS_wait4, "wait4"),
    (libc::SYS_write, "write"),
    (libc::SYS_access, "access"),
    (libc::SYS_arch_prctl, "arch_prctl"),
    (libc::SYS_fork, "fork"),
    (libc::SYS_link, "link"),
    (libc::SYS_mkdir, "mkdir"),
    (libc::SYS_open, "open"),
    (libc::SYS_readlink, "readlink"),
    (libc::SYS_rmdir, "rmdir"),
    (libc::SYS_unlink, "unlink"),
];

//! The filter under which a program stops where it makes a call, and nowhere else: seccomp(2) with `SECCOMP_RET_TRACE`.
//!
//! A program that is stopped by PTRACE_SYSCALL stops twice at every call. Under the filter it stops once, and a second time
//! only where the result matters. Programs that are started are heard of as events, so exec is let through: the filter is
//! there before the tracer has said what it wants. Where the kernel counts calls, those that it counts apart are let through as well.

use std::io;

/// What the tracer is told with a stop: a call, or a call of another architecture.
pub const CALL: u32 = 1;
pub const FOREIGN: u32 = 2;

/// This architecture, as the kernel's audit calls it.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "x86")]
const ARCHITECTURE: u32 = 0x4000_0003;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
#[cfg(target_arch = "powerpc64")]
const ARCHITECTURE: u32 = 0xc000_0015;

/// Numbers from here on are those of x32, which is no architecture of its own.
const X32: u32 = 0x4000_0000;

/// Places in `struct seccomp_data`.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

const fn step(code: u16, yes: u8, no: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code, jt: yes, jf: no, k }
}

/// Calls that read a clock, where the kernel's page for that (vDSO) does not do it. Not every architecture has all three.
#[cfg(not(target_arch = "aarch64"))]
pub const CLOCKS: [libc::c_long; 3] =
    [libc::SYS_clock_gettime, libc::SYS_gettimeofday, libc::SYS_time];
#[cfg(target_arch = "aarch64")]
pub const CLOCKS: [libc::c_long; 3] =
    [libc::SYS_clock_gettime, libc::SYS_gettimeofday, libc::SYS_gettimeofday];

/// Calls that the kernel counts where it can, so that a program need not stop for them: it may read a clock a million times, and threads
/// that are stopped meet at a lock ten times as often as without a tracer.
pub const APART: [libc::c_long; 4] = [CLOCKS[0], CLOCKS[1], CLOCKS[2], libc::SYS_futex];

type Filter = [libc::sock_filter; 13];

/// Stops at all calls but exec and those that are `let_through`.
const fn filter(let_through: [libc::c_long; APART.len()]) -> Filter {
    [
        step(LOAD, 0, 0, ARCHITECTURE_AT),
        step(EQUAL, 0, 9, ARCHITECTURE),
        step(LOAD, 0, 0, NUMBER_AT),
        step(AT_LEAST, 7, 0, X32),
        step(EQUAL, 7, 0, libc::SYS_execve as u32),
        step(EQUAL, 6, 0, libc::SYS_execveat as u32),
        step(EQUAL, 5, 0, let_through[0] as u32),
        step(EQUAL, 4, 0, let_through[1] as u32),
        step(EQUAL, 3, 0, let_through[2] as u32),
        step(EQUAL, 2, 0, let_through[3] as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_TRACE | CALL),
        step(RETURN, 0, 0, libc::SECCOMP_RET_TRACE | FOREIGN),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

/// Lets nothing through but exec.
pub static AT_ALL: Filter = filter([libc::SYS_execve; APART.len()]);

/// Lets the calls through that are counted apart.
pub static AT_UNCOUNTED: Filter = filter(APART);

/// Whether a call of this `architecture` and `number` is one that can be counted.
pub fn is_own(architecture: u32, number: u64) -> bool {
    architecture == ARCHITECTURE && number < u64::from(X32)
}

/// Puts this process and all that it starts under `filter`. Only makes system calls, as is allowed between fork and exec.
///
/// An ordinary user's process may do so once it can gain no rights, which under a tracer of that user it cannot anyway.
pub fn enter(filter: &'static Filter) -> io::Result<()> {
    // SAFETY: it takes nothing.
    let is_root = unsafe { libc::geteuid() } == 0;
    // SAFETY: this request takes numbers alone.
    let gives_up = || unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } == 0;
    if !is_root && !gives_up() {
        return Err(io::Error::last_os_error());
    }
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program is valid, and the kernel copies it.
    let done =
        unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

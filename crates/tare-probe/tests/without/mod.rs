//! A filter that refuses system calls, as a layer that lacks them does.
#![allow(dead_code)] // each test file uses its part

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// A system call that is refused with `error` if its third argument has one of the bits of `mask`.
pub struct Refused {
    pub call: i64,
    pub mask: u32,
    pub error: i32,
}

/// All of `call`'s uses are refused with ENOSYS.
pub fn lacking(call: i64) -> Refused {
    Refused { call, mask: 0, error: libc::ENOSYS }
}

pub fn refuse(command: &mut Command, refused: &[Refused]) {
    let mut rules: Vec<libc::sock_filter> = refused.iter().flat_map(rule).collect();
    rules.push(step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    // SAFETY: `filter` only makes system calls, as is allowed between fork and exec.
    unsafe { command.pre_exec(move || filter(&rules)) };
}

fn step(code: u32, yes: u8, no: u8, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: yes, jf: no, k }
}

/// Loads the call's number, then its third argument; each mismatch leaves the rule.
fn rule(refused: &Refused) -> [libc::sock_filter; 5] {
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let (any, mask) = (refused.mask == 0, refused.mask);
    [
        step(load, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 3, refused.call as u32),
        step(load, 0, 0, 32),
        step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, u8::from(!any), mask),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | refused.error as u32),
    ]
}

fn filter(rules: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog { len: rules.len() as u16, filter: rules.as_ptr().cast_mut() };
    // SAFETY: plain numbers.
    let first = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    let mode = libc::SECCOMP_MODE_FILTER;
    // SAFETY: the program and its rules live until the call returns.
    let second = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) };
    if first == 0 && second == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

//! Processors with more registers than a User-Mode Linux can keep.
//!
//! Linux before 6.14, built for its own host, keeps 2,696 bytes of a guest process' registers: up to AVX-512 and the
//! protection keys. With AMX (11,008 bytes) the host refuses so few, and the first process of the guest ends. When the
//! host denies it those registers, UML goes on with the older ones (SSE), and what it does not keep must not be used: the
//! C library inside and Go's runtime are told to leave AVX alone, and nothing else of the probe is compiled for it.

use nix::errno::Errno;
use nix::sys::prctl;
use std::io;

/// Bytes that such a kernel keeps (`HOST_FP_SIZE` of its build).
const KEPT: u32 = 2696;

/// `PTRACE_GETREGSET`: UML asks once whether the host has it, and uses `PTRACE_GETFPREGS` when not.
const GETREGSET: u32 = 0x4204;

/// What the kernel hands on as the probe's environment, and the probe to programs: for the C library, and for Go's runtime.
pub const WITHOUT_AVX: [&str; 2] = [
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-AVX_Fast_Unaligned_Load",
    "GODEBUG=cpu.avx=off,cpu.avx2=off,cpu.avx512f=off",
];

/// Whether the host's registers are more than such a kernel keeps.
pub fn are_too_many() -> bool {
    size() > KEPT
}

/// Bytes of a process' registers as the host has them switched on (CPUID leaf 0xd).
#[cfg(target_arch = "x86_64")]
fn size() -> u32 {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    match __cpuid(0).eax {
        0xd.. => __cpuid_count(0xd, 0).ebx,
        _ => 0,
    }
}

/// Elsewhere there is no User-Mode Linux.
#[cfg(not(target_arch = "x86_64"))]
fn size() -> u32 {
    0
}

/// Denies this process and all that come from it [`GETREGSET`]. Only makes system calls, as is allowed between fork and exec.
pub(crate) fn only_the_older() -> io::Result<()> {
    let instruction = |code: u32, k: u32, on: u8, off: u8| libc::sock_filter {
        code: code as u16,
        jt: on,
        jf: off,
        k,
    };
    let (load, equal, answer) = (
        libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
        libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
        libc::BPF_RET | libc::BPF_K,
    );
    // Offsets in `struct seccomp_data`: the call's number, the lower half of its first argument.
    let number = 0;
    let request = 16;
    let refused = libc::SECCOMP_RET_ERRNO | Errno::EINVAL as u32;
    let mut program = [
        instruction(load, number, 0, 0),
        instruction(equal, libc::SYS_ptrace as u32, 0, 3),
        instruction(load, request, 0, 0),
        instruction(equal, GETREGSET, 0, 1),
        instruction(answer, refused, 0, 0),
        instruction(answer, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    prctl::set_no_new_privs()?;
    // SAFETY: the filter and its instructions live until the call has copied them.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &filter) };
    Ok(Errno::result(done).map(drop)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn the_request_is_refused_and_nothing_else() {
        let asked = |request: u32| {
            let denied = move || {
                only_the_older()?;
                // SAFETY: no process has the id 0, so the call reads and writes nothing.
                let done = unsafe { libc::syscall(libc::SYS_ptrace, request, 0, 0, 0) };
                Errno::result(done).map(drop).map_err(io::Error::from)
            };
            let mut command = Command::new("true");
            // SAFETY: the closure only makes system calls.
            unsafe { command.pre_exec(denied) };
            command.status().expect_err("no process has the id 0").raw_os_error()
        };
        assert_eq!(asked(GETREGSET), Some(Errno::EINVAL as i32));
        assert_eq!(asked(GETREGSET + 1), Some(Errno::ESRCH as i32));
    }
}

//! Instructions that trap, and a signal handler that steps over them.
//!
//! Each trapping instruction leaves the address after it in a register; the handler
//! sets the program counter to it, so recovery needs no system call and no non-local jump. Where all
//! instructions have one length, no register is needed.

use crate::bench::Refusal;
use crate::signals::Handler;

/// Steps over every trap of this module that raises `signal`, until dropped.
pub fn recover_from(signal: libc::c_int) -> Result<Handler, Refusal> {
    extern "C" fn step(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the kernel passes a whole context that is this handler's to change.
        arch::step_over(unsafe { &mut *context.cast() });
    }
    Ok(Handler::with_context(signal, step)?)
}

/// Writes one byte to `at`, where writing is forbidden: SIGSEGV.
pub use arch::forbidden_write;

/// Divides by zero: SIGFPE where [`DIVISION_TRAPS`].
pub use arch::divide_by_zero;

/// Whether this architecture traps a division by zero.
pub use arch::DIVISION_TRAPS;

#[cfg(target_arch = "x86_64")]
mod arch {
    use std::arch::asm;

    pub const DIVISION_TRAPS: bool = true;

    #[inline(always)]
    pub fn forbidden_write(at: *mut u8) {
        // SAFETY: the write never happens; the handler resumes at the label, whose address is in r8.
        unsafe {
            asm!(
                "lea r8, [rip + 2f]",
                "mov byte ptr [{at}], 0",
                "2:",
                at = in(reg) at,
                out("r8") _,
            )
        };
    }

    #[inline(always)]
    pub fn divide_by_zero() {
        // SAFETY: the division never ends; the handler resumes at the label, whose address is in r8.
        unsafe {
            asm!(
                "lea r8, [rip + 2f]",
                "div {zero:e}",
                "2:",
                zero = in(reg) 0,
                inout("eax") 1 => _,
                inout("edx") 0 => _,
                out("r8") _,
            )
        };
    }

    pub fn step_over(context: &mut libc::ucontext_t) {
        let registers = &mut context.uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] = registers[libc::REG_R8 as usize];
    }
}

#[cfg(target_arch = "x86")]
mod arch {
    use std::arch::asm;

    pub const DIVISION_TRAPS: bool = true;

    /// Places of ECX and EIP among a context's registers (the kernel's `struct sigcontext_32`).
    const ECX: usize = 10;
    const EIP: usize = 14;

    #[inline(always)]
    pub fn forbidden_write(at: *mut u8) {
        // SAFETY: the write never happens; the handler resumes at the label, whose address is in ecx.
        unsafe {
            asm!(
                "lea ecx, [2f]",
                "mov byte ptr [{at}], 0",
                "2:",
                at = in(reg) at,
                out("ecx") _,
            )
        };
    }

    #[inline(always)]
    pub fn divide_by_zero() {
        // SAFETY: the division never ends; the handler resumes at the label, whose address is in ecx.
        unsafe {
            asm!(
                "lea ecx, [2f]",
                "div {zero:e}",
                "2:",
                zero = in(reg) 0,
                inout("eax") 1 => _,
                inout("edx") 0 => _,
                out("ecx") _,
            )
        };
    }

    pub fn step_over(context: &mut libc::ucontext_t) {
        let registers = (&raw mut context.uc_mcontext).cast::<u32>();
        // SAFETY: the context holds 19 registers, and begins with them.
        let next = unsafe { registers.wrapping_add(ECX).read() };
        // SAFETY: as above.
        unsafe { registers.wrapping_add(EIP).write(next) };
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use std::arch::asm;

    pub const DIVISION_TRAPS: bool = false;

    #[inline(always)]
    pub fn forbidden_write(at: *mut u8) {
        // SAFETY: the write never happens; the handler resumes at the label, whose address is in x9.
        unsafe { asm!("adr x9, 2f", "strb wzr, [{at}]", "2:", at = in(reg) at, out("x9") _) };
    }

    /// The quotient is zero here: nothing traps.
    pub fn divide_by_zero() {}

    pub fn step_over(context: &mut libc::ucontext_t) {
        context.uc_mcontext.pc = context.uc_mcontext.regs[9];
    }
}

#[cfg(target_arch = "powerpc64")]
mod arch {
    pub const DIVISION_TRAPS: bool = false;

    /// Places among a context's registers (the kernel's `struct pt_regs`).
    const NIP: usize = 32;

    /// Bytes of an instruction.
    const INSTRUCTION: u64 = 4;

    #[inline(always)]
    pub fn forbidden_write(at: *mut u8) {
        // SAFETY: the write never happens; the handler resumes behind its one instruction.
        unsafe { at.write_volatile(0) };
    }

    /// The quotient is undefined here: nothing traps.
    pub fn divide_by_zero() {}

    pub fn step_over(context: &mut libc::ucontext_t) {
        context.uc_mcontext.gp_regs[NIP] += INSTRUCTION;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_trap_is_stepped_over_and_no_other_register_changes() {
        // SAFETY: all zeros is a valid value.
        let mut context: libc::ucontext_t = unsafe { std::mem::zeroed() };
        let registers = &mut context.uc_mcontext.gregs;
        (1..).zip(registers.iter_mut()).for_each(|(number, register)| *register = number);
        let mut wanted = *registers;
        wanted[libc::REG_RIP as usize] = wanted[libc::REG_R8 as usize];
        arch::step_over(&mut context);
        assert_eq!(context.uc_mcontext.gregs, wanted);
    }

    #[test]
    fn what_traps_goes_on_behind_it() {
        let access = libc::PROT_NONE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a fresh mapping of no file, at no wanted place.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, kind, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        let _writes = recover_from(libc::SIGSEGV).unwrap();
        let _divisions = recover_from(libc::SIGFPE).unwrap();
        let mut done = 0;
        for _ in 0..100 {
            forbidden_write(page.cast());
            divide_by_zero();
            done += 1;
        }
        assert_eq!(done, 100);
        // SAFETY: the mapping made above, which nothing refers to.
        unsafe { libc::munmap(page, 4096) };
    }
}

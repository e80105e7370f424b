//! A non-local jump, as C's setjmp and longjmp do it: what a called function must preserve is stored, and a
//! function further down puts it back and goes on at the stored place.

/// Whether it is written for this processor.
pub const POSSIBLE: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Stores the place, calls a function, and is back without that function's return.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub fn there_and_back() {
    let mut place = [0u64; 8];
    // SAFETY: the called code restores every register that it must preserve, the stack pointer among them, from
    // the buffer that was filled just before, and goes on behind the call; nothing in between needs unwinding.
    unsafe {
        std::arch::asm!(
            "lea rax, [rip + 3f]",
            "mov [rdi], rbx",
            "mov [rdi + 8], rbp",
            "mov [rdi + 16], r12",
            "mov [rdi + 24], r13",
            "mov [rdi + 32], r14",
            "mov [rdi + 40], r15",
            "mov [rdi + 48], rsp",
            "mov [rdi + 56], rax",
            "call 2f",
            "ud2",
            "2:",
            "mov rbx, [rdi]",
            "mov rbp, [rdi + 8]",
            "mov r12, [rdi + 16]",
            "mov r13, [rdi + 24]",
            "mov r14, [rdi + 32]",
            "mov r15, [rdi + 40]",
            "mov rsp, [rdi + 48]",
            "jmp [rdi + 56]",
            "3:",
            in("rdi") place.as_mut_ptr(),
            out("rax") _,
            clobber_abi("C"),
        );
    }
}

/// Stores the place, calls a function, and is back without that function's return.
#[cfg(target_arch = "aarch64")]
#[inline(never)]
pub fn there_and_back() {
    let mut place = [0u64; 14];
    // SAFETY: as on x86-64.
    unsafe {
        std::arch::asm!(
            "adr x9, 3f",
            "mov x10, sp",
            "stp x19, x20, [x0]",
            "stp x21, x22, [x0, #16]",
            "stp x23, x24, [x0, #32]",
            "stp x25, x26, [x0, #48]",
            "stp x27, x28, [x0, #64]",
            "stp x29, x9, [x0, #80]",
            "str x10, [x0, #96]",
            "bl 2f",
            "brk #1",
            "2:",
            "ldp x19, x20, [x0]",
            "ldp x21, x22, [x0, #16]",
            "ldp x23, x24, [x0, #32]",
            "ldp x25, x26, [x0, #48]",
            "ldp x27, x28, [x0, #64]",
            "ldp x29, x9, [x0, #80]",
            "ldr x10, [x0, #96]",
            "mov sp, x10",
            "br x9",
            "3:",
            in("x0") place.as_mut_ptr(),
            clobber_abi("C"),
        );
    }
}

/// Never called: see [`POSSIBLE`].
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn there_and_back() {}

//! The first instructions of the probe on x86-64, before its C library's.
//!
//! The C library begins by asking the processor what it can do, with several dozen `cpuid` instructions. Each of them leaves a virtual
//! machine, and takes some microseconds there and on a host that is one itself: three quarters of what `fork_exec` would measure. So the
//! program of `fork_exec` ([`crate::applets::HELLO`]) is told apart here by its name, writes its line and ends. Everything else goes on
//! to the C library's entry point.
//!
//! `crates/tare/build.rs` makes this the entry point of the probe that tare carries (`--entry`). A probe that is linked without that
//! works as well, and its `fork_exec` includes the C library's start.

// An argument is followed by the rest of the kernel's strings, of which the last is the program's path, so that eleven bytes can be read
// from any of them. No register changes that the C library's entry reads: `rdx` and `rsp`.
std::arch::global_asm!(
    ".globl tare_entry",
    "tare_entry:",
    "mov r8, [rsp + 8]",
    "test r8, r8",
    "jz 2f",
    "movabs r9, 0x6c65682d65726174", // "tare-hel"
    "cmp r9, [r8]",
    "jne 2f",
    "mov r9d, [r8 + 8]",
    "and r9d, 0xffffff",
    "cmp r9d, 0x6f6c", // "lo" and its end
    "jne 2f",
    "mov eax, 1", // write(1, "hello\n", 6)
    "mov edi, 1",
    "lea rsi, [rip + 3f]",
    "mov edx, 6",
    "syscall",
    "mov eax, 231", // exit_group(0)
    "xor edi, edi",
    "syscall",
    "2:",
    "jmp _start",
    "3:",
    ".ascii \"hello\\n\"",
);

//! The probe's entry point.
#![no_main] // see `main`

/// The C entry point, not Rust's: an exec'd child (see `applets`) must cost what an empty static program costs, without the Rust
/// runtime's system calls or an allocation before it starts.
#[unsafe(no_mangle)]
extern "C" fn main(count: libc::c_int, values: *const *const libc::c_char) -> libc::c_int {
    // SAFETY: they are the kernel's.
    unsafe { tare_probe::main(count, values) }
}

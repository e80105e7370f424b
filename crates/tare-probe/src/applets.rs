//! The programs that benchmarks exec: the probe is its own tiny program and shell, so that every
//! layer runs identical bits.

/// Runs the applet that `program` (argument 0) names; `None` when this is the probe itself.
pub fn run(program: &str, args: &[String]) -> Option<i32> {
    match (program, args) {
        ("tare-hello", _) => Some(hello()),
        _ => None,
    }
}

/// The smallest program that does something: one line on standard output.
fn hello() -> i32 {
    let text = b"hello\n";
    // SAFETY: the pointer and the length are of the same array.
    unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
    0
}

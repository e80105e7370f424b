//! UnixBench's shell scripts: a shell starts as many scripts at once as the test says and waits for
//! them; each sorts a file, dumps it and sorts the dump by number, greps it through tee into wc, and
//! removes its four files.
//!
//! Shell and tools are the probe's applets (see [`crate::applets`]): the processes, pipes and files are
//! those of the original, the text and the tools are not, so a script is much cheaper here.

use crate::applets::{MULTI, script};
use crate::bench::{Op, Refusal};
use crate::process::{child_exits, exec_applet};
use crate::scratch::Named;
use std::ffi::CString;
use std::fmt::Write;
use std::fs;

/// Lines of the text.
const LINES: u32 = 300;

/// `SCRIPTS` scripts at once.
pub fn prepare<const SCRIPTS: usize>() -> Result<Op, Refusal> {
    let source = Named::new("sort")?;
    let path = source.c_path();
    fs::write(path.to_str().expect("a plain name"), text())?;
    let scripts = CString::new(SCRIPTS.to_string()).expect("digits");
    Ok(Op::new(move || {
        let _until_dropped = &source;
        child_exits(script::DONE, || exec_applet(&[MULTI, &scripts, &path]));
    }))
}

/// Lines of words in no order, the same on every layer; every seventh holds what is looked for.
fn text() -> String {
    let mut text = String::new();
    let mut state = 12_345u32;
    for line in 0..LINES {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let word = if line % 7 == 0 { "the" } else { "and" };
        let _ = writeln!(text, "{state:08x} {word} line {line} of a text to sort");
    }
    text
}

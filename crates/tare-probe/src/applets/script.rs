//! The shell of UnixBench's scripts: the requested number of scripts at once, each a process that
//! starts the tools, connects them and waits for them.

use super::number;
use super::tools::{DUMP, FIND, REMOVE, SORT, TEE, WORDS};
use crate::process::{MOST_ARGS, exec_applet, exec_keeping_output, fork, spawned, wait};
use crate::scratch::own_id;
use crate::sys::pipe;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// `tare-script FILE`: one script.
pub const SCRIPT: &CStr = c"tare-script";

/// What a script exits with when all of its tools did: not 0, which what never ran may have, too.
pub const DONE: i32 = 42;

/// Starts as many scripts at once as `count` says and waits for all.
pub fn multi(count: Option<&CStr>, source: Option<&CStr>) -> i32 {
    let (Some(count), Some(source)) = (number(count), source) else { return 2 };
    for _ in 0..count {
        if fork(|| exec_applet(&[SCRIPT, source])).is_err() {
            return 126;
        }
    }
    let ended = (0..count).map(|_| wait(-1)).all(|end| matches!(end, Ok((_, s)) if s == DONE << 8));
    if ended { DONE } else { 1 }
}

pub fn script(source: Option<&CStr>) -> i32 {
    let Some(source) = source.and_then(|source| source.to_str().ok()) else { return 2 };
    match run(source) {
        Ok(true) => DONE,
        Ok(false) => 1,
        Err(_) => 126,
    }
}

fn run(source: &str) -> io::Result<bool> {
    let files = ["sort", "od", "grep", "wc"].map(|tool| format!("{tool}.{}", own_id()));
    let [sorted, dumped, _, counted] = &files;
    let names = files.clone().map(|name| CString::new(name).expect("no NUL in a name"));
    let fine = pipeline(Some(File::open(source)?), &[&[SORT]], File::create(sorted)?)?
        && pipeline(None, &[&[DUMP, &names[0]], &[SORT, c"-n"]], File::create(dumped)?)?
        && {
            let words = &[FIND, c"the", &names[0]];
            pipeline(None, &[words, &[TEE, &names[2]], &[WORDS]], File::create(counted)?)?
        };
    let mut remove = [REMOVE; MOST_ARGS];
    let words = names.len() + 1;
    remove[1..words].iter_mut().zip(&names).for_each(|(word, name)| *word = name);
    let removed = wait(spawned(|| exec_applet(&remove[..words]))?)?;
    Ok(fine && removed.1 == 0)
}

/// Runs tools at once, each reading what the one before it writes; whether all succeeded.
fn pipeline(input: Option<File>, tools: &[&[&CStr]], output: File) -> io::Result<bool> {
    let mut input: Option<OwnedFd> = input.map(OwnedFd::from);
    let mut output: Option<OwnedFd> = Some(output.into());
    for (at, tool) in tools.iter().enumerate() {
        let last = at + 1 == tools.len();
        let (reader, writer) =
            if last { (None, None) } else { pipe().map(|(r, w)| (Some(r), Some(w)))? };
        let writer = writer.or_else(|| output.take());
        let begin = || {
            become_standard(input.as_ref(), 0);
            become_standard(writer.as_ref(), 1);
            exec_keeping_output(tool)
        };
        // A shell forks for a pipeline; for a command of its own it need not copy itself.
        if tools.len() > 1 {
            fork(begin)?
        } else {
            spawned(begin)?
        };
        input = reader;
    }
    drop(input);
    let mut fine = true;
    for _ in tools {
        fine &= wait(-1)?.1 == 0;
    }
    Ok(fine)
}

fn become_standard(file: Option<&OwnedFd>, number: libc::c_int) {
    if let Some(file) = file {
        // SAFETY: dup2 has no memory preconditions; the child's own numbers 0 and 1 are replaced.
        unsafe { libc::dup2(file.as_raw_fd(), number) };
    }
}

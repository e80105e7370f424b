//! For a machine that contains another layer: PID 1 starts that layer on the guest's line instead of serving it itself.

use crate::{process, sys};
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use tare_proto::{INNER, Inner};

/// Longest command in a message, in characters.
const MOST: usize = 200;

/// What the host wants started in here, if this guest is such a machine.
pub fn read() -> Option<io::Result<Inner>> {
    let text = fs::read(INNER).ok()?;
    Some(
        serde_json::from_slice(&text).map_err(|e| sys::name_error(INNER, std::io::Error::other(e))),
    )
}

/// Starts the layer on `line` and reaps whatever ends until it ends itself.
pub fn run(inner: &Inner, line: RawFd) -> io::Result<()> {
    leave_rootfs()?;
    for (kind, place) in &inner.mounts {
        mount(kind, place, kind, 0)?;
    }
    for step in &inner.steps {
        finish(step, command(step, &inner.env)?.stdin(Stdio::null()))?;
    }
    // SAFETY: the line is open for the life of the guest.
    let line = unsafe { BorrowedFd::borrow_raw(line) };
    let (input, output) = (line.try_clone_to_owned()?, line.try_clone_to_owned()?);
    finish(&inner.program, command(&inner.program, &inner.env)?.stdin(input).stdout(output))
}

/// Makes the root an ordinary mount, which the kernel's own root file system is not: `pivot_root` would refuse it.
fn leave_rootfs() -> io::Result<()> {
    mount("/", "/root", "", libc::MS_BIND | libc::MS_REC)?;
    std::env::set_current_dir("/root")?;
    mount(".", "/", "", libc::MS_MOVE)?;
    std::os::unix::fs::chroot(".")?;
    std::env::set_current_dir("/")
}

fn mount(what: &str, place: &str, kind: &str, flags: libc::c_ulong) -> io::Result<()> {
    fs::create_dir_all(place)?;
    let [from, to, of] = [what, place, kind].map(CString::new);
    let (from, to, of) = (from?, to?, of?);
    // SAFETY: all three strings are NUL-terminated; there is no data argument.
    let done =
        unsafe { libc::mount(from.as_ptr(), to.as_ptr(), of.as_ptr(), flags, std::ptr::null()) };
    sys::check(format_args!("mount {what} at {place}"), done).map(drop)
}

fn command(words: &[String], env: &[(String, String)]) -> io::Result<Command> {
    let (program, args) = words.split_first().ok_or_else(|| io::Error::other("no program"))?;
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env.iter().map(|(key, value)| (key, value)));
    Ok(command)
}

/// Runs `command` to its end, which must be a good one.
fn finish(words: &[String], command: &mut Command) -> io::Result<()> {
    let name: String = words.join(" ").chars().take(MOST).collect();
    let named = |e| sys::name_error(&name, e);
    let child = command.spawn().map_err(named)?;
    let status = process::reap_until(child.id() as libc::pid_t).map_err(named)?;
    match ExitStatus::from_raw(status) {
        status if status.success() => Ok(()),
        status => Err(io::Error::other(format!("{name}: {status}"))),
    }
}

//! The keeper's own life. It owns the boot's folder, starts the layer, adopts every process that
//! the layer leaves, and when tare goes away (the other end of the life line closes, as it does on
//! SIGKILL) or the layer's first process ends, it ends and removes all of it.

use crate::keeper::{LIFE, News, Order};
use crate::{Helper, Image, Program, affinity, procs, programs};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout, setsid};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{BorrowedFd, FromRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use std::{fs, thread};

/// What would end the keeper before its work is done.
const IGNORED: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGPIPE];

/// Longest time that one of a layer's cleaning commands may take.
const CLEANING: Duration = Duration::from_secs(8);

/// The keeper's whole life; the hidden command that [`crate::Keeper`] starts calls this and exits.
///
/// The folder of the boot is made under `parent`.
pub fn keep(parent: &Path) -> io::Result<()> {
    let life = life_line()?;
    let _ = setsid(); // fails only if this process leads a session already
    on_signals(SigHandler::SigIgn)?;
    prctl::set_name(c"layer-keeper")?; // not hit by a `killall -9 tare`, after which it cleans up
    prctl::set_child_subreaper(true)?;
    let folder = match folder(parent) {
        Ok(folder) => folder,
        Err(refused) => {
            tell(&life, &News::Refused(format!("{}: {refused}", parent.display())));
            return Ok(());
        }
    };
    tell(&life, &News::Folder(folder.path().to_owned()));
    let mut orders = BufReader::new(life.try_clone()?);
    let mut text = String::new();
    if orders.read_line(&mut text)? == 0 {
        return Ok(()); // tare is gone already; the folder goes with this function
    }
    let order: Order = serde_json::from_str(&text)?;
    match start_layer(&order, folder.path(), &life) {
        Err(refused) => {
            tell(&life, &News::Refused(refused.to_string()));
            thread::spawn(end_all);
            reap_all(0, &life); // helpers may be running already
        }
        Ok(first) => {
            end_with(orders);
            reap_all(first, &life);
        }
    }
    let left = remove_all(&order.program, folder);
    tell(&life, &News::Clean(left));
    Ok(())
}

/// Layers start elsewhere, so the path must be absolute.
fn folder(parent: &Path) -> io::Result<tempfile::TempDir> {
    let parent = parent.canonicalize()?;
    if parent.to_str().is_none() {
        let why = "its name is not UTF-8, which no layer's settings can hold; set TMPDIR to another folder";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    tempfile::Builder::new().prefix("tare-").tempdir_in(parent)
}

fn life_line() -> io::Result<UnixStream> {
    // SAFETY: the descriptor is only borrowed, and is checked by the call itself.
    let borrowed = unsafe { BorrowedFd::borrow_raw(LIFE) };
    fcntl(borrowed, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))
        .map_err(|_| io::Error::other("this command is started by tare itself"))?;
    // SAFETY: the fcntl above has shown that the descriptor is open; nothing else owns it.
    Ok(unsafe { UnixStream::from_raw_fd(LIFE) })
}

/// tare may be gone: then there is nobody to tell, and the life line's end says what to do.
fn tell(mut life: &UnixStream, news: &News) {
    if let Ok(mut line) = serde_json::to_string(news) {
        line.push('\n');
        let _ = life.write_all(line.as_bytes());
    }
}

fn on_signals(handler: SigHandler) -> io::Result<()> {
    for which in IGNORED {
        // SAFETY: neither ignoring a signal nor its default installs handler code.
        unsafe { signal(which, handler) }?;
    }
    Ok(())
}

/// Starts the layer's first process; its process id.
fn start_layer(order: &Order, folder: &Path, life: &UnixStream) -> io::Result<u32> {
    let what = &order.program;
    what.folders.iter().try_for_each(fs::create_dir)?;
    what.images.iter().try_for_each(Image::make)?;
    what.setup.iter().try_for_each(|words| set_up(words, &what.env))?;
    let helpers = what.helpers.iter().map(start_helper).collect::<io::Result<Vec<_>>>()?;
    pin(&order.cpus)?;
    let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let mut command = Command::new(&what.program);
    command.args(&what.args).env_clear().envs(what.env.iter().cloned()).current_dir(folder);
    // SAFETY: `as_a_layer` only makes system calls, as is allowed between fork and exec.
    unsafe { command.pre_exec(as_a_layer) };
    let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", what.program.display()));
    let started = monotonic_ns();
    let first = command.spawn().map_err(named)?;
    tell(life, &News::Started { at: started, helpers });
    // The keeper's copies of the layer's streams must go, or tare would never see their end.
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    Ok(first.id()) // reaped with all others; dropping the handle does not touch the process
}

fn set_up(words: &[String], env: &[(String, String)]) -> io::Result<()> {
    let Some((name, args)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(name);
    command.args(args).env_clear().envs(env.iter().cloned());
    let done = programs::output(&mut command, CLEANING);
    done.map(drop).map_err(|why| io::Error::other(format!("{}: {why}", words.join(" "))))
}

/// Starts a helper and waits until it is ready; its process id.
fn start_helper(helper: &Helper) -> io::Result<u32> {
    let mut command = Command::new(&helper.program);
    command.args(&helper.args).env_clear().envs(helper.env.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: `as_a_layer` only makes system calls, as is allowed between fork and exec.
    unsafe { command.pre_exec(as_a_layer) };
    let mut started = command.spawn()?;
    let mut says = String::new();
    if let Some(output) = started.stdout.take() {
        BufReader::new(output).read_line(&mut says)?;
    }
    match says.trim() {
        "ready" => Ok(started.id()), // reaped with all others
        why => Err(io::Error::other(format!("the other end of the network: {why}"))),
    }
}

/// A layer takes signals as usual, and goes with its keeper should that be killed itself.
fn as_a_layer() -> io::Result<()> {
    on_signals(SigHandler::SigDfl)?;
    Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)
}

fn pin(cpus: &[u32]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    affinity::pin(cpus)
}

/// Ends every process of the layer when tare closes the life line.
fn end_with(mut orders: BufReader<UnixStream>) {
    thread::spawn(move || {
        let _ = io::copy(&mut orders, &mut io::sink());
        end_all();
    });
}

/// Reaps until no child is left. Once the first process has ended the rest is ended too: what it
/// leaves running is not part of any measurement.
fn reap_all(first: u32, life: &UnixStream) {
    loop {
        let (pid, how) = match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) => (pid, format!("exit code {code}")),
            Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, format!("signal {signal}")),
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => break,
        };
        if pid.as_raw() as u32 == first {
            tell(life, &News::Ended(how));
            thread::spawn(end_all);
        }
    }
    *NONE_LEFT.lock().unwrap_or_else(|e| e.into_inner()) = true;
}

/// Set when the layer has no process left. What runs below the keeper from then on cleans up and
/// must not be ended.
static NONE_LEFT: Mutex<bool> = Mutex::new(false);

/// Ends the layer's processes until there are none: one may start another before it is hit.
fn end_all() {
    loop {
        let none_left = NONE_LEFT.lock().unwrap_or_else(|e| e.into_inner());
        if *none_left {
            return;
        }
        end_descendants();
        drop(none_left);
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends SIGKILL to every descendant. Each is held by a descriptor and looked up again before it is
/// signalled, so that a recycled process id is never hit.
fn end_descendants() {
    let keeper = std::process::id();
    for pid in procs::descendants(keeper) {
        // SAFETY: pidfd_open takes plain numbers.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        if fd < 0 {
            continue;
        }
        if procs::descendants(keeper).contains(&pid) {
            let none = std::ptr::null::<libc::siginfo_t>();
            // SAFETY: the descriptor is open, and a null siginfo is allowed.
            unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, libc::SIGKILL, none, 0) };
        }
        // SAFETY: the descriptor is ours and not used again.
        unsafe { libc::close(fd as i32) };
    }
}

/// Runs the layer's own cleaning commands and removes the folders; names what could not be removed.
fn remove_all(program: &Program, folder: tempfile::TempDir) -> Vec<String> {
    for words in &program.cleanup {
        let Some((name, args)) = words.split_first() else { continue };
        let mut command = Command::new(name);
        command.args(args).env_clear().envs(program.env.iter().cloned());
        let _ = programs::output(&mut command, CLEANING); // nothing to remove is an error for some
    }
    let path = folder.path().to_owned();
    let mut removed: Vec<(PathBuf, io::Result<()>)> = vec![(path, folder.close())];
    removed.extend(program.folders.iter().map(|path| (path.clone(), fs::remove_dir_all(path))));
    let failures = removed.into_iter().filter_map(|(path, result)| Some((path, result.err()?)));
    let real = failures.filter(|(_, e)| e.kind() != io::ErrorKind::NotFound);
    real.map(|(path, e)| format!("{}: {e}", path.display())).collect()
}

/// `CLOCK_MONOTONIC` in nanoseconds, the same clock in every process of the host.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

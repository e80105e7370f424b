//! The keeper: a process of tare's own between tare and a layer. It owns the boot's folder, starts
//! the layer, adopts every process that the layer leaves, and when tare goes away (its end of the
//! life line closes, as it does on SIGKILL) ends and removes all of it.
//!
//! A parent-death signal is not enough: container runtimes and sandboxes leave their first process,
//! and state on disk has to be removed after the processes have ended.

use crate::{Program, procs};
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, setsid};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use std::{fs, thread};

/// The descriptor at which a keeper finds its life line.
const LIFE: i32 = 3;

/// How to start a keeper: a program and arguments that end up in [`keep`].
#[derive(Debug, Clone)]
pub struct Keeper {
    /// The program, usually tare itself.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What tare tells its keeper, once.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// What to start.
    pub program: Program,
    /// The CPUs it may run on; empty for all.
    pub cpus: Vec<u32>,
}

/// What a keeper tells tare.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum News {
    /// The boot's folder is made.
    Folder(PathBuf),
    /// The layer is started, at this time of the host's monotonic clock in nanoseconds.
    Started(u64),
    /// The layer could not be started.
    Refused(String),
    /// The layer's first process has ended.
    Ended(String),
    /// All is ended and removed; the texts name what could not be.
    Clean(Vec<String>),
}

impl Keeper {
    /// Starts a keeper with the layer's three standard streams, and its life line.
    pub(crate) fn start(&self) -> io::Result<(Child, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let life = std::os::fd::AsRawFd::as_raw_fd(&theirs);
        // SAFETY: `place_life_line` only makes system calls, as is allowed between fork and exec.
        unsafe { command.pre_exec(move || place_life_line(life)) };
        Ok((command.spawn()?, ours))
    }
}

/// Moves the life line to its place in the child. Only this child inherits it: a copy in any other
/// process would keep the layer alive.
fn place_life_line(life: i32) -> io::Result<()> {
    let done = if life == LIFE {
        // SAFETY: plain numbers; clears close-on-exec.
        unsafe { libc::fcntl(LIFE, libc::F_SETFD, 0) }
    } else {
        // SAFETY: plain numbers; the copy does not close on exec.
        unsafe { libc::dup2(life, LIFE) }
    };
    Ok(Errno::result(done).map(drop)?)
}

/// The keeper's whole life; the hidden command that [`Keeper`] starts calls this and exits.
///
/// The folder of the boot is made under `parent`.
pub fn keep(parent: &Path) -> io::Result<()> {
    let life = life_line()?;
    let _ = setsid(); // fails only if this process leads a session already
    for ignored in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGPIPE] {
        // SAFETY: ignoring a signal installs no handler code.
        unsafe { signal(ignored, SigHandler::SigIgn) }?;
    }
    prctl::set_child_subreaper(true)?;
    let folder = tempfile::Builder::new().prefix("tare-").tempdir_in(parent)?;
    tell(&life, &News::Folder(folder.path().to_owned()));
    let mut orders = BufReader::new(life.try_clone()?);
    let mut text = String::new();
    if orders.read_line(&mut text)? == 0 {
        return Ok(()); // tare is gone already; the folder goes with this function
    }
    let order: Order = serde_json::from_str(&text)?;
    if let Err(refused) = start_layer(&order, folder.path(), &life) {
        tell(&life, &News::Refused(refused.to_string()));
    } else {
        end_with(orders);
        reap_all(&life);
    }
    let left = remove_all(&order.program, folder);
    tell(&life, &News::Clean(left));
    Ok(())
}

fn life_line() -> io::Result<UnixStream> {
    let closes_on_exec = nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC);
    // SAFETY: the descriptor is only borrowed, and is checked by the call itself.
    let borrowed = unsafe { std::os::fd::BorrowedFd::borrow_raw(LIFE) };
    nix::fcntl::fcntl(borrowed, closes_on_exec)
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

fn start_layer(order: &Order, folder: &Path, life: &UnixStream) -> io::Result<()> {
    let what = &order.program;
    what.folders.iter().try_for_each(fs::create_dir)?;
    pin(&order.cpus)?;
    let mut command = Command::new(&what.program);
    command.args(&what.args).env_clear().envs(what.env.iter().cloned()).current_dir(folder);
    // SAFETY: prctl is safe between fork and exec. Should the keeper itself be killed, its child goes.
    unsafe { command.pre_exec(|| Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)) };
    let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", what.program.display()));
    let started = monotonic_ns();
    let child = command.spawn().map_err(named)?;
    tell(life, &News::Started(started));
    // The main loop reaps it with all others; dropping the handle does not touch the process.
    FIRST.lock().unwrap_or_else(|e| e.into_inner()).replace(child.id());
    release_streams()
}

/// The layer's first process, whose end is news.
static FIRST: Mutex<Option<u32>> = Mutex::new(None);

fn pin(cpus: &[u32]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|&cpu| set.set(cpu as usize))?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// The keeper's copies of the layer's streams must go, or tare would never see their end.
fn release_streams() -> io::Result<()> {
    let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    Ok(())
}

/// Ends every process of the layer when tare closes the life line.
fn end_with(mut orders: BufReader<UnixStream>) {
    thread::spawn(move || {
        let _ = io::copy(&mut orders, &mut io::sink());
        loop {
            end_descendants();
            thread::sleep(Duration::from_millis(20));
        }
    });
}

/// Reaps until no child is left. Once the first process has ended the rest is ended too: what it
/// leaves running is not part of any measurement.
fn reap_all(life: &UnixStream) {
    let first = *FIRST.lock().unwrap_or_else(|e| e.into_inner());
    loop {
        let (pid, how) = match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) => (pid, format!("exit code {code}")),
            Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, format!("signal {signal}")),
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => return,
        };
        if Some(pid.as_raw() as u32) == first {
            tell(life, &News::Ended(how));
            thread::spawn(|| {
                loop {
                    end_descendants();
                    thread::sleep(Duration::from_millis(20));
                }
            });
        }
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
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = command.envs(program.env.iter().cloned()).status();
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

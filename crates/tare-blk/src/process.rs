//! The back end as a process of its own, which ends with this one however that ends.

use crate::error::Error;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::{Pid, getppid};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Characters of what a failed process said.
const SAID: usize = 1000;

/// A back end that was started for one measurement.
pub struct Process {
    child: Child,
}

impl Process {
    /// Starts a back end. `words` makes its command line from the descriptors of sockets that listen, one for each disk, and
    /// the other ends of their first connections are returned.
    pub fn start(
        disks: u16,
        words: impl FnOnce(&[RawFd]) -> Vec<OsString>,
    ) -> Result<(Self, Vec<UnixStream>), Error> {
        let pairs = (0..disks).map(|_| pair()).collect::<io::Result<Vec<_>>>();
        let (listeners, sockets): (Vec<_>, Vec<_>) =
            pairs.map_err(Error::system("a socket"))?.into_iter().unzip();
        let passed: Vec<RawFd> = listeners.iter().map(AsRawFd::as_raw_fd).collect();
        let words = words(&passed);
        let Some((program, arguments)) = words.split_first() else {
            return Err(Error::Setting("a back end without a program".into()));
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let parent = Pid::this();
        // SAFETY: the closure makes system calls only.
        unsafe { command.pre_exec(move || bequeath(parent, &passed)) };
        let what = format!("starting {}", program.to_string_lossy());
        let child = command.spawn().map_err(Error::system(what))?;
        Ok((Self { child }, sockets))
    }

    /// Its CPU time so far.
    pub fn cpu(&self) -> Result<Duration, Error> {
        cpu_of(Pid::from_raw(self.child.id() as i32))
    }

    /// Ends it, and tells what it said last.
    pub fn end(mut self) -> String {
        self.stop();
        let mut said = Vec::new();
        if let Some(stream) = self.child.stderr.take() {
            let _ = stream.take(1 << 16).read_to_end(&mut said);
        }
        let said = String::from_utf8_lossy(&said);
        let lines: String =
            said.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        lines.chars().skip(lines.chars().count().saturating_sub(SAID)).collect()
    }

    /// Waits a moment for its own end, which follows that of the sockets, and makes it.
    fn stop(&mut self) {
        let patience = Instant::now() + Duration::from_millis(200);
        while Instant::now() < patience {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The CPU time of a process.
pub fn cpu_of(process: Pid) -> Result<Duration, Error> {
    let clock = clock_getcpuclockid(process).map_err(Error::number("the back end's CPU time"))?;
    Ok(clock.now().map_err(Error::number("the back end's CPU time"))?.into())
}

/// The CPU time of this process.
pub fn own_cpu() -> Result<Duration, Error> {
    let time = ClockId::CLOCK_PROCESS_CPUTIME_ID.now();
    Ok(time.map_err(Error::number("this process's CPU time"))?.into())
}

/// The process that listened where this socket is connected.
pub fn peer(socket: &UnixStream) -> Option<Pid> {
    getsockopt(socket, PeerCredentials).ok().map(|peer| Pid::from_raw(peer.pid()))
}

/// A socket that listens and its first connection. Its name is gone before anybody else is told of it.
fn pair() -> io::Result<(UnixListener, UnixStream)> {
    let folder = tempfile::Builder::new().prefix("tare-blk-").tempdir()?;
    let name = folder.path().join("s");
    let listener = UnixListener::bind(&name)?;
    let socket = UnixStream::connect(&name)?;
    Ok((listener, socket))
}

/// In the new process: it ends with its parent, and keeps what it was given.
fn bequeath(parent: Pid, passed: &[RawFd]) -> io::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != parent {
        return Err(io::Error::from(io::ErrorKind::BrokenPipe));
    }
    for &descriptor in passed {
        // SAFETY: the parent has it open until this process was started.
        let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
        fcntl(descriptor, FcntlArg::F_SETFD(FdFlag::empty()))?;
    }
    Ok(())
}

//! The keeper as tare sees it: a process of tare's own between tare and a layer, and the life line
//! to it. Its other side is `keep.rs`.
//!
//! A parent-death signal is not enough: container runtimes and sandboxes leave their first process,
//! and state on disk has to be removed after the processes have ended.

use crate::error::{SessionError, refused};
use crate::{Program, procs};
use nix::errno::Errno;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The descriptor at which a keeper finds its life line.
pub(crate) const LIFE: i32 = 3;

/// Longest time that a keeper may take for a step: to start, or to end and remove a layer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes a second that an image is written at, at least.
const SLOWEST_DISK: u64 = 10 << 20;

/// How to start a keeper: a program and arguments that end up in [`crate::keep`].
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
    /// The layer is started.
    Started {
        /// When, by the host's monotonic clock, in nanoseconds.
        at: u64,
        /// The processes of its helpers.
        helpers: Vec<u32>,
    },
    /// The layer could not be started.
    Refused(String),
    /// The layer's first process has ended.
    Ended(String),
    /// All is ended and removed; the texts name what could not be.
    Clean(Vec<String>),
}

/// The layer's standard streams.
pub(crate) struct Streams {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// A keeper at work; dropping it ends its layer.
pub(crate) struct Running {
    keeper: Child,
    life: UnixStream,
    news: BufReader<UnixStream>,
    helpers: Vec<u32>,
    ended: Option<String>,
    left: Option<Vec<String>>,
}

impl Keeper {
    /// Starts a keeper; the folder it has made, and the streams that the layer will have.
    pub(crate) fn start(&self) -> Result<(Running, PathBuf, Streams), SessionError> {
        let (mut keeper, life) = self.spawn().map_err(SessionError::Start)?;
        let streams = (keeper.stdin.take(), keeper.stdout.take(), keeper.stderr.take());
        let news = life.try_clone().map_err(SessionError::Start)?;
        let news = BufReader::new(news);
        let mut running =
            Running { keeper, life, news, helpers: Vec::new(), ended: None, left: None };
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(refused("the keeper has no streams".into()));
        };
        match running.news(PATIENCE) {
            Some(News::Folder(folder)) => Ok((running, folder, Streams { stdin, stdout, stderr })),
            Some(News::Refused(why)) => Err(refused(why)),
            other => Err(unexpected(other)),
        }
    }

    fn spawn(&self) -> io::Result<(Child, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let life = theirs.as_raw_fd();
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

impl Running {
    /// Gives the order and returns when the layer was started.
    pub(crate) fn launch(&mut self, order: &Order) -> Result<u64, SessionError> {
        let mut text = serde_json::to_string(order).map_err(|e| refused(e.to_string()))?;
        text.push('\n');
        self.life.write_all(text.as_bytes()).map_err(SessionError::Start)?;
        let filling: u64 = order.program.images.iter().map(|image| image.bytes).sum();
        match self.news(PATIENCE + Duration::from_secs(filling / SLOWEST_DISK)) {
            Some(News::Started { at, helpers }) => {
                self.helpers = helpers;
                Ok(at)
            }
            Some(News::Refused(why)) => Err(refused(why)),
            other => Err(unexpected(other)),
        }
    }

    /// The keeper's process id: all processes of the layer are its descendants.
    fn pid(&self) -> u32 {
        self.keeper.id()
    }

    /// The layer's processes.
    pub(crate) fn processes(&self) -> BTreeSet<u32> {
        let mut all = procs::descendants(self.pid());
        all.retain(|pid| !self.helpers.contains(pid));
        all
    }

    /// The processes beside the layer.
    pub(crate) fn helpers(&self) -> &[u32] {
        &self.helpers
    }

    /// How the layer's first process ended, if it does `within` that time.
    pub(crate) fn how_it_ended(&mut self, within: Duration) -> Option<String> {
        let deadline = Instant::now() + within;
        while self.ended.is_none() && self.listen(deadline) {}
        self.ended.clone()
    }

    /// Ends the layer and waits until everything is removed; names what is left.
    pub(crate) fn stop(mut self) -> Vec<String> {
        let _ = self.life.shutdown(std::net::Shutdown::Write);
        let deadline = Instant::now() + PATIENCE;
        while self.left.is_none() && self.listen(deadline) {}
        let unknown = format!("the keeper (process {}) has not removed all yet", self.pid());
        self.left.take().unwrap_or_else(|| vec![unknown])
    }

    /// Notes one piece of news; whether there was any.
    fn listen(&mut self, until: Instant) -> bool {
        match self.news(until.saturating_duration_since(Instant::now())) {
            Some(News::Ended(how)) => self.ended = Some(how),
            Some(News::Clean(left)) => self.left = Some(left),
            Some(_) => {}
            None => return false,
        }
        true
    }

    /// The next news, or `None` when the time is over or the keeper has gone.
    fn news(&mut self, within: Duration) -> Option<News> {
        // Zero would mean no limit.
        self.life.set_read_timeout(Some(within.max(Duration::from_millis(1)))).ok()?;
        let mut line = String::new();
        self.news.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }
}

impl Drop for Running {
    /// Closes the life line, which ends the layer. A keeper that takes too long is left to its
    /// work, not killed: nobody else would end what it keeps.
    fn drop(&mut self) {
        let _ = self.life.shutdown(std::net::Shutdown::Both);
        let deadline = Instant::now() + PATIENCE;
        while let Ok(None) = self.keeper.try_wait() {
            if Instant::now() > deadline {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

fn unexpected(news: Option<News>) -> SessionError {
    match news {
        Some(news) => refused(format!("the keeper said {news:?}")),
        None => refused("the keeper ended; is tare's own program still in place?".into()),
    }
}

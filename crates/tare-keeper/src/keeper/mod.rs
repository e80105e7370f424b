//! The keeper as tare sees it: a process of tare's own between tare and a layer, and the life line
//! to it. Its other side is `keep.rs`.
//!
//! A parent-death signal is not enough: container runtimes and sandboxes leave their first process,
//! and state on disk has to be removed after the processes have ended.

mod begin;
mod end;
pub(crate) mod estate;
pub(crate) mod id;
pub(crate) mod keep;
pub(crate) mod knobs;
mod mark;
pub(crate) mod mounts;
pub(crate) mod orders;
pub(crate) mod record;
pub(crate) mod room;
pub(crate) mod share;
pub(crate) mod spares;
mod tool;

use crate::error::{SessionError, refused};
use crate::host::before::Before;
use crate::keeper::estate::{COMMAND, Estate};
use crate::keeper::knobs::Knobs;
use crate::keeper::orders::{Boot, LIFE, News, Order, READY};
use crate::keeper::record::Record;
use crate::keeper::spares::{Spare, Spares};
use crate::launch::Step;
use crate::launch::image::MAKING;
use crate::processes::Processes;
use nix::errno::Errno;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time that a keeper may take for a step: to start, or to end and remove a layer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a keeper that ends is looked after.
const POLL: Duration = Duration::from_millis(2);

/// Bytes a second that an image is written at, at least.
const SLOWEST_DISK: u64 = 10 << 20;

pub(crate) struct Streams {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// A keeper at work; dropping it ends its layer.
#[derive(Debug)]
pub(crate) struct Running {
    keeper: Child,
    life: UnixStream,
    news: BufReader<UnixStream>,
    helpers: Vec<u32>,
    ended: Option<String>,
    left: Option<Vec<String>>,
    /// What the boot makes, for the case that the keeper cannot remove it.
    estate: Estate,
    /// Held as long as this process may have to do so.
    record: Option<Record>,
}

/// How to start a keeper: a program and arguments that end up in [`crate::keep()`].
#[derive(Debug, Clone, Default)]
pub struct Keeper {
    /// The program, usually tare itself.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Those that wait already.
    pub spares: Spares,
    /// The knobs of this host that its layers turn.
    pub knobs: Knobs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Silence {
    /// None came in time.
    Late,
    /// The keeper has gone.
    Gone,
}

impl Keeper {
    /// Starts a keeper for the boot `id`, recorded among `records`; the folder it has made, and the streams that
    /// the layer will have.
    pub(crate) fn start(
        &self,
        id: &str,
        records: &Path,
    ) -> Result<(Running, PathBuf, Streams), SessionError> {
        let records = Some(records.to_owned());
        self.start_for(&Boot { id: id.to_owned(), records, knobs: Vec::new() })
    }

    fn start_for(&self, boot: &Boot) -> Result<(Running, PathBuf, Streams), SessionError> {
        let waiting = self.spares.take().map_or_else(|| self.spawn(), Ok);
        let Spare { mut keeper, life, ready } = waiting.map_err(SessionError::Start)?;
        let streams = (keeper.stdin.take(), keeper.stdout.take(), keeper.stderr.take());
        let news = BufReader::new(life.try_clone().map_err(SessionError::Start)?);
        let mut running = Running {
            keeper,
            life,
            news,
            helpers: Vec::new(),
            ended: None,
            left: None,
            estate: Estate::new(&boot.id),
            record: None,
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(refused("the keeper has no streams".into()));
        };
        running.say(boot)?;
        let first = if ready { Ok(News::Ready) } else { running.news(PATIENCE) };
        let folder = match first.and_then(|_| running.news(PATIENCE)) {
            Ok(News::Folder(folder)) => folder,
            other => return Err(running.not_started(other, PATIENCE)),
        };
        running.estate.folders = vec![folder.clone()];
        running.estate.knobs = Before::of(&boot.knobs).map_err(SessionError::Start)?;
        let record = |records: &PathBuf| Record::open(records, &boot.id).ok();
        running.record = boot.records.as_ref().and_then(record);
        Ok((running, folder, Streams { stdin, stdout, stderr }))
    }

    /// Sees to it that `count` keepers wait for boots: what starts then does not wait for its keeper.
    pub fn spare(&self, count: usize) -> io::Result<()> {
        let mut new = Vec::new();
        for _ in self.spares.count()..count {
            new.push(self.spawn()?);
        }
        for mut spare in new {
            spare.life.set_read_timeout(Some(PATIENCE))?;
            let mut line = String::new();
            BufReader::new(&spare.life).read_line(&mut line)?; // it says no more before it is told what to do
            spare.ready = true;
            self.spares.add(spare);
        }
        Ok(())
    }

    /// The processes of those that wait.
    #[must_use]
    pub fn waiting(&self) -> Vec<u32> {
        self.spares.processes()
    }

    fn spawn(&self) -> io::Result<Spare> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let life = theirs.as_raw_fd();
        // SAFETY: `place_life_line` only makes system calls, as is allowed between fork and exec.
        unsafe { command.pre_exec(move || place_life_line(life)) };
        Ok(Spare { keeper: command.spawn()?, life: ours, ready: false })
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

impl Step {
    /// Longest time for making it.
    pub(crate) fn within(&self) -> Duration {
        self.seconds.map_or(COMMAND, |seconds| Duration::from_secs(seconds.into()))
    }
}

/// Longest time that a keeper may take to start what `order` says.
fn patience(order: &Order) -> Duration {
    let what = &order.program;
    let bytes: u64 = what.images.iter().map(|image| image.bytes).sum();
    let formatting = what.images.iter().filter(|image| image.file_system).count();
    let steps: Duration = what.setup.iter().map(Step::within).sum();
    let steps = steps + READY * what.helpers.len() as u32;
    PATIENCE + Duration::from_secs(bytes / SLOWEST_DISK) + steps + MAKING * formatting as u32
}

impl Running {
    /// Gives the order and returns when the layer was started.
    pub(crate) fn launch(&mut self, order: &Order) -> Result<u64, SessionError> {
        let folder = self.estate.folders.first().cloned().unwrap_or_default();
        self.estate = Estate::whole(&self.estate.id, &folder, &order.program);
        self.say(order)?;
        match self.news(patience(order)) {
            Ok(News::Started { at, helpers }) => {
                self.helpers = helpers;
                Ok(at)
            }
            other => Err(self.not_started(other, patience(order))),
        }
    }

    /// A keeper that has gone hears nothing; what it does not answer then says so.
    fn say(&mut self, what: &impl Serialize) -> Result<(), SessionError> {
        let mut text = serde_json::to_string(what).map_err(|e| refused(e.to_string()))?;
        text.push('\n');
        let _ = self.life.write_all(text.as_bytes());
        Ok(())
    }

    /// Why there is no layer, and what is left of the attempt.
    fn not_started(&mut self, news: Result<News, Silence>, within: Duration) -> SessionError {
        let why = match news {
            Ok(News::Refused(why)) => why,
            Ok(news) => format!("the keeper said {news:?}"),
            Err(Silence::Late) => format!("the keeper took longer than {} s", within.as_secs()),
            Err(Silence::Gone) => match self.lost() {
                Some(how) => format!("the keeper ended ({how}); is tare's own program in place?"),
                None => "the keeper ended".into(),
            },
        };
        let left = self.finish();
        let left =
            if left.is_empty() { String::new() } else { format!("; left: {}", left.join(", ")) };
        refused(why + &left)
    }

    /// The keeper's process id: all processes of the layer are its descendants.
    pub(crate) fn pid(&self) -> u32 {
        self.keeper.id()
    }

    /// Tells the processes of the layer, also from another thread.
    pub(crate) fn processes(&self) -> impl Fn(&Processes) -> BTreeSet<u32> + Send + 'static {
        let (keeper, helpers) = (self.pid(), self.helpers.clone());
        move |now| {
            let mut all = now.descendants(keeper);
            all.retain(|pid| !helpers.contains(pid));
            all
        }
    }

    pub(crate) fn helpers(&self) -> &[u32] {
        &self.helpers
    }

    /// How the layer's first process ended, if it does `within` that time.
    pub(crate) fn how_it_ended(&mut self, within: Duration) -> Option<String> {
        let deadline = Instant::now() + within;
        while self.ended.is_none() {
            match self.listen(deadline) {
                Ok(()) => {}
                Err(Silence::Late) => break,
                Err(Silence::Gone) => {
                    self.wait(deadline);
                    break;
                }
            }
        }
        self.ended.clone()
    }

    /// Waits for the end of the keeper: its sockets close a little earlier, and its layer may end first.
    fn wait(&mut self, deadline: Instant) {
        while matches!(self.keeper.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(POLL);
        }
    }

    /// How the keeper ended, if it did and has not removed the layer.
    pub(crate) fn lost(&mut self) -> Option<String> {
        let status = self.keeper.try_wait().ok()??;
        let now = Instant::now();
        while self.left.is_none() && self.listen(now).is_ok() {}
        self.left.is_none().then(|| status.to_string())
    }

    /// Ends the layer and waits until everything is removed; names what is left. A keeper that takes too long is
    /// left to its work; what one that was killed has left is removed here.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        let _ = self.life.shutdown(Shutdown::Write);
        let deadline = Instant::now() + PATIENCE;
        while self.left.is_none() && self.listen(deadline).is_ok() {}
        if self.left.is_none() {
            self.wait(deadline);
        }
        if let (None, Ok(None)) = (&self.left, self.keeper.try_wait()) {
            return vec![format!("the keeper (process {}) has not removed all yet", self.pid())];
        }
        let left = self.left.get_or_insert_with(|| self.estate.end_and_clear()).clone();
        if let Some(record) = self.record.take().filter(|_| left.is_empty()) {
            record.remove();
        }
        left
    }

    fn listen(&mut self, until: Instant) -> Result<(), Silence> {
        match self.news(until.saturating_duration_since(Instant::now()))? {
            News::Ended(how) => self.ended = Some(how),
            News::Clean(left) => self.left = Some(left),
            _ => {}
        }
        Ok(())
    }

    fn news(&mut self, within: Duration) -> Result<News, Silence> {
        // Zero would mean no limit.
        let within = within.max(Duration::from_millis(1));
        self.life.set_read_timeout(Some(within)).map_err(|_| Silence::Gone)?;
        let mut line = String::new();
        match self.news.read_line(&mut line) {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Err(Silence::Late),
            _ => serde_json::from_str(&line).map_err(|_| Silence::Gone),
        }
    }
}

impl Drop for Running {
    /// Ends the layer. A keeper that takes too long is not killed: it goes on with its work.
    fn drop(&mut self) {
        self.finish();
        self.wait(Instant::now() + PATIENCE);
    }
}

//! One boot in progress: the conversation with the probe, with a deadline on every step.
//!
//! Dropping a session ends its layer: the keeper sees the life line close and removes everything.

use crate::console::Console;
use crate::keeper::{News, Order, monotonic_ns};
use crate::launch::Conversation;
use crate::layer::{BootSpec, Host, Layer};
use crate::{Artifact, Keeper, Launch, procs};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use tare_proto::{
    FromProbe, Hello, Incoming, LineReader, PROTOCOL, Request, Series, ToProbe, encode,
};

/// Longest time that a keeper may take to end and remove a layer.
const CLEAN_DEADLINE: Duration = Duration::from_secs(20);

/// Lines that are shown of the console of a failed boot.
const TAIL_LINES: usize = 12;

/// Why a boot or a measurement in it failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The layer could not be started.
    #[error("cannot start: {0}")]
    Start(#[source] io::Error),
    /// The probe did not greet in time.
    #[error("no greeting within {:.1} s", .0.as_secs_f64())]
    NoGreeting(Duration),
    /// The layer ended before it was asked to.
    #[error("the layer ended ({0})")]
    Ended(String),
    /// No answer in time.
    #[error("no answer to {0} within {limit:.1} s", limit = .1.as_secs_f64())]
    NoAnswer(String, Duration),
    /// A line of the protocol arrived damaged.
    #[error("the line to the probe is damaged: {0}")]
    Damaged(String),
    /// A message arrived that was not asked for.
    #[error("the probe broke the protocol: {0}")]
    Protocol(String),
    /// The probe says that it failed.
    #[error("the probe failed: {0}")]
    Panic(String),
    /// The campaign was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Something that arrived, and when.
#[derive(Debug)]
pub struct Stamped<T> {
    /// What.
    pub what: T,
    /// When the host had read it.
    pub at: Instant,
}

/// The probe's greeting.
#[derive(Debug)]
pub struct Greeting {
    /// What it says.
    pub hello: Hello,
    /// From the start of the layer's first process to the greeting.
    pub start: Duration,
}

/// What came of one request.
#[derive(Debug)]
pub enum Answer {
    /// Samples, and how long the measurement took by the host's clock.
    Series(Series, Duration),
    /// The benchmark cannot run there, and why.
    Unavailable(String),
    /// The benchmark failed, and why.
    Failed(String),
}

/// How a boot ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// What the keeper could not remove; empty when the boot left nothing.
    pub left: Vec<String>,
}

/// A booted layer.
pub struct Session {
    arrived: Receiver<Stamped<Incoming>>,
    line: Option<Box<dyn Write + Send>>,
    console: Console,
    running: Option<Running>,
    started_ns: u64,
    artifacts: Vec<Artifact>,
    interrupted: fn() -> bool,
}

/// The keeper of a layer that is a program.
struct Running {
    keeper: Child,
    life: UnixStream,
    news: BufReader<UnixStream>,
}

impl Session {
    /// Starts `layer` under a keeper, pinned to `cpus` (empty: not pinned), its console also
    /// written to `log`. `interrupted` is asked while waiting.
    pub fn start(
        layer: &dyn Layer,
        host: &Host,
        keeper: &Keeper,
        boot: &BootName,
        cpus: &[u32],
        log: Option<&Path>,
        interrupted: fn() -> bool,
    ) -> Result<Session, SessionError> {
        let (mut child, life) = keeper.start().map_err(SessionError::Start)?;
        let console = Console::new(log);
        let news = BufReader::new(life.try_clone().map_err(SessionError::Start)?);
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut running = Running { keeper: child, life, news };
        let folder = match running.news()? {
            News::Folder(folder) => folder,
            other => return Err(refused(format!("the keeper said {other:?}"))),
        };
        let spec = BootSpec { folder: &folder, id: &boot.id, number: boot.number };
        let (arrived, line, started_ns, artifacts, running) =
            match layer.launch(host, &spec).map_err(SessionError::Start)? {
                Launch::Script(script) => {
                    drop(running); // a scripted layer has nothing to keep
                    let (arrived, line) = converse(script).map_err(SessionError::Start)?;
                    (arrived, line, monotonic_ns(), Vec::new(), None)
                }
                Launch::Program(program) => {
                    let artifacts = program.artifacts.clone();
                    let started = running.launch(Order { program, cpus: cpus.to_vec() })?;
                    let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
                        return Err(refused("the keeper has no streams".into()));
                    };
                    let drained = console.clone();
                    thread::spawn(move || drained.drain(stderr));
                    let arrived = receive(stdout, console.clone());
                    (
                        arrived,
                        Box::new(stdin) as Box<dyn Write + Send>,
                        started,
                        artifacts,
                        Some(running),
                    )
                }
            };
        let line = Some(line);
        Ok(Session { arrived, line, console, running, started_ns, artifacts, interrupted })
    }

    /// Waits for the probe's greeting.
    pub fn greet(&mut self, within: Duration) -> Result<Greeting, SessionError> {
        let zero = (Instant::now(), monotonic_ns());
        let stamped = match self.next(Instant::now() + within)? {
            Some(stamped) => stamped,
            None => return Err(SessionError::NoGreeting(within)),
        };
        let FromProbe::Hello(hello) = stamped.what else {
            return Err(SessionError::Protocol(format!("greeted with {:?}", stamped.what)));
        };
        if hello.protocol != PROTOCOL {
            let why = format!("protocol {} instead of {PROTOCOL}", hello.protocol);
            return Err(SessionError::Protocol(why));
        }
        let before = Duration::from_nanos(zero.1.saturating_sub(self.started_ns));
        // The stamp may lie before `zero`: the greeting waited in the channel.
        let start = match stamped.at.checked_duration_since(zero.0) {
            Some(after) => before + after,
            None => before.saturating_sub(zero.0 - stamped.at),
        };
        Ok(Greeting { hello: *hello, start })
    }

    /// Measures one benchmark; `within` bounds the whole wait.
    pub fn measure(&mut self, request: &Request, within: Duration) -> Result<Answer, SessionError> {
        let deadline = Instant::now() + within;
        self.say(&ToProbe::Run(request.clone()))?;
        let late = || SessionError::NoAnswer(request.bench.clone(), within);
        let begin = self.next(deadline)?.ok_or_else(late)?;
        match begin.what {
            FromProbe::Begin { id } if id == request.id => {}
            other => return Err(unexpected(other)),
        }
        let answer = self.next(deadline)?.ok_or_else(late)?;
        match answer.what {
            FromProbe::Series(series) if series.id == request.id => {
                Ok(Answer::Series(series, answer.at - begin.at))
            }
            FromProbe::Unavailable { id, why } if id == request.id => Ok(Answer::Unavailable(why)),
            FromProbe::Failed { id, why } if id == request.id => Ok(Answer::Failed(why)),
            other => Err(unexpected(other)),
        }
    }

    /// Asks the probe to finish, waits for that, and ends the layer whether it did or not.
    pub fn end(mut self, within: Duration) -> Ended {
        let deadline = Instant::now() + within;
        if self.say(&ToProbe::Quit).is_ok() {
            while let Ok(Some(stamped)) = self.next(deadline) {
                if stamped.what == FromProbe::Bye {
                    break;
                }
            }
            self.line = None;
            if let Some(running) = &mut self.running {
                running.wait_for_end(deadline);
            }
        }
        Ended { left: self.stop() }
    }

    /// Proportional set size of all host processes of the layer, in bytes; `None` when it has none
    /// of its own or they cannot be read.
    pub fn footprint(&self) -> Option<u64> {
        let running = self.running.as_ref()?;
        procs::pss_bytes(&procs::descendants(running.keeper.id()))
    }

    /// The files that decide what this layer is.
    pub fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    /// The console's last lines, safe to print.
    pub fn console_tail(&self) -> String {
        self.console.tail(TAIL_LINES)
    }

    fn say(&mut self, message: &ToProbe) -> Result<(), SessionError> {
        let line = self.line.as_mut().ok_or_else(|| SessionError::Ended("line closed".into()))?;
        let written = line.write_all(encode(message).as_bytes()).and_then(|()| line.flush());
        written.map_err(|_| self.ended())
    }

    /// The next message before `deadline`, or `None` when it has passed.
    fn next(&mut self, deadline: Instant) -> Result<Option<Stamped<FromProbe>>, SessionError> {
        loop {
            if (self.interrupted)() {
                return Err(SessionError::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.arrived.recv_timeout(left.min(Duration::from_millis(200))) {
                Ok(Stamped { what: Incoming::Message(what), at }) => {
                    if let FromProbe::Panic { message } = what {
                        return Err(SessionError::Panic(message));
                    }
                    return Ok(Some(Stamped { what, at }));
                }
                Ok(Stamped { what: Incoming::Damaged(how), .. }) => {
                    return Err(SessionError::Damaged(how.to_string()));
                }
                Ok(Stamped { what: Incoming::Noise(_), .. }) => {}
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    fn ended(&mut self) -> SessionError {
        let running = self.running.as_mut();
        let how = running.and_then(|running| running.how_it_ended(Duration::from_secs(1)));
        SessionError::Ended(how.unwrap_or_else(|| "its line closed".into()))
    }

    /// Ends the layer; what could not be removed.
    fn stop(&mut self) -> Vec<String> {
        self.line = None;
        self.running.take().map(Running::stop).unwrap_or_default()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What a boot is called.
#[derive(Debug, Clone)]
pub struct BootName {
    /// See [`BootSpec::id`].
    pub id: String,
    /// See [`BootSpec::number`].
    pub number: u32,
}

impl Running {
    fn news(&mut self) -> Result<News, SessionError> {
        let mut line = String::new();
        let gone = || refused("the keeper ended; is tare's own program still in place?".into());
        match self.news.read_line(&mut line) {
            Ok(0) | Err(_) => Err(gone()),
            Ok(_) => serde_json::from_str(&line).map_err(|_| gone()),
        }
    }

    /// Gives the order and returns when the layer was started.
    fn launch(&mut self, order: Order) -> Result<u64, SessionError> {
        let mut text = serde_json::to_string(&order).map_err(|e| refused(e.to_string()))?;
        text.push('\n');
        self.life.write_all(text.as_bytes()).map_err(SessionError::Start)?;
        match self.news()? {
            News::Started(at) => Ok(at),
            News::Refused(why) => Err(refused(why)),
            other => Err(refused(format!("the keeper said {other:?}"))),
        }
    }

    fn how_it_ended(&mut self, within: Duration) -> Option<String> {
        self.life.set_read_timeout(Some(within.max(Duration::from_millis(1)))).ok()?;
        match self.news() {
            Ok(News::Ended(how)) => Some(how),
            _ => None,
        }
    }

    fn wait_for_end(&mut self, deadline: Instant) {
        self.how_it_ended(deadline.saturating_duration_since(Instant::now()));
    }

    /// Closes the life line and waits until the keeper has removed everything.
    fn stop(mut self) -> Vec<String> {
        let _ = self.life.shutdown(std::net::Shutdown::Write);
        let _ = self.life.set_read_timeout(Some(CLEAN_DEADLINE));
        let mut left = None;
        while let Ok(news) = self.news() {
            if let News::Clean(paths) = news {
                left = Some(paths);
            }
        }
        if left.is_none() {
            let _ = self.keeper.kill();
        }
        let _ = self.keeper.wait();
        left.unwrap_or_else(|| vec!["the keeper did not finish cleaning in time".into()])
    }
}

impl Drop for Running {
    /// A boot that failed half-way through its start is ended like any other.
    fn drop(&mut self) {
        let _ = self.life.shutdown(std::net::Shutdown::Both);
        let _ = self.keeper.wait();
    }
}

fn refused(why: String) -> SessionError {
    SessionError::Start(io::Error::other(why))
}

fn unexpected(message: FromProbe) -> SessionError {
    let text = format!("{message:?}");
    SessionError::Protocol(format!("unexpected {}", text.chars().take(80).collect::<String>()))
}

/// Reads messages from `stream` in a thread and stamps each; noise goes to `console`.
fn receive(stream: impl Read + Send + 'static, console: Console) -> Receiver<Stamped<Incoming>> {
    let (sender, arrived) = sync_channel(64);
    thread::spawn(move || forward(stream, &console, &sender));
    arrived
}

fn forward(stream: impl Read, console: &Console, sender: &SyncSender<Stamped<Incoming>>) {
    let mut reader = LineReader::new(BufReader::with_capacity(64 << 10, stream));
    while let Ok(Some(what)) = reader.next_line() {
        let at = Instant::now();
        if let Incoming::Noise(text) = &what {
            console.push(text.as_bytes());
            console.push(b"\n");
        } else if sender.send(Stamped { what, at }).is_err() {
            return;
        }
    }
}

type Line = (Receiver<Stamped<Incoming>>, Box<dyn Write + Send>);

/// Runs a scripted conversation in a thread of its own.
fn converse(script: Conversation) -> io::Result<Line> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut output = theirs.try_clone()?;
    thread::spawn(move || script(&mut BufReader::new(theirs), &mut output));
    Ok((receive(ours.try_clone()?, Console::new(None)), Box::new(HalfClosing(ours))))
}

/// A socket whose writing half closes when dropped, as a pipe's does.
struct HalfClosing(UnixStream);

impl Write for HalfClosing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for HalfClosing {
    fn drop(&mut self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}

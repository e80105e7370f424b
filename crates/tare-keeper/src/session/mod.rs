//! One boot in progress: the conversation with the probe, with a deadline on every step.
//!
//! Dropping a session ends its layer: the keeper sees the life line close and removes everything.

pub(crate) mod boot;
pub(crate) mod console;
pub(crate) mod consumed;
pub(crate) mod line;
mod measure;
pub(crate) mod phases;
pub(crate) mod save;
mod second;
mod stopped;
mod whereabouts;

use crate::error::{SessionError, refused};
use crate::keeper::Running;
use crate::keeper::orders::{Order, monotonic_ns};
use crate::launch::Conversation;
use crate::patience::{Deadline, Patience};
use crate::session::boot::{Ended, Greeting};
use crate::session::console::Console;
use crate::session::line::{Arrivals, Arrived, Stamped};
use crate::session::phases::{Moments, Phases};
use crate::session::second::Beside;
use crate::session::stopped::Stopped;
use crate::session::whereabouts::Whereabouts;
use crate::{Artifact, Keeper, Launch, keeper::record, threads};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tare_proto::{FromProbe, PROTOCOL, Request, ToProbe, encode};

/// How long to wait for the circumstances of a layer's unexpected end.
const AFTERMATH: Duration = Duration::from_secs(1);

/// Lines that are shown of the console of a failed boot.
const TAIL_LINES: usize = 12;

/// What a boot needs beside the description of its program.
pub struct Boot<'a> {
    /// Who looks after it.
    pub keeper: &'a Keeper,
    /// A name no other boot has, of lower-case letters, digits and dashes.
    pub id: &'a str,
    /// Where the boot is recorded as long as it lives.
    pub cache: &'a Path,
    /// The CPUs that it is pinned to; empty when it is not.
    pub cpus: &'a [u32],
    /// A file that its console is also written to.
    pub log: Option<&'a Path>,
    /// All requests are in the guest before it starts, so that nothing is said to it.
    pub scripted: bool,
    /// Asked while something is waited for.
    pub interrupted: fn() -> bool,
}

/// A booted layer.
pub struct Session {
    arrived: Arrivals,
    line: Option<Box<dyn Write + Send>>,
    console: Console,
    drain: Option<JoinHandle<()>>,
    pub(crate) running: Option<Running>,
    /// When the layer was asked for, and when its first process started.
    asked_ns: u64,
    started_ns: u64,
    artifacts: Vec<Artifact>,
    folder: Option<PathBuf>,
    /// What the host may do beside the conversation.
    beside: Beside,
    pub(crate) processes: Whereabouts,
    /// The requests were in the guest before it started.
    scripted: bool,
    /// Where it is stopped while it waits.
    stopped: Option<Stopped>,
    /// When the measurement that goes on began, and how long its request took to the probe and the first message back.
    begun: Option<Instant>,
    pub(crate) round_trip: Option<Duration>,
    interrupted: fn() -> bool,
}

impl Session {
    /// Starts what `launch` says under a keeper. It is told the boot's own empty folder, and may write there.
    ///
    /// # Errors
    /// Why there is no session; whatever was made is removed.
    pub fn start(
        boot: &Boot,
        launch: impl FnOnce(&Path) -> io::Result<Launch>,
    ) -> Result<Session, SessionError> {
        let asked_ns = monotonic_ns();
        let console = Console::new(boot.log);
        let records = record::folder(boot.cache);
        let (mut running, folder, streams) = boot.keeper.start(boot.id, &records)?;
        let named = |e| refused(format!("{}: {e}", folder.display()));
        let program = match launch(&folder).map_err(named)? {
            Launch::Program(program) => program,
            Launch::Script(script, told) => {
                drop(running); // a scripted conversation has nothing to keep
                let mut session = Session::mocked(script, console, boot.interrupted)?;
                session.beside.told = told;
                return Ok(session);
            }
        };
        let artifacts = program.artifacts.clone();
        let beside = Beside::of(boot.id, &program, &boot.keeper.knobs);
        beside.turn_knobs()?;
        let processes = Whereabouts::of(&program);
        let started_ns = running.launch(&Order { program, cpus: boot.cpus.to_vec() })?;
        let drained = console.clone();
        let drain = threads::start(move || drained.drain(streams.stderr));
        let arrived = Arrivals::new(streams.stdout, console.clone());
        let line = Box::new(streams.stdin);
        let mut session = Session::over(arrived, line, console, started_ns, boot.interrupted);
        session.drain = Some(drain.map_err(SessionError::Start)?);
        session.running = Some(running);
        session.asked_ns = asked_ns;
        session.artifacts = artifacts;
        session.folder = Some(folder);
        session.beside = beside;
        session.scripted = boot.scripted;
        session.processes = processes;
        Ok(session)
    }

    fn mocked(
        script: Conversation,
        console: Console,
        interrupted: fn() -> bool,
    ) -> Result<Session, SessionError> {
        let started_ns = monotonic_ns();
        let (arrived, line) =
            line::converse(script, console.clone()).map_err(SessionError::Start)?;
        Ok(Session::over(arrived, line, console, started_ns, interrupted))
    }

    /// A conversation over a line, with no process behind it.
    fn over(
        arrived: Arrivals,
        line: Box<dyn Write + Send>,
        console: Console,
        started_ns: u64,
        interrupted: fn() -> bool,
    ) -> Session {
        Session {
            arrived,
            line: Some(line),
            console,
            drain: None,
            running: None,
            asked_ns: started_ns,
            started_ns,
            artifacts: Vec::new(),
            folder: None,
            beside: Beside::default(),
            scripted: false,
            stopped: None,
            processes: Whereabouts::Below,
            begun: None,
            round_trip: None,
            interrupted,
        }
    }

    /// Waits for the probe's greeting.
    pub fn greet(&mut self, within: impl Into<Patience>) -> Result<Greeting, SessionError> {
        let zero = Instant::now();
        let zero_ns = monotonic_ns();
        let mut deadline = self.deadline(within.into());
        let Some(stamped) = self.next(&mut deadline)? else {
            self.arrived.show_unfinished();
            return Err(SessionError::NoGreeting(deadline.waited()));
        };
        let FromProbe::Hello(hello) = stamped.what else {
            let kind = stamped.what.kind();
            return Err(SessionError::Protocol(format!("it said {kind} instead of a greeting")));
        };
        if hello.protocol != PROTOCOL {
            let why = format!("protocol {} instead of {PROTOCOL}", hello.protocol);
            return Err(SessionError::Protocol(why));
        }
        let before = Duration::from_nanos(zero_ns.saturating_sub(self.started_ns));
        // The stamp may lie before `zero`: the greeting waited in the channel.
        let start = match stamped.at.checked_duration_since(zero) {
            Some(after) => before + after,
            None => before.saturating_sub(zero - stamped.at),
        };
        self.processes.find();
        let phases = Phases::of(&Moments::of(self.asked_ns, self.started_ns, start, &hello));
        Ok(Greeting { hello: *hello, start, at: stamped.at, phases })
    }

    /// Asks the probe to finish, waits for that, and ends the layer whether it did or not.
    pub fn end(mut self, within: Duration) -> Ended {
        let mut deadline = self.deadline(within.into());
        if self.is_kept().is_ok() && self.say(&ToProbe::Quit).is_ok() {
            while let Ok(Some(stamped)) = self.next(&mut deadline) {
                if stamped.what == FromProbe::Bye {
                    break;
                }
            }
            self.line = None;
            if let Some(running) = &mut self.running {
                running.how_it_ended(deadline.left(Instant::now()));
            }
        }
        self.abandon()
    }

    /// Ends the layer without a word, as after a failure.
    pub fn abandon(mut self) -> Ended {
        self.stop()
    }

    /// The boot's own folder, which is removed when it ends; `None` without a process behind the conversation.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The files that decide what this layer is.
    pub fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    /// Whether all requests were in the guest before it started ([`Boot::scripted`]).
    pub fn scripted(&self) -> bool {
        self.scripted
    }

    /// The console's last lines, safe to print, of a boot that has failed: waits a moment for them.
    pub fn console_tail(&self) -> String {
        self.console.settle();
        self.console.tail(TAIL_LINES)
    }

    fn say(&mut self, message: &ToProbe) -> Result<(), SessionError> {
        self.go_on()?;
        if self.scripted {
            return Ok(());
        }
        let line = self.line.as_mut().ok_or_else(|| SessionError::Ended("line closed".into()))?;
        let written = line.write_all(encode(message).as_bytes()).and_then(|()| line.flush());
        written.map_err(|_| self.ended())
    }

    fn deadline(&self, patience: Patience) -> Deadline {
        Deadline::new(patience, Instant::now(), || self.cpu_time_now())
    }

    fn answer(
        &mut self,
        request: &Request,
        deadline: &mut Deadline,
    ) -> Result<Stamped<FromProbe>, SessionError> {
        let next = self.next(deadline)?;
        let late = || SessionError::NoAnswer(request.bench.clone(), deadline.waited());
        next.ok_or_else(late)
    }

    /// The next message before `deadline`, or `None` when it has passed.
    fn next(
        &mut self,
        deadline: &mut Deadline,
    ) -> Result<Option<Stamped<FromProbe>>, SessionError> {
        loop {
            if (self.interrupted)() {
                return Err(SessionError::Interrupted);
            }
            let left = deadline.left(Instant::now());
            match self.arrived.wait(left.min(Duration::from_millis(200))) {
                Arrived::Message(Stamped { what: FromProbe::Panic { message }, .. }) => {
                    return Err(SessionError::Panic(message));
                }
                Arrived::Message(message) => return Ok(Some(message)),
                Arrived::Damaged(how) => return Err(SessionError::Damaged(how.to_string())),
                Arrived::Nothing if deadline.is_over(Instant::now(), || self.cpu_time_now()) => {
                    return Ok(None);
                }
                Arrived::Nothing => self.is_kept()?,
                Arrived::End => return Err(self.ended()),
            }
        }
    }

    /// Fails when the keeper was killed: its layer may live on, but nobody looks after it.
    fn is_kept(&mut self) -> Result<(), SessionError> {
        let lost = self.running.as_mut().and_then(Running::lost);
        lost.map_or(Ok(()), |how| Err(SessionError::KeeperLost(how)))
    }

    fn ended(&mut self) -> SessionError {
        let running = self.running.as_mut();
        let how = running.and_then(|running| running.how_it_ended(AFTERMATH));
        if let Err(lost) = self.is_kept() {
            return lost;
        }
        // Its last words explain the end better than the end itself.
        let deadline = Instant::now() + AFTERMATH;
        while self.drain.as_ref().is_some_and(|d| !d.is_finished()) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        SessionError::Ended(how.unwrap_or_else(|| "its line closed".into()))
    }

    /// Ends the layer. What is waited for after that is the keeper's own end.
    fn stop(&mut self) -> Ended {
        let _ = self.go_on(); // the layer ends with the knobs anywhere
        self.line = None;
        let mut running = self.running.take();
        let left = running.as_mut().map(Running::finish).unwrap_or_default();
        Ended { left, at: Instant::now() }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}

//! A simulated machine whose rows are measured in copies of it.
//!
//! `tare machine` takes QEMU's place in a boot. It boots the machine until the probe waits in its region ([`tare_proto::fork`]), saves it, and
//! then starts one copy after another. Each is told its row by its memory, answers, and ends. To whoever listens, all of them are one line.

mod debugger;
mod image;

use crate::counting::known_to_copies;
use crate::layer::Counting;
use crate::{BootSpec, Program};
use debugger::Debugger;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tare_keeper::{Monitor, MonitorError, programs};
use tare_proto::fork::{AT, MOST, PAGE, PAGES, page, told, waiting};
use tare_proto::{FromProbe, MAX_LINE, ToProbe, decode, encode};

/// The file of the boot's folder that tells this program what to do. It names places of this host, and the guest does not see it.
pub const PLAN: &str = "machine.json";

/// More files there: the saved machine, QEMU's two sockets, and a part of the guest's memory.
const IMAGE: &str = "saved";
const MONITOR: &str = "monitor";
const DEBUGGER: &str = "debugger";
const MEMORY: &str = "memory";

/// What the saved state is called.
const READY: &str = "ready";

/// Bytes of the guest's memory that are searched at once.
const PART: u64 = 64 << 20;

/// A copy waits for less than this, the longest time between two ticks of a kernel's clock: so long after the last tick a row begins as the
/// boot's perturbation says.
const TICK_NS: u64 = 10_000_000;

/// How long QEMU may take to open its sockets, to answer, and to end, on a busy host.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where each page of the probe's region is in the machine's physical memory.
type Region = [u64; PAGES];

/// What copies need of the machine that was saved.
struct Saved {
    region: Region,
    /// What its plugin has found, as an argument for theirs.
    known: String,
}

/// What the program is told.
#[derive(Serialize, Deserialize)]
struct Plan {
    emulator: PathBuf,
    args: Vec<String>,
    /// The parts of the machine's memory: their addresses and sizes.
    memory: Vec<(u64, u64)>,
    /// What each copy is asked.
    asked: Vec<String>,
    /// What counts, if anything does.
    counted: Option<Counting>,
}

/// Why the rows of a machine could not be measured in copies of it.
#[derive(Debug, thiserror::Error)]
pub enum ForkError {
    /// A file of the boot's folder.
    #[error("{0}: {1}")]
    File(String, io::Error),
    /// QEMU cannot be started.
    #[error("cannot start {0}: {1}")]
    Start(String, io::Error),
    /// The line from a machine, or the one to whoever listens.
    #[error("the probe's line: {0}")]
    Line(io::Error),
    /// QEMU's monitor fails.
    #[error(transparent)]
    Monitor(#[from] MonitorError),
    /// QEMU's debugger fails.
    #[error("QEMU's debugger: {0}")]
    Debugger(io::Error),
    /// The machine ended before its probe was ready, or before it had answered. It has said why itself.
    #[error("the machine has ended early: {0}")]
    Ended(ExitStatus),
    /// The region of the probe is not in the guest's memory.
    #[error("{0} of {PAGES} pages of the probe's region were found in the machine's memory")]
    Region(usize),
}

/// The `machine`, with these parts of memory (addresses and sizes), as a program that measures each row of `boot` in a copy. `tare` makes the copies.
pub(super) fn program(
    tare: &Path,
    boot: &BootSpec,
    machine: &Program,
    memory: Vec<(u64, u64)>,
    counted: Option<Counting>,
) -> io::Result<Program> {
    let ends = encode(&ToProbe::Quit);
    let wait_ns = boot.perturbation % TICK_NS;
    let alone = |asked: String| told(wait_ns, &(asked + &ends));
    let asked = boot.script.iter().map(|request| alone(encode(&ToProbe::Run(request.clone()))));
    let mut asked: Vec<_> = asked.collect();
    if let Some(long) = asked.iter().find(|asked| asked.len() > MOST) {
        let why = format!("a command of {} bytes is too long for a simulated machine", long.len());
        return Err(io::Error::other(why));
    }
    if asked.is_empty() {
        asked.push(alone(String::new())); // it is to boot
    }
    let plan = Plan {
        emulator: machine.program.clone(),
        args: machine.args.clone(),
        memory,
        asked,
        counted,
    };
    fs::write(boot.folder.join(PLAN), serde_json::to_vec(&plan)?)?;
    Ok(Program::new(tare).args(["machine", PLAN]))
}

/// Boots the machine that the file `plan` of the working folder describes, and measures its rows.
///
/// # Errors
/// Why there is no machine, or no answer to a row.
pub fn run(plan: &Path) -> Result<(), ForkError> {
    let named = |e| ForkError::File(plan.display().to_string(), e);
    let plan: Plan =
        serde_json::from_slice(&fs::read(plan).map_err(named)?).map_err(|e| named(e.into()))?;
    let mut counts = Vec::new();
    let saved = save(&plan, &mut counts)?;
    for (number, asked) in plan.asked.iter().enumerate() {
        let place = Place { is_first: number == 0, is_last: number + 1 == plan.asked.len() };
        measure(&plan, &saved, asked, place, &mut counts)?;
    }
    match &plan.counted {
        Some(Counting { file, .. }) => {
            fs::write(file, counts).map_err(|e| ForkError::File(file.clone(), e))
        }
        None => Ok(()),
    }
}

/// Which of the copies one is: the first one greets, the last one says goodbye.
#[derive(Clone, Copy)]
struct Place {
    is_first: bool,
    is_last: bool,
}

/// Boots the machine until its probe waits, and saves it.
fn save(plan: &Plan, counts: &mut Vec<u8>) -> Result<Saved, ForkError> {
    fs::write(IMAGE, image::empty()).map_err(|e| ForkError::File(IMAGE.into(), e))?;
    let mut machine = Machine::start(plan, None)?;
    let said = machine.line.take().map(|line| thread::spawn(move || hand_on(line)));
    machine.debugger.stop_at(AT).map_err(ForkError::Debugger)?;
    machine.debugger.go_on().map_err(ForkError::Debugger)?;
    if machine.debugger.stopped().is_err() {
        said.map(thread::JoinHandle::join);
        return Err(machine.ended());
    }
    let region = machine.region(&plan.memory)?;
    machine.monitor.human(&format!("savevm {READY}"))?;
    machine.end(plan, counts)?;
    Ok(Saved { region, known: known_to_copies(counts) })
}

/// Starts a copy, which measures what it is `asked`, and hands on what it says.
fn measure(
    plan: &Plan,
    saved: &Saved,
    asked: &str,
    place: Place,
    counts: &mut Vec<u8>,
) -> Result<(), ForkError> {
    let mut machine = Machine::start(plan, Some(&saved.known))?;
    for (number, at) in saved.region.iter().enumerate() {
        machine.debugger.write(*at, &page(number, asked)).map_err(ForkError::Debugger)?;
    }
    machine.debugger.go_on().map_err(ForkError::Debugger)?;
    let answered = machine.line.take().map(|line| answer(line, place));
    match answered.transpose().map_err(ForkError::Line)? {
        Some(true) => machine.end(plan, counts),
        _ => Err(machine.ended()),
    }
}

/// Hands on what a copy says until its goodbye; whether it came.
fn answer(line: ChildStdout, place: Place) -> io::Result<bool> {
    let mut line = BufReader::new(line);
    let mut out = io::stdout().lock();
    let mut said = Vec::new();
    loop {
        said.clear();
        // A longer line is handed on in parts, and refused by whoever listens.
        if line.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut said)? == 0 {
            return Ok(false);
        }
        let message = decode(&String::from_utf8_lossy(&said)).ok();
        let is_end = matches!(message, Some(FromProbe::Bye));
        let is_heard = match message {
            Some(FromProbe::Hello(_)) => place.is_first,
            Some(FromProbe::Bye) => place.is_last,
            _ => true,
        };
        if is_heard {
            out.write_all(&said)?;
            out.flush()?;
        }
        if is_end {
            return Ok(true);
        }
    }
}

/// Hands on all that a machine says which is to be saved.
fn hand_on(mut line: ChildStdout) {
    let _ = io::copy(&mut line, &mut io::stdout());
}

/// A machine that stands still until its debugger says otherwise.
struct Machine {
    process: Child,
    monitor: Monitor,
    debugger: Debugger,
    line: Option<ChildStdout>,
}

impl Machine {
    /// Starts it: from its beginning, or as a copy of what was saved, of which the plugin is told what is known.
    fn start(plan: &Plan, copied: Option<&str>) -> Result<Machine, ForkError> {
        for socket in [MONITOR, DEBUGGER] {
            let _ = fs::remove_file(socket); // of the copy before
        }
        let socket = |name: &str| format!("unix:{name},server=on,wait=off");
        let saved = format!("driver=qcow2,node-name=saved,file.driver=file,file.filename={IMAGE}");
        let mut command = Command::new(&plan.emulator);
        command.args(&plan.args).args(["-S", "-qmp", &socket(MONITOR), "-gdb", &socket(DEBUGGER)]);
        command.args(["-blockdev", &saved]);
        if copied.is_some() {
            command.args(["-loadvm", READY]);
        }
        if let Some(Counting { plugin, .. }) = &plan.counted {
            command.args(["-plugin", &format!("{plugin}{}", copied.unwrap_or_default())]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        // SAFETY: prctl is async-signal-safe, and what is run here does not allocate.
        unsafe { command.pre_exec(|| Ok(prctl::set_pdeathsig(Signal::SIGKILL)?)) };
        let started = command.spawn();
        let mut process =
            started.map_err(|e| ForkError::Start(plan.emulator.display().to_string(), e))?;
        let line = process.stdout.take();
        match Machine::reach(&mut process) {
            Ok((monitor, debugger)) => Ok(Machine { process, monitor, debugger, line }),
            Err(error) => {
                let _ = process.kill();
                let _ = process.wait();
                Err(error)
            }
        }
    }

    /// Waits for the sockets of a QEMU that has just been started.
    fn reach(process: &mut Child) -> Result<(Monitor, Debugger), ForkError> {
        let monitor = reached(process, || Monitor::at(Path::new(MONITOR), PATIENCE))?;
        let debugger = || Debugger::at(Path::new(DEBUGGER), PATIENCE).map_err(ForkError::Debugger);
        Ok((monitor, reached(process, debugger)?))
    }

    /// Where each page of the region is in the machine's physical memory: page tables of a guest in the guest are none of QEMU's
    /// business, so it is searched.
    fn region(&mut self, memory: &[(u64, u64)]) -> Result<Region, ForkError> {
        let mut found = [None; PAGES];
        for &(begin, size) in memory {
            for at in (begin..begin + size).step_by(PART as usize) {
                let size = PART.min(begin + size - at);
                let asked = json!({ "val": at, "size": size, "filename": MEMORY });
                self.monitor.ask("pmemsave", &asked)?;
                let part = fs::read(MEMORY).map_err(|e| ForkError::File(MEMORY.into(), e))?;
                for (page, at) in part.chunks(PAGE).zip((at..).step_by(PAGE)) {
                    if let Some(number) = waiting(page) {
                        found[number] = Some(at);
                    }
                }
                if found.iter().all(Option::is_some) {
                    let _ = fs::remove_file(MEMORY); // the boot's folder is removed anyway
                    return Ok(found.map(Option::unwrap_or_default));
                }
            }
        }
        Err(ForkError::Region(found.iter().flatten().count()))
    }

    /// How it ended, which it has done, or does now.
    fn ended(mut self) -> ForkError {
        let _ = programs::wait(&mut self.process, PATIENCE);
        let _ = self.process.kill(); // if it has not
        match self.process.wait() {
            Ok(status) => ForkError::Ended(status),
            Err(error) => ForkError::Line(error),
        }
    }

    /// Ends it; what its plugin has counted is added to `counts`.
    fn end(mut self, plan: &Plan, counts: &mut Vec<u8>) -> Result<(), ForkError> {
        self.monitor.ask("quit", &json!({}))?;
        if programs::wait(&mut self.process, PATIENCE).is_none() {
            return Err(self.ended());
        }
        if let Some(Counting { file, .. }) = &plan.counted {
            counts.extend(fs::read(file).map_err(|e| ForkError::File(file.clone(), e))?);
        }
        Ok(())
    }
}

/// Tries to `reach` what a program that has just started opens.
fn reached<T, E: Into<ForkError>>(
    process: &mut Child,
    reach: impl Fn() -> Result<T, E>,
) -> Result<T, ForkError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match reach() {
            Ok(reached) => return Ok(reached),
            Err(error) => match process.try_wait() {
                Ok(Some(status)) => return Err(ForkError::Ended(status)),
                _ if Instant::now() > deadline => return Err(error.into()),
                _ => thread::sleep(Duration::from_millis(2)),
            },
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.process.kill(); // unless it has ended
        let _ = self.process.wait();
    }
}

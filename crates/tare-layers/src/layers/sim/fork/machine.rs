//! A QEMU whose machine is saved, or is a copy of a saved one: started, told and ended through its debugger and its monitor.

use super::debugger::Debugger;
use super::{ForkError, Plan, image};
use crate::layer::Counting;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use serde_json::json;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tare_keeper::{Monitor, programs};
use tare_proto::fork::{PAGE, PAGES, waiting};

/// Files of the boot's folder: the saved machine, QEMU's two sockets, and a part of the guest's memory.
const IMAGE: &str = "saved";
const MONITOR: &str = "monitor";
const DEBUGGER: &str = "debugger";
const MEMORY: &str = "memory";

/// What the saved state is called.
const READY: &str = "ready";

/// Bytes of the guest's memory that are searched at once.
const PART: u64 = 64 << 20;

/// How long QEMU may take to open its sockets, to answer, and to end, on a busy host.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where each of the probe's pages is in the machine's physical memory.
pub(super) type Region = [u64; PAGES];

/// A QEMU that ends with its value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill(); // unless it has ended
        let _ = self.0.wait();
    }
}

/// A machine that stands still until its debugger says otherwise.
pub(super) struct Machine {
    process: Process,
    monitor: Monitor,
    pub(super) debugger: Debugger,
    pub(super) line: Option<ChildStdout>,
}

impl Machine {
    /// Starts it: from its beginning, or as a copy of what was saved, of which the plugin is told what is known.
    pub(super) fn start(plan: &Plan, copied: Option<&str>) -> Result<Machine, ForkError> {
        if copied.is_none() {
            fs::write(IMAGE, image::empty()).map_err(|e| ForkError::File(IMAGE.into(), e))?;
        }
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
        let started = started.map_err(|e| ForkError::Start(plan.emulator.display().to_string(), e));
        let mut process = Process(started?);
        let line = process.0.stdout.take();
        let (monitor, debugger) = Machine::reach(&mut process.0)?;
        Ok(Machine { process, monitor, debugger, line })
    }

    /// Waits for the sockets of a QEMU that has just been started.
    fn reach(process: &mut Child) -> Result<(Monitor, Debugger), ForkError> {
        let monitor = reached(process, || Monitor::at(Path::new(MONITOR), PATIENCE))?;
        let debugger = || Debugger::at(Path::new(DEBUGGER), PATIENCE).map_err(ForkError::Debugger);
        Ok((monitor, reached(process, debugger)?))
    }

    /// Where each of the probe's pages is in the machine's physical memory: page tables of a guest in the guest are none of QEMU's
    /// business, so it is searched.
    pub(super) fn region(&mut self, memory: &[(u64, u64)]) -> Result<Region, ForkError> {
        let mut found = [None; PAGES];
        for &(begin, size) in memory {
            for at in (begin..begin + size).step_by(PART as usize) {
                let size = PART.min(begin + size - at);
                let asked = json!({ "val": at, "size": size, "filename": MEMORY });
                self.monitor.ask("pmemsave", &asked).map_err(ForkError::Saving)?;
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

    /// Saves it for its copies.
    pub(super) fn save(&mut self) -> Result<(), ForkError> {
        self.monitor.human(&format!("savevm {READY}")).map_err(ForkError::Saving)
    }

    /// How it ended, which it has done, or does now.
    pub(super) fn ended(mut self) -> ForkError {
        let Process(process) = &mut self.process;
        let _ = programs::wait(process, PATIENCE);
        let _ = process.kill(); // if it has not
        match process.wait() {
            Ok(status) => ForkError::Ended(status),
            Err(error) => ForkError::Line(error),
        }
    }

    /// Ends it; what its plugin has counted is added to `counts`.
    pub(super) fn end(mut self, plan: &Plan, counts: &mut Vec<u8>) -> Result<(), ForkError> {
        self.monitor.ask("quit", &json!({}))?;
        if programs::wait(&mut self.process.0, PATIENCE).is_none() {
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

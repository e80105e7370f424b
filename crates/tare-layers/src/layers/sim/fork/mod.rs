//! A simulated machine whose rows are measured in copies of it.
//!
//! `tare machine` takes QEMU's place in a boot. It boots the machine until the probe waits to be told ([`tare_proto::fork`]), saves it, and
//! then starts one copy after another. Each is told its row by its memory, answers, and ends. To whoever listens, all of them are one line.

mod debugger;
mod image;
mod machine;

use crate::counting::known_to_copies;
use crate::layer::Counting;
use crate::{BootSpec, Program};
use machine::{Machine, Region};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, ExitStatus};
use std::thread;
use tare_keeper::MonitorError;
use tare_proto::fork::{AT, MOST, PAGES, page, told};
use tare_proto::{FromProbe, MAX_LINE, ToProbe, decode, encode};

/// The file of the boot's folder that tells this program what to do. It names places of this host, and the guest does not see it.
pub const PLAN: &str = "machine.json";

/// A copy waits for less than this before its row, as the boot's perturbation says, so that the kernel's ticks fall elsewhere in it. No kernel
/// here has fewer than a hundred ticks a second.
const TICK_NS: u64 = 10_000_000;

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
    /// The machine cannot be saved.
    #[error(
        "{0}; saving a machine takes up to some hundred MB in the folder for temporary files (TMPDIR)"
    )]
    Saving(MonitorError),
    /// QEMU's debugger fails.
    #[error("QEMU's debugger: {0}")]
    Debugger(io::Error),
    /// The machine ended before its probe was ready, or before it had answered. It has said why itself.
    #[error("the machine has ended early: {0}")]
    Ended(ExitStatus),
    /// Not all of the pages of the probe are in the guest's memory.
    #[error("{0} of {PAGES} pages of the probe's region were found in the machine's memory")]
    Region(usize),
}

/// The `machine`, whose memory has these parts (addresses and sizes), as a program that measures each row of `boot` in a copy. `tare` makes
/// the copies.
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
    let mut machine = Machine::start(plan, None)?;
    let said = machine.line.take().map(|line| thread::spawn(move || hand_on(line)));
    machine.debugger.stop_at(AT).map_err(ForkError::Debugger)?;
    machine.debugger.go_on().map_err(ForkError::Debugger)?;
    if machine.debugger.stopped().is_err() {
        said.map(thread::JoinHandle::join);
        return Err(machine.ended());
    }
    let region = machine.region(&plan.memory)?;
    machine.save()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use tare_proto::Request;
    use tare_proto::fork::heard;

    /// What copies are told of a boot that is asked for these benchmarks.
    fn plan(benches: &[&str]) -> io::Result<Plan> {
        let folder = tempfile::tempdir()?;
        let request = |bench: &&str| Request { bench: (*bench).to_owned(), ..Request::default() };
        let script: Vec<_> = benches.iter().map(request).collect();
        let boot = BootSpec {
            folder: folder.path(),
            id: "boot",
            number: 0,
            counts: None,
            script: &script,
            cpus: &[],
            perturbation: 3 * TICK_NS + 7,
            saved: &crate::Saved::Never,
        };
        let machine = Program::new("/qemu").arg("-S");
        let program = program(Path::new("/tare"), &boot, &machine, vec![(0, 4096)], None)?;
        assert_eq!(program.args, ["machine", PLAN]);
        Ok(serde_json::from_slice(&fs::read(folder.path().join(PLAN))?)?)
    }

    #[test]
    fn each_copy_is_asked_for_one_row_and_to_end() {
        let plan = plan(&["a", "b"]).unwrap();
        let lines = |asked: &String| -> Vec<ToProbe> {
            let (wait_ns, asked) = heard(asked).unwrap();
            assert_eq!(wait_ns, 7);
            asked.lines().map(|line| decode(&format!("{line}\n")).unwrap()).collect()
        };
        for (asked, bench) in plan.asked.iter().zip(["a", "b"]) {
            let [ToProbe::Run(request), ToProbe::Quit] = &lines(asked)[..] else {
                panic!("{asked}")
            };
            assert_eq!(request.bench, bench);
        }
        assert_eq!(plan.asked.len(), 2);
    }

    #[test]
    fn a_machine_that_is_asked_nothing_boots_once() {
        let plan = plan(&[]).unwrap();
        assert_eq!(plan.asked.len(), 1);
    }

    #[test]
    fn what_does_not_fit_into_the_probes_pages_is_refused() {
        let refused = plan(&["x".repeat(MOST).as_str()]).map(drop).unwrap_err().to_string();
        assert!(refused.contains("too long for a simulated machine"), "{refused}");
    }
}

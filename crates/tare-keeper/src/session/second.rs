//! What the host does beside the conversation with the probe: it starts a second process in the layer.

use crate::error::SessionError;
use crate::keeper::knobs::Knobs;
use crate::keeper::orders::monotonic_ns;
use crate::keeper::share;
use crate::launch::saving::Saving;
use crate::launch::{Program, Second};
use crate::processes::Held;
use crate::programs;
use crate::session::Session;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Most bytes that are read of what a command complained.
const COMPLAINT: u64 = 4096;

/// What of a boot's description is needed while the layer runs.
#[derive(Default)]
pub(crate) struct Beside {
    /// The boot's.
    id: String,
    second: Second,
    pub saving: Saving,
    env: Vec<(String, String)>,
    merged: bool,
    /// Where the layer has the host's knobs, and who turns them.
    own_knobs: Vec<(String, String)>,
    knobs: Knobs,
    /// Of a scripted layer: figures that stand for measured ones.
    pub told: HashMap<String, f64>,
}

impl Beside {
    pub(crate) fn of(id: &str, program: &Program, knobs: &Knobs) -> Beside {
        let id = id.to_owned();
        let second = program.second.clone();
        let env = program.env.clone();
        let saving = program.saving.clone();
        let (own_knobs, knobs) = (program.knobs.clone(), knobs.clone());
        let merged = program.pages.merged;
        Beside { id, second, saving, env, merged, own_knobs, knobs, told: HashMap::new() }
    }

    /// Turns the host's knobs to where the layer has them.
    pub(crate) fn turn_knobs(&self) -> Result<(), SessionError> {
        self.knobs.turn(&self.own_knobs)
    }
}

impl Session {
    /// How a second process starts in this layer.
    pub fn second(&self) -> &Second {
        &self.beside.second
    }

    /// Whether the host may merge pages of the layer's processes.
    pub fn merged(&self) -> bool {
        self.beside.merged
    }

    /// Runs `words`, the command of [`Second::Command`], to its end, with the layer's share of the CPUs; how long that took, or why it
    /// failed.
    pub fn run_second(&self, words: &[String], within: Duration) -> Result<Duration, String> {
        let Some((program, args)) = words.split_first() else { return Err("no command".into()) };
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(self.beside.env.iter().cloned());
        self.beside.turn_knobs().map_err(|e| e.to_string())?;
        let group = share::entry(&self.beside.id);
        timed(&mut command, group.as_deref(), within)
    }

    /// The figure that a scripted layer has in place of what the host would measure.
    pub fn told(&self, row: &str) -> Option<f64> {
        self.beside.told.get(row).copied()
    }
}

/// Runs `command` to its end in the control group whose file of members is `group`, and says how long that took. Whoever else waits for
/// a program looks after it every now and then; this sees the end when it comes.
fn timed(
    command: &mut Command,
    group: Option<&Path>,
    within: Duration,
) -> Result<Duration, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |why: &dyn std::fmt::Display| format!("{name}: {why}");
    let complaint = tempfile::tempfile().map_err(|e| failed(&e))?;
    let theirs = complaint.try_clone().map_err(|e| failed(&e))?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(theirs).process_group(0);
    let group = group.map(|file| OpenOptions::new().write(true).open(file)).transpose();
    let mut group = group.map_err(|e| failed(&e))?;
    let (mut begun, mut its_own) = io::pipe().map_err(|e| failed(&e))?;
    let enter = move || {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        group.as_mut().map_or(Ok(()), |group| group.write_all(b"0"))?;
        // To enter a group takes the kernel up to 15 ms, which are not the command's.
        its_own.write_all(&monotonic_ns().to_ne_bytes())
    };
    // SAFETY: it makes system calls alone, as is allowed between fork and exec.
    unsafe { command.pre_exec(enter) };
    let mut child = command.spawn().map_err(|e| failed(&e))?;
    let mut start = [0; size_of::<u64>()];
    begun.read_exact(&mut start).map_err(|e| failed(&e))?;
    if let Some(process) = Held::of(child.id()) {
        process.wait(within);
    }
    let took = Duration::from_nanos(monotonic_ns().saturating_sub(u64::from_ne_bytes(start)));
    match programs::wait(&mut child, within.saturating_sub(took).max(Duration::from_millis(10))) {
        Some(true) => Ok(took),
        Some(false) => Err(failed(&last_words(complaint))),
        None => Err(failed(&format!("it did not finish within {within:?}"))),
    }
}

fn last_words(mut complaint: File) -> String {
    let mut text = Vec::new();
    let _ = complaint.rewind().and_then(|()| complaint.take(COMPLAINT).read_to_end(&mut text));
    programs::last_line(&String::from_utf8_lossy(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timed_program_took_what_it_took_or_failed_for_a_reason() {
        let run = |script: &str, ms| {
            timed(Command::new("sh").args(["-c", script]), None, Duration::from_millis(ms))
        };
        assert!(run("sleep 0.05", 60_000).unwrap() >= Duration::from_millis(50));
        assert_eq!(run("echo no >&2; exit 3", 60_000).unwrap_err(), "sh: no");
        assert!(run("sleep 1000", 50).unwrap_err().contains("did not finish within"));
    }
}

//! The jobs of a fleet, in a file of its folder: a line an attempt, the merge's number first and then the arrays'. Slurm forgets
//! jobs soon after their end, so the hosts that somebody has cancelled are in a file, too: a line a host.

use super::folder::Folder;
use super::slurm::{self, Task};
use anyhow::{Context, Result};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};

const FILE: &str = "jobs";
const CANCELLED: &str = "cancelled";

/// One attempt at the hosts that are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub merge: u64,
    /// The arrays, one a block with a reboot between blocks, else one.
    pub arrays: Vec<u64>,
}

pub fn read(folder: &Folder) -> Result<Vec<Attempt>> {
    let text = match fs::read_to_string(folder.path.join(FILE)) {
        Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let attempt = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse);
        let merge = numbers.next()?.ok()?;
        Some(Attempt { merge, arrays: numbers.collect::<Result<_, _>>().ok()? })
    };
    text.lines().map(|line| attempt(line).with_context(|| format!("'{line}' in {FILE}"))).collect()
}

pub fn add(folder: &Folder, attempt: &Attempt) -> Result<()> {
    let numbers: Vec<String> =
        std::iter::once(&attempt.merge).chain(&attempt.arrays).map(u64::to_string).collect();
    add_line(folder, FILE, &numbers.join(" "))
}

pub fn cancelled(folder: &Folder) -> Vec<String> {
    let text = fs::read_to_string(folder.path.join(CANCELLED)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

pub fn add_cancelled(folder: &Folder, node: &str) -> Result<()> {
    add_line(folder, CANCELLED, node)
}

/// Adds a line to a file of the folder, whole or not at all: a quota may be full, which some file systems say at the end only.
fn add_line(folder: &Folder, name: &str, line: &str) -> Result<()> {
    let path = folder.path.join(name);
    let written = || format!("cannot write {}", path.display());
    let mut file =
        OpenOptions::new().create(true).append(true).open(&path).with_context(written)?;
    let before = file.metadata()?.len();
    let done = file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_all());
    if done.is_err() {
        let _ = file.set_len(before);
    }
    done.with_context(written)
}

/// What Slurm knows of a host's latest task.
pub fn task_of(tasks: &[Task], number: usize) -> Option<&Task> {
    let own = || tasks.iter().filter(|task| task.number == Some(number));
    // The first that has not ended, or else the last.
    let open =
        own().find(|task| matches!(task.state.as_str(), "RUNNING" | "PENDING" | "COMPLETING"));
    open.or_else(|| own().max_by_key(|task| task.job))
}

/// States in which Slurm itself has ended a task.
const ENDED: [&str; 6] =
    ["NODE_FAIL", "TIMEOUT", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE", "PREEMPTED"];

/// Whether somebody has cancelled a host's task: it did not fail, and Slurm did not end it because the one before it failed.
pub fn is_cancelled(tasks: &[Task], number: usize) -> bool {
    let own = || tasks.iter().filter(|task| task.number == Some(number));
    let failed = |state: &str| state == "FAILED" || ENDED.contains(&state);
    own().any(|task| task.state == "CANCELLED") && !own().any(|task| failed(&task.state))
}

/// What Slurm says of a task that has not ended well, and whether it has ended the task itself.
pub fn blame(task: &Task) -> (String, bool) {
    let more = match task.state.as_str() {
        "TIMEOUT" => " (its time limit; more with -- --time=MINUTES)",
        "OUT_OF_MEMORY" => " (its memory limit; more with -- --mem=MEGABYTES)",
        _ => "",
    };
    let text = format!("Slurm says {} of its task{more}", task.state);
    (text, ENDED.contains(&task.state.as_str()))
}

pub fn tasks(attempt: &Attempt) -> Vec<Task> {
    slurm::tasks(&attempt.arrays)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(job: u64, state: &str) -> Task {
        Task { job, number: Some(0), state: state.into(), reason: String::new() }
    }

    #[test]
    fn a_task_that_never_began_because_another_failed_was_not_cancelled() {
        assert!(is_cancelled(&[task(1, "COMPLETED"), task(2, "CANCELLED")], 0));
        assert!(!is_cancelled(&[task(1, "NODE_FAIL"), task(2, "CANCELLED")], 0));
        assert!(!is_cancelled(&[task(1, "CANCELLED")], 1));
    }

    #[test]
    fn what_slurm_has_ended_is_told_by_slurm() {
        let (text, knows_better) = blame(&task(1, "TIMEOUT"));
        assert!(knows_better && text.contains("TIMEOUT") && text.contains("--time="), "{text}");
        assert!(!blame(&task(1, "FAILED")).1);
    }

    #[test]
    fn the_task_that_goes_on_is_the_one_that_is_told_of() {
        let tasks = [task(1, "COMPLETED"), task(2, "RUNNING"), task(3, "PENDING")];
        assert_eq!(task_of(&tasks, 0).unwrap().job, 2);
        assert_eq!(task_of(&tasks[..1], 0).unwrap().job, 1);
        assert_eq!(task_of(&tasks, 7), None);
    }
}

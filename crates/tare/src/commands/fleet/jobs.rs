//! The jobs of a fleet, in a file of its folder: a line an attempt, the merge's number first and then the arrays'.

use super::folder::Folder;
use super::slurm::{self, Task};
use anyhow::{Context, Result};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};

const FILE: &str = "jobs";

/// One attempt at the hosts that are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The job that merges.
    pub merge: u64,
    /// The arrays, one a block with a reboot between blocks, else one.
    pub arrays: Vec<u64>,
}

/// All attempts so far.
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

/// Remembers one more.
pub fn add(folder: &Folder, attempt: &Attempt) -> Result<()> {
    let numbers: Vec<String> =
        std::iter::once(&attempt.merge).chain(&attempt.arrays).map(u64::to_string).collect();
    let path = folder.path.join(FILE);
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    Ok(writeln!(file, "{}", numbers.join(" "))?)
}

/// What Slurm knows of a host's latest task.
pub fn task_of(tasks: &[Task], number: usize) -> Option<&Task> {
    let own = || tasks.iter().filter(|task| task.number == Some(number));
    // The first that has not ended, or else the last.
    let open =
        own().find(|task| matches!(task.state.as_str(), "RUNNING" | "PENDING" | "COMPLETING"));
    open.or_else(|| own().max_by_key(|task| task.job))
}

/// Whether somebody has cancelled a host's task: it did not fail, and Slurm did not end it because the one before it failed.
pub fn is_cancelled(tasks: &[Task], number: usize) -> bool {
    let failed = ["FAILED", "NODE_FAIL", "TIMEOUT", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE"];
    let own = || tasks.iter().filter(|task| task.number == Some(number));
    own().any(|task| task.state == "CANCELLED")
        && !own().any(|task| failed.contains(&task.state.as_str()))
}

/// What Slurm knows of all tasks of an attempt.
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
    fn the_task_that_goes_on_is_the_one_that_is_told_of() {
        let tasks = [task(1, "COMPLETED"), task(2, "RUNNING"), task(3, "PENDING")];
        assert_eq!(task_of(&tasks, 0).unwrap().job, 2);
        assert_eq!(task_of(&tasks[..1], 0).unwrap().job, 1);
        assert_eq!(task_of(&tasks, 7), None);
    }
}

//! Slurm's own programs, as far as a fleet needs them. Each has a deadline.

use anyhow::{Result, anyhow};
use std::process::Command;
use std::time::Duration;

/// How long one of them may take: a busy controller answers late.
const WITHIN: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub job: u64,
    /// Its number in the array; none of a job that is no array.
    pub number: Option<usize>,
    /// `PENDING`, `RUNNING`, `COMPLETED`, ...
    pub state: String,
    pub reason: String,
}

/// What `program` prints, if it succeeds.
pub fn run(program: &str, args: &[String]) -> Result<String> {
    let missing = |no| anyhow!("tare fleet needs Slurm's programs: {no}");
    let found = tare_layers::program(program).map_err(missing)?;
    let mut command = Command::new(found);
    command.args(args).env("LC_ALL", "C");
    tare_layers::output(&mut command, WITHIN).map_err(|why| anyhow!(why))
}

pub fn names(list: &str) -> Result<Vec<String>> {
    let said = run("scontrol", &["show".into(), "hostnames".into(), list.into()])?;
    let mut names: Vec<String> = said.lines().map(|line| line.trim().to_owned()).collect();
    names.retain(|name| !name.is_empty());
    Ok(names)
}

/// Submits `script` with more options; the job's number.
pub fn submit(script: &str, options: &[String]) -> Result<u64> {
    let words = [&["--parsable".to_owned()][..], options, &[script.to_owned()][..]].concat();
    let said = run("sbatch", &words)?;
    let number = said.trim().split(';').next().unwrap_or_default();
    number.parse().map_err(|_| anyhow!("sbatch said '{}' instead of a job's number", said.trim()))
}

/// Binds a task of an array that is held to a node.
pub fn bind(job: u64, number: usize, node: &str) -> Result<()> {
    let words = ["update", &format!("JobId={job}_{number}"), &format!("ReqNodeList={node}")];
    run("scontrol", &words.map(str::to_owned)).map(drop)
}

pub fn release(job: u64) -> Result<()> {
    run("scontrol", &["release".into(), job.to_string()]).map(drop)
}

pub fn cancel(jobs: &[u64]) -> Result<()> {
    run("scancel", &jobs.iter().map(u64::to_string).collect::<Vec<_>>()).map(drop)
}

/// What Slurm knows of the tasks of `jobs`. It forgets jobs some time after their end.
pub fn tasks(jobs: &[u64]) -> Vec<Task> {
    let list: Vec<String> = jobs.iter().map(u64::to_string).collect();
    let words = [
        "--noheader".to_owned(),
        "--array".into(),
        "--states=all".into(),
        format!("--jobs={}", list.join(",")),
        "--format=%F|%K|%T|%r".into(),
    ];
    // Of a job that it has forgotten it says that the number is wrong.
    let said = run("squeue", &words).unwrap_or_default();
    said.lines().filter_map(task).collect()
}

fn task(line: &str) -> Option<Task> {
    let mut fields = line.trim().split('|');
    let job = fields.next()?.parse().ok()?;
    let number = fields.next()?.parse().ok();
    Some(Task { job, number, state: fields.next()?.into(), reason: fields.next()?.into() })
}

/// The state of a node, in lower case and without marks: `idle`, `allocated`, `down`, ...
pub fn node_state(node: &str) -> Result<String> {
    let words = ["--noheader", "--Node", &format!("--nodes={node}"), "--format=%T"];
    let said = run("sinfo", &words.map(str::to_owned))?;
    let state = said.lines().next().unwrap_or_default().trim();
    Ok(state.trim_end_matches(|c: char| !c.is_ascii_alphabetic()).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_squeue_is_a_task() {
        let running =
            Task { job: 12, number: Some(3), state: "RUNNING".into(), reason: "None".into() };
        assert_eq!(task("12|3|RUNNING|None"), Some(running));
        let alone = task("13|N/A|PENDING|Dependency").unwrap();
        assert_eq!((alone.number, alone.reason.as_str()), (None, "Dependency"));
        assert_eq!(task("slurm_load_jobs error: Invalid job id specified"), None);
    }
}

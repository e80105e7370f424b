//! `tare fleet submit`: a job array with a task a host, and a job that merges after it.

use super::folder::{Folder, HOST, MERGE};
use super::jobs::{self, Attempt};
use super::slurm;
use crate::cli::SubmitArgs;
use crate::config::Config;
use crate::output;
use anyhow::Result;
use std::path::Path;

/// Makes the fleet's folder and submits its jobs.
pub fn submit(args: &SubmitArgs) -> Result<()> {
    Config::read(Some(&args.plan))?; // what is wrong with it shows here, not on a hundred nodes
    let folder = Folder::make(args, slurm::names(&args.nodes)?)?;
    let place = folder.path.display();
    output::note(&format!("Written: {place} (scripts {}, {})", HOST.0, MERGE.0));
    if args.dry_run {
        return Ok(());
    }
    let all: Vec<usize> = (0..folder.nodes.len()).collect();
    attempt(&folder, &all)?;
    output::note(&format!(
        "How far it is:  tare fleet status {place}\nThe result:     tare show {place}/merged\nTo end it:      scancel {}",
        jobs_of(&folder)?
    ));
    Ok(())
}

/// Submits once more what has failed, unless that was done often enough or the node is down.
pub fn again(dir: &Path) -> Result<()> {
    let folder = Folder::open(dir)?;
    let attempts = jobs::read(&folder)?;
    let tasks = attempts.last().map(jobs::tasks).unwrap_or_default();
    let mut left = Vec::new();
    for (number, node) in folder.nodes.iter().enumerate().filter(|(_, node)| !folder.is_done(node))
    {
        if let Some(task) = jobs::task_of(&tasks, number) {
            folder.blame(node, &format!("Slurm says {} of its task", task.state))?;
        }
        let state = slurm::node_state(node)?;
        if jobs::is_cancelled(&tasks, number) {
            output::note(&format!("{node} was cancelled: it is not submitted again"));
        } else if ["down", "drain", "fail", "unknown"].iter().any(|bad| state.starts_with(bad)) {
            folder.blame(node, &format!("the node is {state}"))?;
            output::note(&format!("{node} is {state}: it is not submitted again"));
        } else if attempts.len() > folder.retries {
            output::note(&format!(
                "{node} failed {} times: it is not submitted again",
                attempts.len()
            ));
        } else {
            left.push(number);
        }
    }
    if left.is_empty() { Ok(()) } else { attempt(&folder, &left) }
}

/// Submits tasks for `hosts` and what follows them. If that fails half-way, nothing of it stays.
fn attempt(folder: &Folder, hosts: &[usize]) -> Result<()> {
    let mut submitted = Vec::new();
    let done = submit_all(folder, hosts, &mut submitted);
    if done.is_err() && !submitted.is_empty() {
        slurm::cancel(&submitted)?;
    }
    let attempt = done?;
    jobs::add(folder, &attempt)?;
    let arrays: Vec<String> = attempt.arrays.iter().map(u64::to_string).collect();
    let names: Vec<&str> = hosts.iter().map(|&host| folder.nodes[host].as_str()).collect();
    output::note(&format!(
        "Submitted: {} for {}; then the merge, job {}",
        arrays.join(", "),
        names.join(" "),
        attempt.merge
    ));
    Ok(())
}

fn submit_all(folder: &Folder, hosts: &[usize], submitted: &mut Vec<u64>) -> Result<Attempt> {
    let script = |name: &str| folder.path.join(name).display().to_string();
    let numbers: Vec<String> = hosts.iter().map(usize::to_string).collect();
    // With a reboot before each block, an array a block: a task begins when that of the block before has succeeded.
    let blocks: Vec<Option<u32>> = match folder.blocks.filter(|_| folder.reboot) {
        Some(blocks) => (1..=blocks).map(Some).collect(),
        None => vec![None],
    };
    let mut arrays: Vec<u64> = Vec::new();
    for block in blocks {
        // Held until each task is bound to its node.
        let mut options = vec!["--hold".to_owned(), format!("--array={}", numbers.join(","))];
        if let Some(block) = block {
            options.push(format!("--export=ALL,TARE_BLOCKS={block}"));
        }
        if let Some(before) = arrays.last() {
            options.push(format!("--dependency=aftercorr:{before}"));
            options.push("--kill-on-invalid-dep=yes".into());
        }
        let job = slurm::submit(&script(HOST.0), &options)?;
        submitted.push(job);
        arrays.push(job);
        hosts.iter().try_for_each(|&host| slurm::bind(job, host, &folder.nodes[host]))?;
    }
    let all: Vec<String> = arrays.iter().map(u64::to_string).collect();
    let after =
        [format!("--dependency=afterany:{}", all.join(":")), "--kill-on-invalid-dep=yes".into()];
    let merge = slurm::submit(&script(MERGE.0), &after)?;
    submitted.push(merge);
    arrays.iter().try_for_each(|&job| slurm::release(job))?;
    Ok(Attempt { merge, arrays })
}

/// All jobs of the latest attempt, for a command line.
fn jobs_of(folder: &Folder) -> Result<String> {
    let attempts = jobs::read(folder)?;
    let last = attempts.last().map(|last| [&last.arrays[..], &[last.merge]].concat());
    let numbers: Vec<String> = last.unwrap_or_default().iter().map(u64::to_string).collect();
    Ok(numbers.join(" "))
}

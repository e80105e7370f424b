//! `tare fleet submit`: a job array with a task a host, and a job that merges after it.

use super::folder::{Folder, HOST, MERGE, PLAN};
use super::jobs::{self, Attempt};
use super::slurm::{self, Task};
use crate::cli::{RunArgs, SubmitArgs};
use crate::commands::run;
use crate::output;
use crate::pin::Pin;
use crate::usage::wrong_usage;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Makes the fleet's folder, unless it is there already, and submits its jobs.
pub fn submit(args: &SubmitArgs) -> Result<()> {
    let folder = if args.plan.is_dir() { written(args)? } else { new(args)? };
    let place = folder.path.display();
    if args.dry_run {
        output::note(&format!("To submit it:  tare fleet submit {place}"));
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

fn new(args: &SubmitArgs) -> Result<Folder> {
    let (Some(nodes), Some(out)) = (&args.nodes, &args.out) else {
        wrong_usage!(
            "a plan needs --nodes LIST (where to measure it) and --out DIR (a new directory that all nodes share)"
        );
    };
    check(&args.plan, args.blocks)?;
    let folder = Folder::make(args, out, slurm::names(nodes)?)?;
    output::note(&format!("Written: {} (scripts {}, {})", folder.path.display(), HOST.0, MERGE.0));
    Ok(folder)
}

/// The folder that was written before and maybe changed since.
fn written(args: &SubmitArgs) -> Result<Folder> {
    let dir = args.plan.display();
    let SubmitArgs { nodes, out, blocks, reboot, exclusive, retries, account, sbatch, .. } = args;
    let settings = nodes.is_some() || out.is_some() || blocks.is_some() || *reboot || *exclusive;
    if settings || retries.is_some() || account.is_some() || !sbatch.is_empty() {
        wrong_usage!(
            "{dir} is a fleet's directory, whose files hold these options: change the files, or name a plan"
        );
    }
    let folder = Folder::open(&args.plan)?;
    if !jobs::read(&folder)?.is_empty() {
        bail!("{dir} was submitted already; its progress: tare fleet status {dir}");
    }
    check(&folder.path.join(PLAN), folder.blocks)?;
    Ok(folder)
}

/// What is wrong with a plan shows here, not on a hundred nodes. Which CPUs there are is the nodes' affair.
fn check(plan: &Path, blocks: Option<u32>) -> Result<()> {
    run::check(&RunArgs {
        config: Some(plan.to_owned()),
        blocks,
        pin: Some(Pin::None),
        ..RunArgs::plain()
    })
}

/// Submits once more what has failed, unless that was done often enough, is of no use or not wanted.
pub fn again(dir: &Path) -> Result<()> {
    let folder = Folder::open(dir)?;
    let attempts = jobs::read(&folder)?;
    let known: Vec<Vec<Task>> = attempts.iter().map(jobs::tasks).collect();
    let mut left = Vec::new();
    for (number, node) in folder.nodes.iter().enumerate().filter(|(_, node)| !folder.is_done(node))
    {
        // A host may have had no task in the latest attempts.
        let own = known.iter().rev().find(|tasks| jobs::task_of(tasks, number).is_some());
        match why_not(&folder, number, own.map_or(&[], Vec::as_slice), attempts.len())? {
            Some(why) => output::note(&format!("{node} {why}: it is not submitted again")),
            None => left.push(number),
        }
    }
    if left.is_empty() { Ok(()) } else { attempt(&folder, &left) }
}

/// Why a host is not submitted again after so many attempts, of which `tasks` is what Slurm knows of its latest.
fn why_not(
    folder: &Folder,
    number: usize,
    tasks: &[Task],
    attempts: usize,
) -> Result<Option<String>> {
    let node = &folder.nodes[number];
    if let Some(task) = jobs::task_of(tasks, number) {
        let (why, knows_better) = jobs::blame(task);
        folder.blame(node, &why, knows_better)?;
    }
    let before = jobs::cancelled(folder).contains(node);
    if !before && jobs::is_cancelled(tasks, number) {
        jobs::add_cancelled(folder, node)?;
    }
    if before || jobs::is_cancelled(tasks, number) {
        return Ok(Some("was cancelled".into()));
    }
    if folder.is_wrong_there(node) {
        return Ok(Some("refuses the plan, as logs/ says".into()));
    }
    let state = slurm::node_state(node)?;
    if ["down", "drain", "fail", "unknown"].iter().any(|bad| state.starts_with(bad)) {
        folder.blame(node, &format!("the node is {state}"), false)?;
        return Ok(Some(format!("is {state}")));
    }
    Ok((attempts > folder.retries).then(|| format!("failed {attempts} times")))
}

/// Submits tasks for `hosts` and what follows them. If that fails half-way, no job of it stays.
fn attempt(folder: &Folder, hosts: &[usize]) -> Result<()> {
    let mut submitted = Vec::new();
    // What begins is recorded before: were it not, the merge after it would take it for the first attempt, without end.
    let done = submit_all(folder, hosts, &mut submitted).and_then(|attempt| {
        jobs::add(folder, &attempt)?;
        attempt.arrays.iter().try_for_each(|&job| slurm::release(job))?;
        Ok(attempt)
    });
    if let (Err(why), false) = (&done, submitted.is_empty()) {
        let numbers: Vec<String> = submitted.iter().map(u64::to_string).collect();
        let kept = || format!("jobs {} stay: scancel them ({why:#})", numbers.join(" "));
        slurm::cancel(&submitted).with_context(kept)?;
    }
    let attempt = done?;
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

/// The jobs of one attempt, of which none begins before its arrays are released.
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
    Ok(Attempt { merge, arrays })
}

/// All jobs of the latest attempt, for a command line.
fn jobs_of(folder: &Folder) -> Result<String> {
    let attempts = jobs::read(folder)?;
    let last = attempts.last().map(|last| [&last.arrays[..], &[last.merge]].concat());
    let numbers: Vec<String> = last.unwrap_or_default().iter().map(u64::to_string).collect();
    Ok(numbers.join(" "))
}

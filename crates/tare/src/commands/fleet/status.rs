//! `tare fleet status`: how far each host is.

use super::folder::Folder;
use super::jobs;
use crate::commands::{merge, merged_result};
use crate::output;
use anyhow::Result;
use std::fmt::Write;
use std::path::Path;
use tare_run::History;

/// Prints a line a host, and whether there is a merged result.
pub fn status(dir: &Path) -> Result<()> {
    let folder = Folder::open(dir)?;
    let attempts = jobs::read(&folder)?;
    let tasks: Vec<_> = attempts.iter().flat_map(jobs::tasks).collect();
    let wide = folder.nodes.iter().map(String::len).max().unwrap_or(0).max(4);
    let mut text = format!("{:wide$}  {:24}  Slurm\n", "host", "measured");
    for (number, node) in folder.nodes.iter().enumerate() {
        let slurm = jobs::task_of(&tasks, number).map_or("-".to_owned(), |task| {
            let why = ["None", ""].contains(&task.reason.as_str());
            if why { task.state.clone() } else { format!("{} ({})", task.state, task.reason) }
        });
        let _ = writeln!(text, "{node:wide$}  {:24}  {slurm}", measured(&folder, node));
        if let Some(why) = merge::failure(&folder.host(node)).filter(|_| !folder.is_done(node)) {
            let _ = writeln!(text, "{:wide$}  {why}", "");
        }
    }
    let done = folder.nodes.iter().filter(|node| folder.is_done(node)).count();
    let merged = folder.path.join("merged");
    let result = match merged_result::is_in(&merged) {
        true => format!("merged: tare show {}", merged.display()),
        false => "not merged yet".into(),
    };
    let all = folder.nodes.len();
    let tries = attempts.len();
    let _ = writeln!(
        text,
        "{done} of {all} hosts done after {tries} of at most {} attempts; {result}",
        folder.retries + 1
    );
    output::print(&text)
}

fn measured(folder: &Folder, node: &str) -> String {
    match folder.campaign(node) {
        None => "nothing yet".into(),
        Some(campaign) => {
            let blocks = History::of(&campaign).whole();
            format!("{}, {blocks} blocks", campaign.state)
        }
    }
}

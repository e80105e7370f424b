//! `tare fleet fetch`: what the hosts have measured, copied here and merged.

use super::folder::Folder;
use crate::cli::{FetchArgs, HostDir};
use crate::commands::merge;
use crate::output;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Copies every host's folder and merges them, whatever the merge job has done.
pub fn fetch(args: &FetchArgs) -> Result<()> {
    let folder = Folder::open(&args.dir)?;
    let made = || format!("cannot make {} (--out names a new directory)", args.out.display());
    fs::create_dir(&args.out).with_context(made)?;
    let hosts = args.out.join("hosts");
    fs::create_dir(&hosts).with_context(made)?;
    let mut all = Vec::new();
    for node in &folder.nodes {
        let dir = hosts.join(node);
        copy(&folder.host(node), &dir)
            .with_context(|| format!("cannot copy what {node} has measured"))?;
        all.push(HostDir { name: node.clone(), dir });
    }
    let done = folder.nodes.iter().filter(|node| folder.is_done(node)).count();
    output::note(&format!(
        "Copied {} hosts to {}, {done} of them done.",
        all.len(),
        hosts.display()
    ));
    let result = merge::merge_all(&all, args.format.estimator)?;
    merge::keep(&args.out.join("merged"), &result, &args.format)
}

/// Copies a folder of files and folders; nothing else is in a campaign's.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let to = to.join(entry.file_name());
        if kind.is_dir() {
            copy(&entry.path(), &to)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

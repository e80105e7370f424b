//! The share of the CPUs that a layer's processes have: those of each boot stand in one control group of their own, directly below
//! the root of its hierarchy, and weigh much more than the rest of the machine.
//!
//! A group of equal weight gives a layer half of a CPU beside one busy neighbour, and a layer of several processes less, since a
//! neighbour runs whenever one of them has gone to sleep and before the next one wakes. Containers of OCI runtimes have a group there
//! anyway, so this also puts the baseline as deep as they are: each level of groups adds to every switch
//! between processes.
//!
//! A layer whose time nobody measures stands in a group as well, by which its processes are found, but weighs no more than others do.
//! Otherwise a simulated machine would keep everything else from a CPU for minutes, among it the tare of another campaign.

use crate::keeper::mounts;
use crate::processes::{end, end_found, processes_in};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The weight of a layer's group in `cpu.shares`, where others have 1,024: a neighbour that never sleeps takes 1.5% of a CPU. More would
/// starve the kernel's own threads, which stand beside the groups.
const SHARES: u32 = 65_536;

/// The weight in `cpu.weight`, where others have 100: what runtimes make of [`SHARES`].
const WEIGHT: u32 = 2_500;

/// How the names of groups end.
const SUFFIX: &str = "-share";

/// The file of a group's processes; one that writes 0 enters.
const MEMBERS: &str = "cgroup.procs";

/// What limits a group of version 2 beside its quota of CPU time, and what the file says where nothing does.
const LIMITS: [(&str, &str); 2] = [("memory.max", "max"), ("cpuset.cpus", "")];

/// Makes the group of the boot `id`, where there can be one, and lets this process enter: what it starts is in it then. Its weight stays
/// the `usual` one or becomes a measured layer's.
pub(crate) fn enter(id: &str, usual: bool) {
    if let Some(hierarchy) = usable() {
        let folder = hierarchy.root.join(name(id));
        // Without it the layer has the share that any session has.
        let _ = make(&folder, &hierarchy, usual).and_then(|()| join(&folder));
    }
}

/// The file through which a process enters the group of the boot `id`, if there is one.
pub(crate) fn entry(id: &str) -> Option<PathBuf> {
    group(id).map(|group| group.join(MEMBERS)).filter(|file| file.exists())
}

/// Lets this process leave the group of the boot `id`, so that it can be removed.
pub(crate) fn leave(id: &str) {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    if own.contains(&name(id))
        && let Some(hierarchy) = hierarchy(&mounts::of_cgroups())
    {
        let _ = join(&hierarchy.root); // what is left is named when the group cannot be removed
    }
}

/// The `cpu.shares` that a runtime is to give a container's own group; `None` where layers have no such groups.
pub fn shares() -> Option<u32> {
    usable().map(|_| SHARES)
}

/// Where layers can have groups: nowhere if the machine has none for CPUs, or if a limit holds for this process, which its layers must
/// not escape.
fn usable() -> Option<Hierarchy> {
    let hierarchy = hierarchy(&mounts::of_cgroups())?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let second = groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    let limited = hierarchy.weight == WEIGHT && is_limited(&hierarchy.root, second);
    (!limited && tare_proto::cpu_quota("self").is_none()).then_some(hierarchy)
}

/// Ends all processes in the group of the boot `id`; those that have not ended when the time is over. It finds processes that have no
/// mark any more.
pub(crate) fn end_members(id: &str, within: Duration) -> BTreeSet<u32> {
    let Some(group) = group(id) else { return BTreeSet::new() };
    let members = || processes_in(&group);
    end_found(members, |pid| members().contains(&pid), within)
}

/// The control groups of a boot, as far as its end needs them. They are looked up once: to look takes longer than to end.
pub(crate) struct Groups {
    share: Option<PathBuf>,
    /// The files that freeze what stands in the group that a runtime has made, in each hierarchy.
    freezers: Vec<PathBuf>,
}

impl Groups {
    /// Those of the boot `id`, also where they are yet to be made.
    pub fn of(id: &str) -> Groups {
        let freezer = |mount: PathBuf| mount.join(id).join("freezer.state");
        let freezers = mounts::of_cgroups().into_iter().map(freezer).collect();
        Groups { share: group(id), freezers }
    }

    /// Ends the processes in the boot's group but this one, once.
    pub fn end_others(&self) {
        let members = || self.share.as_deref().map(processes_in).unwrap_or_default();
        let others = members().into_iter().filter(|pid| *pid != std::process::id());
        others.for_each(|pid| end(pid, || members().contains(&pid)));
    }

    /// Lets the processes go on that are frozen, as those that are saved: frozen, they do not end.
    pub fn thaw(&self) {
        for freezer in self.freezers.iter().filter(|file| file.exists()) {
            let _ = fs::write(freezer, "THAWED"); // who is still frozen is named when the group cannot be removed
        }
    }
}

/// The group of the boot `id`, where groups share CPUs.
fn group(id: &str) -> Option<PathBuf> {
    Some(hierarchy(&mounts::of_cgroups())?.root.join(name(id)))
}

/// The name of the group of the boot `id`.
pub(crate) fn name(id: &str) -> String {
    format!("{id}{SUFFIX}")
}

/// Whether a layer that is measured has a process, of any campaign, in the hierarchy of control groups that is mounted at `root`.
pub fn has_measured_layer(root: &Path) -> bool {
    let groups = fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_share = |group: &PathBuf| {
        let name = group.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("tare-") && name.ends_with(SUFFIX)
    };
    groups.filter(is_share).any(|group| {
        let weighs = |file, weight: u32| {
            let text = fs::read_to_string(group.join(file)).unwrap_or_default();
            text.trim() == weight.to_string()
        };
        (weighs("cpu.shares", SHARES) || weighs("cpu.weight", WEIGHT))
            && !processes_in(&group).is_empty()
    })
}

/// Makes a group with its weight, or nothing.
fn make(folder: &Path, hierarchy: &Hierarchy, usual: bool) -> io::Result<()> {
    fs::create_dir(folder)?;
    if usual {
        return Ok(());
    }
    let weighted = fs::write(folder.join(hierarchy.file), hierarchy.weight.to_string());
    weighted.or_else(|error| fs::remove_dir(folder).and(Err(error)))
}

/// Lets this process enter the group that is `folder`.
fn join(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(MEMBERS), "0")
}

/// A hierarchy of control groups that share CPUs.
struct Hierarchy {
    root: PathBuf,
    /// The file of a group's weight.
    file: &'static str,
    weight: u32,
}

/// The one that shares CPUs, among those mounted at `mounts`: of version 1 that of the controller `cpu`, of version 2 the one that
/// hands the controller on to its groups.
fn hierarchy(mounts: &[PathBuf]) -> Option<Hierarchy> {
    let first = |root: &Path| {
        let found = Hierarchy { root: root.to_owned(), file: "cpu.shares", weight: SHARES };
        root.join(found.file).exists().then_some(found)
    };
    let second = |root: &Path| {
        let handed = fs::read_to_string(root.join("cgroup.subtree_control")).ok()?;
        let found = Hierarchy { root: root.to_owned(), file: "cpu.weight", weight: WEIGHT };
        handed.split_whitespace().any(|one| one == "cpu").then_some(found)
    };
    mounts.iter().find_map(|root| first(root).or_else(|| second(root)))
}

/// Whether the control group at `path` of version 2, or one above it, limits what a process would escape in a group elsewhere.
fn is_limited(root: &Path, path: &str) -> bool {
    let own = root.join(path.trim_start_matches('/'));
    let mut folders = own.ancestors().take_while(|folder| folder.starts_with(root));
    folders.any(|folder| {
        LIMITS.iter().any(|(file, none)| {
            fs::read_to_string(folder.join(file)).is_ok_and(|limit| limit.trim() != *none)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hierarchy made of plain files.
    fn mounted(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        folder
    }

    #[test]
    fn the_hierarchy_that_shares_cpus_is_found_in_either_version() {
        let memory = mounted(&[("memory.limit_in_bytes", "1")]);
        let first = mounted(&[("cpu.shares", "1024")]);
        let second = mounted(&[("cgroup.subtree_control", "cpuset cpu io\n")]);
        let without = mounted(&[("cgroup.subtree_control", "cpuset memory\n")]);
        let found = |folders: &[&tempfile::TempDir]| {
            let mounts: Vec<PathBuf> =
                folders.iter().map(|folder| folder.path().to_owned()).collect();
            hierarchy(&mounts).map(|found| (found.root, found.file))
        };
        assert_eq!(found(&[&memory, &first]), Some((first.path().into(), "cpu.shares")));
        assert_eq!(found(&[&without, &second]), Some((second.path().into(), "cpu.weight")));
        assert_eq!(found(&[&memory, &without]), None);
    }

    #[test]
    fn a_limit_of_memory_or_cpus_is_not_escaped() {
        let root = mounted(&[]);
        let inner = root.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        for (file, limit) in [("memory.max", "max\n"), ("cpuset.cpus", "\n")] {
            fs::write(inner.join(file), limit).unwrap();
        }
        assert!(!is_limited(root.path(), "/a/b"));
        fs::write(root.path().join("a/cpuset.cpus"), "0-1\n").unwrap();
        assert!(is_limited(root.path(), "/a/b") && !is_limited(root.path(), "/"));
    }

    #[test]
    fn a_group_that_cannot_be_made_whole_leaves_nothing() {
        let root = mounted(&[]);
        let there = Hierarchy { root: root.path().into(), file: "a/b", weight: 1 };
        assert!(make(&root.path().join("tare-x"), &there, false).is_err());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn who_is_not_measured_has_a_group_and_no_weight() {
        let root = mounted(&[]);
        let there = Hierarchy { root: root.path().into(), file: "cpu.shares", weight: 7 };
        for (name, usual) in [("measured", false), ("simulated", true)] {
            make(&root.path().join(name), &there, usual).unwrap();
            assert_eq!(root.path().join(name).join("cpu.shares").exists(), !usual);
        }
    }
}

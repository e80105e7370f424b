//! What a layer's processes hold of the host's memory, whoever else holds the same pages.

use super::files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes of memory that processes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// In files that are memory themselves (`memfd_create`): all that is allocated, mapped or not. gVisor keeps its sandbox's memory in
    /// one, and maps parts of it only.
    pub in_files: u64,
    /// Everywhere else.
    pub rest: u64,
}

impl Held {
    /// Both.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.in_files + self.rest
    }
}

/// What `pids` hold; `None` when one of them cannot be read.
///
/// Anonymous pages count by their proportional share, which is exact: only the layer's own processes share them. Pages of a
/// file count in full for each layer that has them, as if it were alone on the host: what is resident of the file in that
/// process of the layer that has most of it. A process that ended meanwhile, and a zombie, hold no memory.
pub fn held<'a>(pids: impl IntoIterator<Item = &'a u32>) -> Option<Held> {
    let mut anonymous = 0;
    let (mut mapped, mut of_memory) = (BTreeMap::new(), BTreeMap::new());
    for pid in pids {
        of_memory.extend(allocated(*pid));
        match (files::read(*pid, "smaps_rollup"), files::read(*pid, "smaps")) {
            (Ok(all), Ok(mappings)) => {
                anonymous += kib(&all, "Pss_Anon:").unwrap_or(0);
                keep_most(&mut mapped, of_files(&mappings));
            }
            (Err(e), _) | (_, Err(e)) if files::is_gone(&e) => {}
            _ => return None,
        }
    }
    mapped.retain(|file, _| !of_memory.contains_key(file));
    let rest = anonymous + mapped.values().sum::<u64>();
    Some(Held { in_files: 1024 * of_memory.values().sum::<u64>(), rest: 1024 * rest })
}

/// What [`Held::in_files`] is of `pids`, which takes no walk through their memory as the rest does.
pub fn in_files<'a>(pids: impl IntoIterator<Item = &'a u32>) -> u64 {
    let of_memory: BTreeMap<String, u64> =
        pids.into_iter().flat_map(|pid| allocated(*pid)).collect();
    1024 * of_memory.values().sum::<u64>()
}

/// Bytes of memory that `pids` hold by their proportional share, so that what several processes of the host share is counted once
/// among them, with what is allocated of their files of memory and nowhere mapped; `None` when one of them cannot be read.
pub fn proportional_bytes<'a>(pids: impl IntoIterator<Item = &'a u32> + Clone) -> Option<u64> {
    let mut all = unmapped(pids.clone());
    for pid in pids {
        match files::read(*pid, "smaps_rollup") {
            Ok(text) => all += kib(&text, "Pss:").unwrap_or(0),
            Err(e) if files::is_gone(&e) => {}
            Err(_) => return None,
        }
    }
    Some(all * 1024)
}

/// Bytes that the process `pid` takes of the host's available memory: its anonymous pages and its page tables. Pages of files are left
/// out, since the host counts what it could drop as available. A process that has gone takes nothing.
pub fn taken_bytes(pid: u32) -> u64 {
    let read = |name: &str, key: &str| kib(&files::read(pid, name).ok()?, key);
    let anonymous = read("smaps_rollup", "Anonymous:").unwrap_or(0);
    (anonymous + read("status", "VmPTE:").unwrap_or(0)) * 1024
}

/// The files of this host that `pids` have mapped. A path of another mount namespace is left out where it means another file here.
pub fn mapped_files<'a>(pids: impl IntoIterator<Item = &'a u32>) -> BTreeSet<PathBuf> {
    let maps = |pid: &u32| files::read(*pid, "maps").unwrap_or_default();
    let mut files = BTreeSet::new();
    for text in pids.into_iter().map(maps) {
        for line in text.lines() {
            // address, rights, offset, device, inode, path
            let Some(path) = line.find('/').map(|at| Path::new(&line[at..])) else { continue };
            let inode = line.split_whitespace().nth(4).and_then(|word| word.parse().ok());
            let same =
                || fs::metadata(path).is_ok_and(|it| it.is_file() && Some(it.ino()) == inode);
            if !files.contains(path) && same() {
                files.insert(path.to_owned());
            }
        }
    }
    files
}

/// What is allocated of the files of memory of `pids` and mapped by none of these, in KiB.
fn unmapped<'a>(pids: impl IntoIterator<Item = &'a u32> + Clone) -> u64 {
    let of_memory: BTreeMap<String, u64> =
        pids.clone().into_iter().flat_map(|pid| allocated(*pid)).collect();
    if of_memory.is_empty() {
        return 0;
    }
    let mut mapped: BTreeMap<String, u64> = BTreeMap::new();
    for pid in pids {
        keep_most(&mut mapped, of_files(&files::read(*pid, "smaps").unwrap_or_default()));
    }
    let left = |(file, allocated): (&String, &u64)| {
        allocated.saturating_sub(mapped.get(file).copied().unwrap_or(0))
    };
    of_memory.iter().map(left).sum()
}

/// Adds `more` to what is known of each file, of which the largest amount counts.
fn keep_most(all: &mut BTreeMap<String, u64>, more: impl IntoIterator<Item = (String, u64)>) {
    for (file, amount) in more {
        let most = all.entry(file).or_default();
        *most = amount.max(*most);
    }
}

/// What is allocated of each file of memory that `pid` has open, by its name in `smaps`, in KiB. Of files that may not be looked at
/// the mapped part alone is known.
fn allocated(pid: u32) -> impl Iterator<Item = (String, u64)> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.filter_map(|file| {
        let is_memory = fs::read_link(file.path()).ok()?.to_str()?.starts_with("/memfd:");
        let about = fs::metadata(file.path()).ok().filter(|_| is_memory)?;
        let (major, minor) = (libc::major(about.dev()), libc::minor(about.dev()));
        Some((format!("{major:02x}:{minor:02x} {}", about.ino()), about.blocks() / 2))
    })
}

/// What is resident of each file (by device and inode) that a process maps, in KiB, without what it has made its own.
fn of_files(smaps: &str) -> BTreeMap<String, u64> {
    let mut files: BTreeMap<String, u64> = BTreeMap::new();
    let mut file: Option<String> = None;
    for line in smaps.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        if !first.ends_with(':') {
            // address, rights, offset, device, inode
            let device = words.nth(2);
            let inode = words.next();
            let named = device.zip(inode).filter(|(_, inode)| *inode != "0");
            file = named.map(|(device, inode)| format!("{device} {inode}"));
            continue;
        }
        let Some(file) = &file else { continue };
        let amount = || words.clone().next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        let sum = files.entry(file.clone()).or_default();
        match first {
            "Rss:" => *sum += amount(),
            "Anonymous:" => *sum = sum.saturating_sub(amount()),
            _ => {}
        }
    }
    files
}

fn kib(text: &str, key: &str) -> Option<u64> {
    files::value(text, key)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_count_once_a_process_and_what_is_its_own_does_not() {
        let smaps = "\
            55d0-55d1 r-xp 00000000 fe:00 42                 /bin/thing\n\
            Rss:                 100 kB\nPss:                  10 kB\nAnonymous:             0 kB\n\
            55d1-55d2 rw-p 00001000 fe:00 42                 /bin/thing\n\
            Rss:                  20 kB\nAnonymous:            12 kB\n\
            7ffd-7ffe rw-p 00000000 00:00 0                  [stack]\n\
            Rss:                  32 kB\nAnonymous:            32 kB\n\
            7f00-7f01 rw-s 00000000 00:01 7                  /memfd:memory (deleted)\n\
            Rss:                4096 kB\nAnonymous:             0 kB\n";
        let found: Vec<_> = of_files(smaps).into_iter().collect();
        assert_eq!(found, [("00:01 7".to_owned(), 4096), ("fe:00 42".to_owned(), 108)]);
    }

    #[test]
    fn a_process_that_lives_holds_something_and_one_that_does_not_nothing() {
        assert!(held(&[std::process::id()]).is_some_and(|held| held.all() > 100_000));
        assert_eq!(held(&[u32::MAX]).map(Held::all), Some(0));
        assert!(proportional_bytes(&[std::process::id()]).is_some_and(|bytes| bytes > 100_000));
        assert_eq!(proportional_bytes(&[u32::MAX]), Some(0));
        let taken = taken_bytes(std::process::id());
        let all = held(&[std::process::id()]).map(Held::all);
        assert!(taken > 50_000 && taken < all.unwrap(), "{taken} of {all:?}: files are not in it");
        assert_eq!(taken_bytes(u32::MAX), 0);
    }

    #[test]
    fn memory_in_a_file_is_held_also_while_nobody_has_mapped_it() {
        let own = || {
            let pids = [std::process::id()];
            [held(&pids).unwrap().all(), in_files(&pids), proportional_bytes(&pids).unwrap()]
        };
        let before = own();
        let file = nix::sys::memfd::memfd_create(c"tare-test", nix::sys::memfd::MFdFlags::empty());
        let mut file = fs::File::from(file.unwrap());
        file.write_all(&vec![1; 64 << 20]).unwrap();
        for (after, before) in own().into_iter().zip(before) {
            assert!(after >= before + (60 << 20), "{before} and {after}");
        }
    }

    #[test]
    fn a_program_has_mapped_itself() {
        let own = std::env::current_exe().unwrap().canonicalize().unwrap();
        assert!(mapped_files(&[std::process::id()]).contains(&own));
        assert_eq!(mapped_files(&[u32::MAX]), BTreeSet::new());
    }
}

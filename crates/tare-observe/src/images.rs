//! Which file's code a process has mapped where, at each moment.

use crate::observer::Trace;
use crate::record::{Happened, Identity, Mapping};
use crate::symbols::harmless;
use std::collections::HashMap;
use std::fs;

/// Code that is in no file, and in one that has no name.
pub(crate) const ANONYMOUS: &str = "anonymous memory";
const NAMELESS: &str = "a file without a name";

/// What files in memory are called in `/proc/PID/maps`.
const MEMFD: &str = "/memfd:";

/// Most processes that began each other, between one that is looked at and one that has mapped its code.
const GENERATIONS: u32 = 16;

/// What is mapped where, in each process and at each moment.
pub(crate) struct Images<'a> {
    mapped: HashMap<u32, Vec<&'a Mapping>>,
    /// When a process became another program.
    execs: HashMap<u32, Vec<u64>>,
    /// The process that began it, and when.
    parents: HashMap<u32, (u32, u64)>,
    /// Of processes that were there before, what they have mapped now.
    living: HashMap<u32, Vec<Mapping>>,
}

impl<'a> Images<'a> {
    pub(crate) fn of(trace: &'a Trace) -> Images<'a> {
        let mut images = Images {
            mapped: HashMap::new(),
            execs: HashMap::new(),
            parents: HashMap::new(),
            living: HashMap::new(),
        };
        for mapping in &trace.mappings {
            images.mapped.entry(mapping.pid).or_default().push(mapping);
        }
        for record in &trace.records {
            match record.what {
                Happened::Exec => images.execs.entry(record.pid).or_default().push(record.time),
                Happened::Fork { pid, .. } if pid != record.pid => {
                    images.parents.insert(pid, (record.pid, record.time));
                }
                _ => {}
            }
        }
        images
    }

    /// What process `pid` had mapped at `address`; `None` of code that is in no file.
    pub(crate) fn mapped_at(
        &mut self,
        mut pid: u32,
        address: u64,
        mut time: u64,
    ) -> Option<&Mapping> {
        let holds = |one: &Mapping| (one.begin..one.end).contains(&address);
        for _ in 0..GENERATIONS {
            let execs = self.execs.get(&pid).map_or(&[][..], Vec::as_slice);
            let exec = execs.iter().copied().filter(|at| *at <= time).max();
            let own = self.mapped.get(&pid).map_or(&[][..], Vec::as_slice);
            let fits =
                |one: &&&Mapping| (exec.unwrap_or(0)..=time).contains(&one.time) && holds(one);
            if let Some(found) = own.iter().filter(fits).max_by_key(|one| one.time) {
                return Some(*found);
            }
            match self.parents.get(&pid) {
                _ if exec.is_some() => return None,
                Some((parent, began)) if *began <= time => (pid, time) = (*parent, *began),
                _ => break,
            }
        }
        let living = self.living.entry(pid).or_insert_with(|| maps(pid));
        living.iter().find(|one| holds(one))
    }
}

/// The code that a process has mapped now; nothing of one that has ended.
pub(crate) fn maps(pid: u32) -> Vec<Mapping> {
    let text = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let read = |line: &str| {
        let mut words = line.splitn(6, ' ');
        let (begin, end) = words.next()?.split_once('-')?;
        let is_code = words.next()?.as_bytes().get(2) == Some(&b'x');
        let number = |text| u64::from_str_radix(text, 16).ok();
        let offset = number(words.next()?)?;
        let (major, minor) = words.next()?.split_once(':')?;
        let device = libc::makedev(number(major)? as u32, number(minor)? as u32);
        let identity = Identity::Inode { device, inode: words.next()?.parse().ok()? };
        let file = words.next().unwrap_or("").trim().to_owned();
        let (begin, end) = (number(begin)?, number(end)?);
        let mapping = Mapping { time: 0, pid, begin, end, offset, file, identity };
        is_code.then_some(mapping)
    };
    text.lines().filter_map(read).collect()
}

/// What a mapped file is called, in harmless characters: it may be a guest's.
pub(crate) fn name(file: &str) -> String {
    let file = file.trim_end_matches(" (deleted)");
    let short = match file.strip_prefix(MEMFD) {
        Some(named) => format!("memfd {}", named.split(['/', ':']).next().unwrap_or("")),
        None => file.rsplit('/').next().unwrap_or("").to_owned(),
    };
    if file.is_empty() || file.starts_with("//") || file.starts_with("/dev/zero") {
        return ANONYMOUS.into();
    }
    // What O_TMPFILE makes; and what a mount holds that stands in no folder, as the runtime's own program in a container.
    if short.starts_with('#') || short.is_empty() {
        return NAMELESS.into();
    }
    harmless(&short, ".-+ []")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::LONGEST;

    #[test]
    fn a_file_of_a_guest_has_a_harmless_name() {
        assert_eq!(name("/x/a\u{1b}[2Jb"), "a_[2Jb");
        assert_eq!(name(&format!("/{}", "x".repeat(500))).len(), LONGEST);
        assert_eq!(name("[vdso]"), "[vdso]");
        assert_eq!(name(""), ANONYMOUS);
        assert_eq!(name("/dev/shm/#38382 (deleted)"), NAMELESS);
        assert_eq!(name("/"), NAMELESS);
    }

    #[test]
    fn a_process_that_lives_is_asked() {
        let own = maps(std::process::id());
        let here = maps as *const () as u64;
        assert!(own.iter().any(|one| (one.begin..one.end).contains(&here)));
        assert!(maps(u32::MAX).is_empty());
    }
}

//! Whose the threads of a layer are: the program's that is measured, those of what acts as its kernel, or its helpers'.

use super::files;
use super::files::Stat;
use super::{is_traced, threads, tid};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tare_proto::outside::Part;

/// What a thread is told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The thread's own name begins with it.
    Thread(&'static str),
    /// The first word of the process's command line ends with it.
    Program(&'static str),
    /// A tracer has its process.
    Traced,
    /// Its process was started by none of the layer's.
    First,
    /// Every thread.
    Any,
}

/// A line of a layer's table: threads with this sign are this part. The first line that fits counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whose {
    /// What the threads are told by.
    pub sign: Sign,
    /// Whose they are.
    pub part: Part,
}

impl Whose {
    /// A line.
    #[must_use]
    pub const fn new(sign: Sign, part: Part) -> Whose {
        Whose { sign, part }
    }
}

/// What the probe's threads are called.
pub const PROBE: &str = "tare-probe";

/// Where nothing else is said: the probe and all that it starts is the program, everything else helps.
pub const USUAL: &[Whose] =
    &[Whose::new(Sign::Thread(PROBE), Part::Program), Whose::new(Sign::Any, Part::Helper)];

/// Whether a layer with this `table` has no kernel but the host's: its program's processes are the host's own.
#[must_use]
pub fn has_hosts_kernel(table: &[Whose]) -> bool {
    table.iter().all(|line| line.part != Part::Kernel)
}

/// What is looked at of a thread.
struct Seen {
    name: String,
    program: String,
    traced: bool,
    first: bool,
}

impl Seen {
    fn has(&self, sign: Sign) -> bool {
        match sign {
            Sign::Thread(begin) => self.name.starts_with(begin),
            Sign::Program(end) => self.program.ends_with(end),
            Sign::Traced => self.traced,
            Sign::First => self.first,
            Sign::Any => true,
        }
    }

    fn part(&self, table: &[Whose]) -> Part {
        table.iter().find(|line| self.has(line.sign)).map_or(Part::Helper, |line| line.part)
    }
}

/// Every thread of `pids` that lives, with its part by `table`. What a process of the program starts is the program's.
pub(crate) fn parts(pids: &BTreeSet<u32>, table: &[Whose]) -> Vec<(u32, Part)> {
    let parents: BTreeMap<u32, u32> =
        pids.iter().filter_map(|pid| Some((*pid, Stat::of(*pid)?.parent))).collect();
    let mut of_process: BTreeMap<u32, Part> = BTreeMap::new();
    let mut found = Vec::new();
    let mut open: Vec<u32> = parents.keys().copied().collect();
    // Parents first, however their numbers are: a round that gets no further ends it.
    while !open.is_empty() {
        let ready = |pid: &u32| parents.get(pid).is_none_or(|parent| !open.contains(parent));
        let (now, later): (Vec<u32>, Vec<u32>) = open.iter().copied().partition(ready);
        let now = if now.is_empty() { later.clone() } else { now };
        for pid in &now {
            let parent = parents.get(pid).copied().unwrap_or(0);
            let own = match of_process.get(&parent) {
                Some(Part::Program) => {
                    threads(pid).filter_map(|thread| Some((tid(&thread)?, Part::Program))).collect()
                }
                _ => of_threads(*pid, !parents.contains_key(&parent), table),
            };
            let main =
                own.iter().find(|(tid, _)| tid == pid).map_or(Part::Helper, |(_, part)| *part);
            of_process.insert(*pid, main);
            found.extend(own);
        }
        open = later.into_iter().filter(|pid| !now.contains(pid)).collect();
    }
    found
}

fn of_threads(pid: u32, first: bool, table: &[Whose]) -> Vec<(u32, Part)> {
    let line = files::read(pid, "cmdline").unwrap_or_default();
    let program = line.split('\0').next().unwrap_or_default().to_owned();
    let mut seen = Seen { name: String::new(), program, traced: is_traced(pid), first };
    let mut part = |entry: &fs::DirEntry| {
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        seen.name = name.trim_end().to_owned();
        Some((tid(entry)?, seen.part(table)))
    };
    threads(&pid).filter_map(|entry| part(&entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    fn the_first_line_that_fits_says_whose_a_thread_is_and_a_programs_children_are_its_own() {
        let seen = |name: &str, traced| Seen {
            name: name.into(),
            program: "/usr/bin/runsc-sandbox".into(),
            traced,
            first: true,
        };
        let table = [
            Whose::new(Sign::Traced, Part::Program),
            Whose::new(Sign::Program("runsc-sandbox"), Part::Kernel),
        ];
        assert_eq!(seen("exe", true).part(&table), Part::Program);
        assert_eq!(seen("exe", false).part(&table), Part::Kernel);
        assert_eq!(seen("exe", false).part(&table[..1]), Part::Helper);
        assert!(has_hosts_kernel(USUAL) && !has_hosts_kernel(&table));
        assert_eq!(seen("tare-probe", false).part(USUAL), Part::Program);
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 1000 & echo; exec sleep 1000"]);
        let mut child = shell.stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let mut pids = super::super::descendants(child.id());
        pids.insert(child.id());
        let table = [Whose::new(Sign::First, Part::Program), Whose::new(Sign::Any, Part::Helper)];
        let found = parts(&pids, &table);
        pids.iter().for_each(|pid| super::super::end(*pid, || true));
        child.wait().unwrap();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(_, part)| *part == Part::Program), "{found:?}");
    }
}

//! Which code the CPUs' clock found the layer's threads in: files of programs, and functions of the host's kernel.

use crate::counts::Figures;
use crate::functions::program_function;
use crate::observer::Trace;
use crate::record::{Happened, Mapping};
use crate::symbols::{harmless, kernel_function};
use crate::threads::Threads;
use std::collections::HashMap;
use std::fs;
use tare_proto::outside::{IN_KERNEL, Part, Seen};

/// Code that is in no file, and in one that has no name.
const ANONYMOUS: &str = "anonymous memory";
const NAMELESS: &str = "a file without a name";

/// What files in memory are called in `/proc/PID/maps`.
const MEMFD: &str = "/memfd:";

/// A place with less than this share of all looks is not told.
const LEAST: f64 = 0.01;

/// Most processes that began each other, between one that is looked at and one that has mapped its code.
const GENERATIONS: u32 = 16;

/// How often the clock found each part of the layer where: `libc.so.6`, or [`IN_KERNEL`] and a function; and in which functions of
/// the layer's own programs, where these live. Processes that were there before the window and in which nothing was mapped meanwhile
/// are asked, so they must live.
#[must_use]
pub fn places(trace: &Trace, threads: &Threads) -> Figures {
    let mut images = Images::of(trace);
    let mut figures = Figures::new();
    for record in &trace.records {
        let Happened::Clock { user, at } = record.what else { continue };
        let Some(part) = threads.part(record.tid) else { continue };
        let mut count = |seen: Seen, place: &str| {
            *figures.entry(seen.counter(part, place)).or_default() += 1.0;
        };
        if !user {
            count(Seen::Found, &format!("{IN_KERNEL}{}", kernel_function(at)));
            continue;
        }
        let mapped = images.mapped_at(record.pid, at, record.time);
        let file = mapped.map_or_else(|| ANONYMOUS.into(), |one| name(&one.file));
        count(Seen::Found, &file);
        // A file that the program maps may be a guest's, and is not opened.
        let own = mapped.filter(|_| part != Part::Program);
        if let Some(function) = own.and_then(|one| program_function(one, at)) {
            count(Seen::Functions, &format!("{file}: {function}"));
        }
    }
    figures
}

/// The same as shares of all looks.
#[must_use]
pub fn shares(mut places: Figures) -> Figures {
    let is_place = |name: &str| matches!(Seen::read(name), Some((Seen::Found, ..)));
    let all: f64 = places.iter().filter(|(name, _)| is_place(name)).map(|(_, looks)| looks).sum();
    places.values_mut().for_each(|looks| *looks /= all);
    places.retain(|_, share| *share >= LEAST);
    places
}

/// What is mapped where, in each process and at each moment.
struct Images<'a> {
    mapped: HashMap<u32, Vec<&'a Mapping>>,
    /// When a process became another program.
    execs: HashMap<u32, Vec<u64>>,
    /// The process that began it, and when.
    parents: HashMap<u32, (u32, u64)>,
    /// Of processes that were there before, what they have mapped now.
    living: HashMap<u32, Vec<Mapping>>,
}

impl<'a> Images<'a> {
    fn of(trace: &'a Trace) -> Images<'a> {
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
    fn mapped_at(&mut self, mut pid: u32, address: u64, mut time: u64) -> Option<&Mapping> {
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
        let file = words.nth(2).unwrap_or("").trim().to_owned();
        let (begin, end) = (number(begin)?, number(end)?);
        let mapping = Mapping { time: 0, pid, begin, end, offset, file };
        is_code.then_some(mapping)
    };
    text.lines().filter_map(read).collect()
}

/// What a mapped file is called, in harmless characters: it may be a guest's.
fn name(file: &str) -> String {
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
    use crate::record::Record;
    use crate::symbols::LONGEST;

    fn mapping(time: u64, pid: u32, begin: u64, file: &str) -> Mapping {
        Mapping { time, pid, begin, end: begin + 0x1000, offset: 0, file: file.into() }
    }

    #[test]
    fn code_is_that_of_the_file_that_was_mapped_there_at_the_time() {
        let at = |time, pid, what| Record { time, cpu: 0, pid, tid: pid, what };
        let looks = |at| Happened::Clock { user: true, at };
        let own = |address: u64| move || looks(address);
        let here = own(0x5000);
        let records = vec![
            at(5, 10, here()),
            at(10, 10, Happened::Fork { pid: 11, tid: 11 }),
            at(15, 11, here()),
            at(20, 11, Happened::Exec),
            at(25, 11, here()),
            at(30, 11, here()),
            at(40, 99, here()),
        ];
        let mappings = vec![
            mapping(1, 10, 0x5000, "/usr/bin/runc"),
            mapping(22, 11, 0x5000, "/memfd:runc_cloned:/proc/self/exe (deleted)"),
            mapping(28, 11, 0x5000, "//anon"),
        ];
        let trace = Trace { records, mappings, begin: 0, end: 50, ..Trace::default() };
        let threads = Threads::new([(10, Part::Helper), (11, Part::Program)]);
        let expected = [
            ("outside/found/helper/runc", 1.0),
            ("outside/found/program/anonymous memory", 1.0),
            ("outside/found/program/memfd runc_cloned", 1.0),
            ("outside/found/program/runc", 1.0),
        ];
        let expected = expected.map(|(name, looks)| (name.to_owned(), looks));
        let found = places(&trace, &threads);
        assert_eq!(found, Figures::from(expected));
        assert!(shares(found).values().all(|share| *share == 0.25));
        assert_eq!(shares(Figures::new()), Figures::new());
    }

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

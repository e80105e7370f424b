//! Which code the CPUs' clock found the layer's threads in: files of programs, functions of the host's kernel, and who had called them.

use crate::counts::Figures;
use crate::files::{Files, Opened};
use crate::images::{ANONYMOUS, Images, name};
use crate::observer::Trace;
use crate::record::Look;
use crate::symbols::kernel_function;
use crate::threads::Threads;
use tare_proto::outside::{CALLS_INTO, IN_KERNEL, Part, Seen};

/// A place with less than this share of all looks is not told.
const LEAST: f64 = 0.01;

/// Most frames of a stack, the outermost ones.
const DEEPEST: usize = 48;

/// How often the clock found each part of the layer where: `libc.so.6`, or [`IN_KERNEL`] and a function; in which functions of
/// those `files` that may be opened; and in which stacks. Processes that were there before the window and in which nothing was
/// mapped meanwhile are asked, so they must live.
#[must_use]
pub fn places(trace: &Trace, threads: &Threads, files: &Files) -> Figures {
    let mut code = Code {
        images: Images::of(trace),
        of_program: files.of_program,
        opened: Opened::new(files),
    };
    let mut figures = Figures::new();
    for look in &trace.looks {
        let Some(part) = threads.part(look.tid) else { continue };
        let mut count = |seen: Seen, place: &str| {
            *figures.entry(seen.counter(part, place)).or_default() += 1.0;
        };
        let Place { file, function } = code.place(look, part, look.at);
        count(Seen::Found, &file);
        function.iter().for_each(|function| count(Seen::Functions, function));
        count(Seen::Stacks, &code.stack(look, part, function.unwrap_or(file)));
    }
    figures
}

/// The same as shares of all looks. What is left of stacks is what has such a share of its own: of the others their callers have it.
#[must_use]
pub fn shares(mut places: Figures) -> Figures {
    let is_place = |name: &str| matches!(Seen::read(name), Some((Seen::Found, ..)));
    let all: f64 = places.iter().filter(|(name, _)| is_place(name)).map(|(_, looks)| looks).sum();
    let mut told = Figures::new();
    // A caller's name is the beginning of those that it called, and so comes after all of them.
    while let Some((name, looks)) = places.pop_last() {
        match name.rsplit_once(CALLS_INTO) {
            Some((caller, _)) if looks < LEAST * all => {
                *places.entry(caller.to_owned()).or_default() += looks;
            }
            _ => _ = told.insert(name, looks / all),
        }
    }
    told.retain(|_, share| *share >= LEAST);
    told
}

/// Where code is.
struct Place {
    /// In a file, or [`IN_KERNEL`] and a function.
    file: String,
    /// In a function of a program, after its file.
    function: Option<String>,
}

/// Code by its addresses.
struct Code<'a> {
    images: Images<'a>,
    /// Whether the measured program's files are opened.
    of_program: bool,
    opened: Opened<'a>,
}

impl Code<'_> {
    fn place(&mut self, look: &Look, part: Part, at: u64) -> Place {
        if !look.user {
            return Place { file: kernel(at), function: None };
        }
        self.in_file(look, part, at)
            .unwrap_or_else(|| Place { file: ANONYMOUS.into(), function: None })
    }

    /// In a file; `None` of code that is in none. One that a guest's program maps is not opened.
    fn in_file(&mut self, look: &Look, part: Part, at: u64) -> Option<Place> {
        let mapping = self.images.mapped_at(look.pid, at, look.time)?;
        let file = name(&mapping.file);
        let code = (part != Part::Program || self.of_program).then(|| self.opened.code(mapping));
        let offset = (at - mapping.begin).checked_add(mapping.offset);
        let function = code.flatten().zip(offset).and_then(|(code, offset)| {
            code.function(offset).map(|function| format!("{file}: {function}"))
        });
        Some(Place { file, function })
    }

    /// What had called what, the outermost first, up to the `innermost`. Who called from code that is in no file is not known, and neither
    /// is who called that.
    fn stack(&mut self, look: &Look, part: Part, innermost: String) -> String {
        let mut frames = vec![innermost];
        frames.extend(look.kernel.iter().map(|at| kernel(*at)));
        for (number, at) in look.callers.iter().enumerate() {
            // A caller's address is behind its call, which may be the last thing of it. Who entered the kernel is no caller.
            let at = at.wrapping_sub(u64::from(look.user || number > 0));
            let Some(Place { file, function }) = self.in_file(look, part, at) else { break };
            frames.push(function.unwrap_or(file));
        }
        frames.dedup();
        frames.reverse();
        frames.truncate(DEEPEST);
        frames.join(CALLS_INTO)
    }
}

fn kernel(at: u64) -> String {
    format!("{IN_KERNEL}{}", kernel_function(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Happened, Identity, Mapping, Record};

    fn mapping(time: u64, pid: u32, begin: u64, file: &str) -> Mapping {
        Mapping {
            time,
            pid,
            begin,
            end: begin + 0x1000,
            offset: 0,
            file: file.into(),
            identity: Identity::Unknown,
        }
    }

    fn look(time: u64, pid: u32, at: u64) -> Look {
        Look { time, pid, tid: pid, user: true, at, kernel: vec![], callers: vec![] }
    }

    #[test]
    fn code_is_that_of_the_file_that_was_mapped_there_at_the_time() {
        let at = |time, pid, what| Record { time, cpu: 0, pid, tid: pid, what };
        let records =
            vec![at(10, 10, Happened::Fork { pid: 11, tid: 11 }), at(20, 11, Happened::Exec)];
        let looks = [(5, 10), (15, 11), (25, 11), (30, 11), (40, 99)];
        let looks = looks.map(|(time, pid)| look(time, pid, 0x5000)).to_vec();
        let mappings = vec![
            mapping(1, 10, 0x5000, "/usr/bin/runc"),
            mapping(22, 11, 0x5000, "/memfd:runc_cloned:/proc/self/exe (deleted)"),
            mapping(28, 11, 0x5000, "//anon"),
        ];
        let trace = Trace { records, looks, mappings, begin: 0, end: 50, ..Trace::default() };
        let threads = Threads::new([(10, Part::Helper), (11, Part::Program)]);
        let found = places(&trace, &threads, &Files::default());
        let expected: Figures = [
            ("helper/runc", 1.0),
            ("program/anonymous memory", 1.0),
            ("program/memfd runc_cloned", 1.0),
            ("program/runc", 1.0),
        ]
        .into_iter()
        .flat_map(|(place, looks)| {
            ["found", "stacks"].map(|kind| (format!("outside/{kind}/{place}"), looks))
        })
        .collect();
        assert_eq!(found, expected);
        assert!(shares(found).values().all(|share| *share == 0.25));
        assert_eq!(shares(Figures::new()), Figures::new());
    }

    #[test]
    fn a_stack_is_told_from_its_outermost_caller_as_far_as_its_code_is_known() {
        let mappings =
            vec![mapping(1, 10, 0x5000, "/bin/app"), mapping(2, 10, 0x8000, "/lib/libc.so.6")];
        let mut inside = look(5, 10, 0);
        inside.user = false;
        inside.kernel = vec![0];
        inside.callers = vec![0x8100, 0x8200, 0x5100, 0x9999_9999, 0x5200];
        let mut at_the_end = look(6, 10, 0x8100);
        at_the_end.callers = vec![0x6000];
        let trace = Trace { looks: vec![inside, at_the_end], mappings, ..Trace::default() };
        let found = places(&trace, &Threads::new([(10, Part::Program)]), &Files::default());
        let stacks: Vec<&str> =
            found.keys().filter_map(|name| name.strip_prefix("outside/stacks/program/")).collect();
        assert_eq!(stacks, ["app;libc.so.6", "app;libc.so.6;kernel:unknown"]);
    }

    #[test]
    fn a_small_stack_is_its_callers() {
        let stack = |frames: &str| Seen::Stacks.counter(Part::Kernel, frames);
        let mut figures = Figures::from([
            (Seen::Found.counter(Part::Kernel, "x"), 1000.0),
            (stack("a"), 2.0),
            (stack("a;b"), 900.0),
            (stack("z"), 2.0),
        ]);
        figures.extend((0..12).map(|n| (stack(&format!("a;b;c;{n}")), 8.0)));
        let shares = shares(figures);
        assert!((shares[&stack("a;b;c")] - 0.008 * 12.0).abs() < 1e-9, "{shares:?}");
        let kept: Vec<&String> = shares.keys().filter(|name| name.contains("stacks")).collect();
        assert_eq!(kept, [&stack("a;b"), &stack("a;b;c")]);
    }
}

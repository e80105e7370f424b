//! The functions in a program's file, which may be anybody's: nothing of it is believed, and little of it is read.

use crate::gopclntab::{SECTIONS, go_functions};
use crate::kallsyms::{Kallsyms, kallsyms};
use crate::mangled::plain;
use crate::symbols::{Function, LONGEST_NAME, function_at, harmless};
use object::elf::{SHF_ALLOC, SHF_EXECINSTR};
use object::{
    Object, ObjectKind, ObjectSection, ObjectSegment, ObjectSymbol, ReadCache, ReadRef,
    SectionFlags, SymbolKind,
};
use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use tare_proto::counter::XEN;

/// No more symbols are read, and no more bytes of a file.
const MOST: usize = 1_000_000;
const MOST_BYTES: u64 = 256 << 20;

/// The section of what Linux exports to its modules, by which one that is a program is known.
const EXPORTS: &str = "__ksymtab";

/// Bytes that Xen is loaded and linked within: its own symbols are offsets from the begin of such a piece of memory.
const LOADED: u64 = 1 << 30;

/// The code of one file.
#[derive(Debug, Default)]
pub(crate) struct Code {
    segments: Vec<Segment>,
    /// Its functions in the order of their addresses.
    functions: Vec<Function>,
    /// The bits of an address by which its functions are found: all, or those within what is loaded together.
    within: u64,
    /// Whether it is loaded at the addresses that it is linked for, and nowhere else.
    pub is_fixed: bool,
    /// What its linker has written into it about its contents.
    pub build_id: Option<Vec<u8>>,
}

/// Where in a file a part of it is, and at which address it is meant to be.
#[derive(Debug)]
struct Segment {
    offset: u64,
    length: u64,
    address: u64,
}

impl Code {
    /// The function at this place in the file; `None` where no symbol says it.
    pub(crate) fn function(&self, offset: u64) -> Option<&str> {
        let holds =
            |one: &&Segment| (one.offset..one.offset.saturating_add(one.length)).contains(&offset);
        let segment = self.segments.iter().find(holds)?;
        self.function_at(segment.address.checked_add(offset - segment.offset)?)
    }

    /// The function at an address, of a file that is loaded where it is linked.
    pub(crate) fn function_at(&self, address: u64) -> Option<&str> {
        let is_own = self.within == u64::MAX || XEN.contains(&address);
        function_at(&self.functions, address & self.within).filter(|_| is_own)
    }

    /// What a program's file holds, or that of a kernel that is a program.
    pub(crate) fn read(file: File) -> object::Result<Code> {
        Code::of(file, false)
    }

    /// What a kernel's image holds: with the functions that it carries itself.
    pub(crate) fn of_kernel(file: File) -> object::Result<Code> {
        Code::of(file, true)
    }

    /// What a module of Linux holds. Its addresses are counted from where a kernel puts its code: section after section of those that are
    /// executed and stay (Linux, kernel/module/main.c: `layout_sections`).
    pub(crate) fn of_module(file: File) -> object::Result<Code> {
        let cache = ReadCache::new(file);
        let left = Cell::new(MOST_BYTES);
        let file = object::File::parse(Bounded { cache: &cache, left: &left })?;
        let code = SHF_ALLOC | SHF_EXECINSTR;
        let mut begins = HashMap::new();
        let mut end = 0u64;
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let stays = section.name().is_ok_and(|name| !name.starts_with(".init"));
            if sh_flags & code == code && stays {
                let begin = end.checked_next_multiple_of(section.align().max(1));
                let begin = begin.unwrap_or(u64::MAX);
                begins.insert(section.index(), begin);
                end = begin.saturating_add(section.size());
            }
        }
        let placed = |one: object::Symbol<'_, '_, _>| {
            let begin = begins.get(&one.section_index()?)?.checked_add(one.address())?;
            let is_code = one.is_definition() && one.kind() == SymbolKind::Text;
            let name = of_kernel(one.name().ok().filter(|_| is_code)?);
            Some(Function { begin, size: one.size(), name })
        };
        let mut functions: Vec<Function> = file.symbols().take(MOST).filter_map(placed).collect();
        in_order(&mut functions);
        Ok(Code { functions, within: u64::MAX, ..Code::default() })
    }

    fn of(file: File, is_kernel: bool) -> object::Result<Code> {
        let cache = ReadCache::new(file);
        let left = Cell::new(MOST_BYTES);
        let bounded = Bounded { cache: &cache, left: &left };
        let file = object::File::parse(bounded)?;
        let segment = |one: object::Segment<'_, '_, _>| {
            let (offset, length) = one.file_range();
            Segment { offset, length, address: one.address() }
        };
        let segments: Vec<Segment> = file.segments().map(segment).collect();
        let is_code =
            |one: &object::Symbol<'_, '_, _>| one.is_definition() && one.kind() == SymbolKind::Text;
        let named = |one: object::Symbol<'_, '_, _>| {
            let name = short(one.name().ok()?);
            Some(Function { begin: one.address(), size: one.size(), name })
        };
        let all = file.symbols().chain(file.dynamic_symbols()).take(MOST).filter(is_code);
        let mut functions: Vec<Function> = all.filter_map(named).collect();
        if functions.is_empty() {
            functions.extend(go(&file).into_iter().flatten());
        }
        let mut within = u64::MAX;
        if is_kernel || file.section_by_name(EXPORTS).is_some() {
            let own = own_symbols(bounded, &file);
            within = if own.as_ref().is_none_or(|own| own.placed) { u64::MAX } else { LOADED - 1 };
            let own = own.into_iter().flat_map(|own| own.functions);
            functions.extend(own.map(|(begin, name)| Function {
                begin,
                size: 0,
                name: of_kernel(&name),
            }));
        }
        in_order(&mut functions);
        let build_id = file.build_id().ok().flatten().map(<[u8]>::to_vec);
        let is_fixed = file.kind() == ObjectKind::Executable;
        Ok(Code { segments, functions, within, is_fixed, build_id })
    }
}

/// Sorts functions by their addresses, one for each.
fn in_order(functions: &mut Vec<Function>) {
    // Of several names of one place, one without underscores is rather a function's than where a section begins.
    let underscores = |name: &str| name.len() - name.trim_start_matches('_').len();
    functions
        .sort_by_cached_key(|one| (one.begin, underscores(&one.name), one.size, one.name.clone()));
    functions.dedup_by_key(|one| one.begin);
}

/// The functions of a stripped Go program.
fn go<'a>(file: &object::File<'a, Bounded<'a>>) -> Option<impl Iterator<Item = Function> + use<>> {
    let table = SECTIONS.iter().find_map(|name| file.section_by_name(name))?;
    let text = file.section_by_name(".text").map_or(0, |text| text.address());
    let all = go_functions(table.data().ok()?, text)?;
    let named = |(begin, name): (u64, String)| Function { begin, size: 0, name: short(&name) };
    Some(all.into_iter().map(named))
}

/// The symbols that a kernel carries itself.
fn own_symbols<'a>(bytes: Bounded<'a>, file: &object::File<'a, Bounded<'a>>) -> Option<Kallsyms> {
    let addresses =
        |one: object::Segment<'_, '_, _>| one.address()..one.address().saturating_add(one.size());
    let addresses: Vec<Range<u64>> = file.segments().map(addresses).collect();
    kallsyms(bytes.read_bytes_at(0, bytes.len().ok()?).ok()?, &addresses)
}

/// A kernel's name for a function: without the file of Xen's before it, and without what the compiler has added, which another build may not have.
fn of_kernel(name: &str) -> String {
    let last = name.rsplit('#').next().unwrap_or_default();
    harmless(last.split('.').next().unwrap_or_default(), "")
}

/// A file of which no more than so many bytes are read.
#[derive(Clone, Copy)]
struct Bounded<'a> {
    cache: &'a ReadCache<File>,
    left: &'a Cell<u64>,
}

impl Bounded<'_> {
    fn take(self, bytes: u64) -> Result<(), ()> {
        self.left.set(self.left.get().checked_sub(bytes).ok_or(())?);
        Ok(())
    }
}

impl<'a> ReadRef<'a> for Bounded<'a> {
    fn len(self) -> Result<u64, ()> {
        self.cache.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.take(size)?;
        self.cache.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        let range = range.start..range.end.min(range.start.saturating_add(LONGEST_NAME as u64));
        let read = self.cache.read_bytes_at_until(range, delimiter)?;
        self.take(read.len() as u64)?;
        Ok(read)
    }
}

/// A function's name without the path of its package and without what is generic in it, in harmless characters.
fn short(name: &str) -> String {
    let plain = plain(name);
    let plain = plain.split(['[', '@']).next().unwrap_or_default();
    let last = plain.rsplit('/').next().unwrap_or_default();
    harmless(last, ".-()*$:~")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::LONGEST;

    #[test]
    fn names_are_short_and_harmless() {
        for (name, said) in [
            ("gvisor.dev/gvisor/pkg/sentry/kernel.(*Task).run", "kernel.(*Task).run"),
            ("sync.(*Pool[go.shape.struct { a/b int }]).Get", "sync.(*Pool"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("_ZN3std2io5Write9write_all17h0123456789abcdefE", "Write::write_all"),
            ("a\u{1b}[2Jb", "a_"),
        ] {
            assert_eq!(short(name), said);
        }
        assert_eq!(short(&"x".repeat(500)).len(), LONGEST);
    }

    #[test]
    fn what_is_no_program_has_no_functions() {
        let file = tempfile::tempfile().unwrap();
        assert!(Code::read(file).is_err());
    }

    #[test]
    fn a_damaged_file_has_names_or_none() {
        use std::io::Write;
        let whole = std::fs::read("/bin/true").unwrap();
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for round in 0..300 {
            let mut damaged = whole.clone();
            for _ in 0..1 + round % 8 {
                let at = random(if round % 2 == 0 { 512 } else { whole.len() });
                damaged[at] = random(256) as u8;
            }
            damaged.truncate(if round % 3 == 0 { random(whole.len()) } else { whole.len() });
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&damaged).unwrap();
            if let Ok(code) = Code::read(file) {
                (0..8).for_each(|_| _ = code.function(random(whole.len()) as u64));
                assert!(code.functions.iter().all(|one| one.name.len() <= LONGEST));
            }
        }
    }

    #[test]
    fn no_more_of_a_file_is_read_than_is_left() {
        use std::io::Write;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[&[b'x'; 5000][..], &[0; 8]].concat()).unwrap();
        let (cache, left) = (ReadCache::new(file), Cell::new(100));
        let bounded = Bounded { cache: &cache, left: &left };
        assert!(bounded.read_bytes_at_until(4990..5008, 0).is_ok());
        assert!(bounded.read_bytes_at_until(0..5008, 0).is_err(), "a name without an end");
        assert!(bounded.read_bytes_at(0, 90).is_ok());
        assert!(bounded.read_bytes_at(0, 1).is_err(), "ten of the name and ninety");
    }
}

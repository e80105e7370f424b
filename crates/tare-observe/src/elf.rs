//! The functions in a program's file, which may be anybody's: nothing of it is believed, and little of it is read.

use crate::mangled::plain;
use crate::symbols::{Function, function_at, harmless};
use object::{Object, ObjectSegment, ObjectSymbol, ReadCache, ReadRef, SymbolKind};
use std::cell::Cell;
use std::fs::File;
use std::ops::Range;

/// No more symbols are read, no more bytes of a file, and no longer names.
const MOST: usize = 1_000_000;
const MOST_BYTES: u64 = 256 << 20;
const LONGEST_NAME: u64 = 1 << 10;

/// The code of one file.
#[derive(Debug, Default)]
pub(crate) struct Code {
    segments: Vec<Segment>,
    /// Its functions in the order of their addresses.
    functions: Vec<Function>,
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
        let address = segment.address.checked_add(offset - segment.offset)?;
        function_at(&self.functions, address)
    }

    /// What a file holds.
    pub(crate) fn read(file: File) -> object::Result<Code> {
        let cache = ReadCache::new(file);
        let left = Cell::new(MOST_BYTES);
        let file = object::File::parse(Bounded { cache: &cache, left: &left })?;
        let segment = |one: object::Segment<'_, '_, _>| {
            let (offset, length) = one.file_range();
            Segment { offset, length, address: one.address() }
        };
        let segments = file.segments().map(segment).collect();
        let is_code =
            |one: &object::Symbol<'_, '_, _>| one.is_definition() && one.kind() == SymbolKind::Text;
        let named = |one: object::Symbol<'_, '_, _>| {
            let name = short(one.name().ok()?);
            Some(Function { begin: one.address(), size: one.size(), name })
        };
        let all = file.symbols().chain(file.dynamic_symbols()).take(MOST).filter(is_code);
        let mut functions: Vec<Function> = all.filter_map(named).collect();
        functions.sort();
        functions.dedup_by_key(|one| one.begin);
        let build_id = file.build_id().ok().flatten().map(<[u8]>::to_vec);
        Ok(Code { segments, functions, build_id })
    }
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
        let range = range.start..range.end.min(range.start.saturating_add(LONGEST_NAME));
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

//! Functions of a layer's own programs, by the symbols in the files whose code they map.

use crate::record::Mapping;
use crate::symbols::{Function, function_at, harmless};
use object::{Object, ObjectSegment, ObjectSymbol, ReadCache, SymbolKind};
use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// A larger file is not read, nor are more symbols.
const LARGEST: u64 = 1 << 30;
const MOST: usize = 1_000_000;

/// Most files whose functions are kept.
const FILES: usize = 256;

/// The code of one file.
#[derive(Debug, Default)]
struct Code {
    /// Where in the file its segments are: offset, length, and the address of the first byte.
    segments: Vec<(u64, u64, u64)>,
    /// Its functions in the order of their addresses.
    functions: Vec<Function>,
}

/// What was read, by the file's device, its number there, and when it was changed.
type Files = HashMap<(u64, u64, SystemTime), Arc<Code>>;

/// The function at `address`, which lies in the `mapping` of a process that lives; `None` where nobody says which it is.
pub(crate) fn program_function(mapping: &Mapping, address: u64) -> Option<String> {
    let code = code_of(mapping)?;
    let offset = address.checked_sub(mapping.begin)?.checked_add(mapping.offset)?;
    let holds = |one: &&(u64, u64, u64)| (one.0..one.0.saturating_add(one.1)).contains(&offset);
    let (begin, _, at) = code.segments.iter().find(holds)?;
    function_at(&code.functions, at.checked_add(offset - begin)?).map(str::to_owned)
}

/// The code of the file that is mapped, read once for each file, whatever it is called and by whom.
fn code_of(mapping: &Mapping) -> Option<Arc<Code>> {
    static ALL: Mutex<Option<Files>> = Mutex::new(None);
    // The file itself, whichever root the process has; it exists as long as the process does. A device does something when it is opened.
    let Mapping { pid, begin, end, .. } = mapping;
    let place = format!("/proc/{pid}/map_files/{begin:x}-{end:x}");
    let about = fs::metadata(&place).ok().filter(|it| it.is_file() && it.len() <= LARGEST)?;
    let key = (about.dev(), about.ino(), about.modified().ok()?);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    if let Some(known) = all.get(&key) {
        return Some(known.clone());
    }
    if all.len() >= FILES {
        all.clear();
    }
    let code = Arc::new(read(File::open(place).ok()?).unwrap_or_default());
    all.insert(key, code.clone());
    Some(code)
}

/// The code in a file of a program.
fn read(file: File) -> object::Result<Code> {
    let cache = ReadCache::new(file);
    let file = object::File::parse(&cache)?;
    let segment = |one: object::Segment<'_, '_, _>| {
        let (offset, length) = one.file_range();
        (offset, length, one.address())
    };
    let segments = file.segments().map(segment).collect();
    let is_code =
        |one: &object::Symbol<'_, '_, _>| one.is_definition() && one.kind() == SymbolKind::Text;
    let named = |one: object::Symbol<'_, '_, _>| {
        Some(Function { begin: one.address(), size: one.size(), name: short(one.name().ok()?) })
    };
    let all = file.symbols().chain(file.dynamic_symbols()).filter(is_code).take(MOST);
    let mut functions: Vec<Function> = all.filter_map(named).collect();
    functions.sort();
    functions.dedup_by_key(|one| one.begin);
    Ok(Code { segments, functions })
}

/// A function's name without the path of its package and without what is generic in it, in harmless characters.
fn short(name: &str) -> String {
    let plain = name.split(['[', '@']).next().unwrap_or_default();
    let last = plain.rsplit('/').next().unwrap_or_default();
    harmless(last, ".-()*$:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::maps;
    use crate::symbols::LONGEST;

    #[test]
    fn a_function_of_a_program_that_lives_is_told() {
        let address = short as *const () as u64;
        let own = maps(std::process::id());
        let mapping = own.iter().find(|one| (one.begin..one.end).contains(&address)).unwrap();
        let found = program_function(mapping, address + 1).unwrap();
        assert!(found.contains("short"), "{found}");
        assert_eq!(program_function(mapping, mapping.begin.wrapping_sub(1)), None);
        let gone = Mapping { pid: u32::MAX, ..mapping.clone() };
        assert_eq!(program_function(&gone, address), None);
    }

    #[test]
    fn names_are_short_and_harmless() {
        for (name, said) in [
            ("gvisor.dev/gvisor/pkg/sentry/kernel.(*Task).run", "kernel.(*Task).run"),
            ("sync.(*Pool[go.shape.struct { a/b int }]).Get", "sync.(*Pool"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("a\u{1b}[2Jb", "a_"),
        ] {
            assert_eq!(short(name), said);
        }
        assert_eq!(short(&"x".repeat(500)).len(), LONGEST);
    }

    #[test]
    fn what_is_no_program_has_no_functions() {
        let file = tempfile::tempfile().unwrap();
        assert!(read(file).is_err());
    }
}

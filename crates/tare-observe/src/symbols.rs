//! Functions of the host's kernel, by their addresses (`/proc/kallsyms`), and what all names of code have in common.

use std::fs;
use std::sync::OnceLock;

/// Where nobody says which function it is.
const UNKNOWN: &str = "unknown";

/// Longest name that is read, before what is generic in it is left out, in bytes.
pub(crate) const LONGEST_NAME: usize = 1 << 10;

/// Most characters of a name.
pub(crate) const LONGEST: usize = 40;

/// A function of which nobody says how long it is is not longer than this: what lies farther behind its beginning is code that was made later,
/// as a filter's is.
const LONGEST_CODE: u64 = 256 << 10;

/// A function's code.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Function {
    pub begin: u64,
    /// 0 where nobody says it.
    pub size: u64,
    pub name: String,
}

/// The name of the function at `address`; `unknown` where the kernel hides its addresses.
pub(crate) fn kernel_function(address: u64) -> &'static str {
    static ALL: OnceLock<Vec<Function>> = OnceLock::new();
    let all =
        ALL.get_or_init(|| functions(&fs::read_to_string("/proc/kallsyms").unwrap_or_default()));
    function_at(all, address).unwrap_or(UNKNOWN)
}

/// The function of `all`, in the order of their addresses, in which `address` is. Between functions of a program without symbols of its own is
/// code that nobody names.
pub(crate) fn function_at(all: &[Function], address: u64) -> Option<&str> {
    let after = all.partition_point(|one| one.begin <= address);
    let before = after.checked_sub(1).map(|at| &all[at]);
    let size = |one: &Function| if one.size == 0 { LONGEST_CODE } else { one.size };
    before.filter(|one| address - one.begin < size(one)).map(|one| one.name.as_str())
}

/// A name that may be anybody's in letters, digits and the characters that it may have `also`, cut where it is too long.
pub(crate) fn harmless(name: &str, also: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || also.contains(c);
    name.chars().take(LONGEST).map(|c| if is_kept(c) { c } else { '_' }).collect()
}

/// Functions in the order of their addresses. A name's suffixes are the compiler's (`.isra.0`).
fn functions(kallsyms: &str) -> Vec<Function> {
    let read = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok().filter(|at| *at > 0)?;
        let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
        let name = words.next()?.split('.').next()?;
        let name = name.chars().take(LONGEST).collect();
        is_code.then_some(Function { begin: address, size: 0, name })
    };
    let mut all: Vec<Function> = kallsyms.lines().filter_map(read).collect();
    all.sort_by_key(|one| one.begin);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_function_that_begins_before_them() {
        let text = "0000000000002000 T futex_wake\n0000000000001000 t clear_page.isra.0\n0000000000001800 D data\n0 T hidden\nx\n";
        let all = functions(text);
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["clear_page", "futex_wake"]);
        for (address, name) in [
            (0xfff, None),
            (0x1fff, Some("clear_page")),
            (0x2000, Some("futex_wake")),
            (1 << 30, None),
        ] {
            assert_eq!(function_at(&all, address), name);
        }
        assert!(functions("").is_empty());
        let short = [Function { begin: 0x1000, size: 0x10, name: "close".into() }];
        assert_eq!(function_at(&short, 0x100f), Some("close"));
        assert_eq!(function_at(&short, 0x1010), None);
    }
}

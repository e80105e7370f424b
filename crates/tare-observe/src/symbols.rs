//! Functions of the host's kernel, by their addresses (`/proc/kallsyms`), and what all names of code have in common.

use std::fs;
use std::sync::OnceLock;

/// Where nobody says which function it is.
const UNKNOWN: &str = "unknown";

/// Most characters of a name.
pub(crate) const LONGEST: usize = 40;

/// A function is not longer than this: what lies farther behind its beginning is code that was made later, as a filter's is.
const LONGEST_CODE: u64 = 256 << 10;

/// The name of the function at `address`; `unknown` where the kernel hides its addresses.
pub(crate) fn kernel_function(address: u64) -> &'static str {
    static ALL: OnceLock<Vec<(u64, String)>> = OnceLock::new();
    let all =
        ALL.get_or_init(|| functions(&fs::read_to_string("/proc/kallsyms").unwrap_or_default()));
    function_at(all, address).unwrap_or(UNKNOWN)
}

/// The function that begins at `address` or not far before it, of `all` in the order of their addresses.
pub(crate) fn function_at(all: &[(u64, String)], address: u64) -> Option<&str> {
    let after = all.partition_point(|(begin, _)| *begin <= address);
    let before = after.checked_sub(1).map(|at| &all[at]);
    let holds = |one: &&(u64, String)| address - one.0 < LONGEST_CODE;
    before.filter(holds).map(|(_, name)| name.as_str())
}

/// A name that may be anybody's in letters, digits and the characters that it may have `also`, cut where it is too long.
pub(crate) fn harmless(name: &str, also: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
    name.chars().take(LONGEST).map(|c| if is_kept(c) { c } else { '_' }).collect()
}

/// Functions in the order of their addresses. A name's suffixes are the compiler's (`.isra.0`).
fn functions(kallsyms: &str) -> Vec<(u64, String)> {
    let read = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok().filter(|at| *at > 0)?;
        let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
        let name = words.next()?.split('.').next()?;
        is_code.then(|| (address, name.chars().take(LONGEST).collect()))
    };
    let mut all: Vec<(u64, String)> = kallsyms.lines().filter_map(read).collect();
    all.sort_by_key(|(address, _)| *address);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_function_that_begins_before_them() {
        let text = "0000000000002000 T futex_wake\n0000000000001000 t clear_page.isra.0\n0000000000001800 D data\n0 T hidden\nx\n";
        let all = functions(text);
        let names: Vec<&str> = all.iter().map(|(_, name)| name.as_str()).collect();
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
    }
}

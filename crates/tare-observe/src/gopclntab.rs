//! The functions that a Go program carries for its own stack traces, also where it is stripped: its line table, as Go 1.18 and later write it
//! (`runtime.pcHeader`).

use crate::symbols::LONGEST_NAME;

/// The sections in which it is.
pub(crate) const SECTIONS: [&str; 2] = [".gopclntab", ".data.rel.ro.gopclntab"];

/// What it begins with since Go 1.18, and since 1.20: of a 64-bit program whose bytes are in this order.
const MAGIC: [[u8; 4]; 2] = [[0xf0, 0xff, 0xff, 0xff], [0xf1, 0xff, 0xff, 0xff]];

/// Bytes of an address.
const POINTER: u8 = 8;

/// No more functions are read.
const MOST: usize = 1_000_000;

/// Where functions begin, and their names, with the paths of their packages. `text` is where the program's code begins, which since Go 1.26 the
/// table does not say. `None` where this is no such table.
pub(crate) fn go_functions(table: &[u8], text: u64) -> Option<Vec<(u64, String)>> {
    let is_known = MAGIC.contains(table.first_chunk()?) && *table.get(7)? == POINTER;
    let head = |at: usize| usize::try_from(long(table, 8 + 8 * at)?).ok();
    let [functions, from, names, all] = [0, 2, 3, 7].map(head);
    let count = functions.filter(|count| is_known && *count <= MOST)?;
    let from = from.filter(|from| *from != 0).map_or(text, |from| from as u64);
    let all = table.get(all?..)?;
    let names = table.get(names?..)?;
    (0..count)
        .map(|at| {
            let entry = word(all, 8 * at)?;
            let about = word(all, 8 * at + 4)? as usize;
            let name = names.get(word(all, about.checked_add(4)?)? as usize..)?;
            let name = name.split(|byte| *byte == 0).next()?;
            let name = &name[..name.len().min(LONGEST_NAME)];
            Some((from.checked_add(entry.into())?, String::from_utf8_lossy(name).into_owned()))
        })
        .collect()
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of two functions, whose text begins at `text` or elsewhere.
    fn table(text: u64) -> Vec<u8> {
        let names = b"runtime.text\0gvisor.dev/gvisor/pkg/sentry/kernel.(*Task).run\0";
        let names_at = 8 + 8 * 8;
        let all_at = names_at + names.len() as u64;
        let mut table = vec![0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8];
        for value in [2, 1, text, names_at, 0, 0, 0, all_at] {
            table.extend(value.to_le_bytes());
        }
        table.extend(names);
        // Two entries and the end, then what is said of each: its entry and its name.
        for value in [0u32, 20, 0x40, 28, 0x80, 0, 0, 0x40, 13] {
            table.extend(value.to_le_bytes());
        }
        table
    }

    #[test]
    fn functions_have_their_addresses_and_names() {
        let wanted = |text: u64| {
            let task = "gvisor.dev/gvisor/pkg/sentry/kernel.(*Task).run";
            vec![(text, "runtime.text".to_owned()), (text + 0x40, task.to_owned())]
        };
        assert_eq!(go_functions(&table(0x40_1000), 7), Some(wanted(0x40_1000)));
        assert_eq!(go_functions(&table(0), 0x50_0000), Some(wanted(0x50_0000)));
    }

    #[test]
    fn what_is_damaged_or_of_another_version_is_no_table() {
        let whole = table(0x40_1000);
        for length in 0..whole.len() - 1 {
            _ = go_functions(&whole[..length], 0);
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            _ = go_functions(&damaged, 0);
        }
        assert_eq!(go_functions(&[&[0xfb], &whole[1..]].concat(), 0), None);
        assert_eq!(go_functions(&[], 0), None);
    }
}

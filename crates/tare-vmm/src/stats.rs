//! KVM's statistics of a machine or a CPU: a file that describes itself (the kernel's API documentation, 4.133
//! KVM_GET_STATS_FD; Linux 5.14 and later).

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;

/// `_IO(KVMIO, 0xce)`
const KVM_GET_STATS_FD: libc::Ioctl = 0xaece;

/// Longest file that is read, in bytes: ten times that of Linux 6.12.
const LONGEST: usize = 64 << 10;

/// Parts of a description's flags: counts that only grow, and no other unit.
const KIND_AND_UNIT: u32 = 0xff;

/// Sizes of the fixed parts: the file's head, and a description before its name.
const HEAD: usize = 24;
const DESCRIPTION: usize = 16;

/// A count and its name, as KVM calls it.
pub type Count = (String, u64);

/// The statistics of one machine or CPU.
pub struct Stats(File);

impl Stats {
    /// Those of what `kvm` is open on; `None` where the kernel has none.
    pub fn of(kvm: &impl AsRawFd) -> Option<Stats> {
        // SAFETY: the request takes no argument and changes nothing.
        let file = unsafe { libc::ioctl(kvm.as_raw_fd(), KVM_GET_STATS_FD, 0) };
        if file < 0 {
            return None;
        }
        // SAFETY: the descriptor is new and nobody else's.
        Some(Stats(unsafe { File::from_raw_fd(file) }))
    }

    /// What has been counted so far.
    pub fn read(&self) -> io::Result<Vec<Count>> {
        let mut bytes = vec![0; LONGEST];
        let mut size = 0;
        while size < LONGEST {
            match self.0.read_at(&mut bytes[size..], size as u64)? {
                0 => break,
                more => size += more,
            }
        }
        Ok(parse(&bytes[..size]).unwrap_or_default())
    }
}

/// The counts in the file; `None` when it is not what the documentation says.
fn parse(file: &[u8]) -> Option<Vec<Count>> {
    let word = |at: usize| {
        let bytes = file.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    let name_size = word(4)?;
    let number = word(8)?;
    let described = word(16)?;
    let data = word(20)?;
    let size = DESCRIPTION.checked_add(name_size)?;
    if described < HEAD || number.checked_mul(size)? > file.len() {
        return None;
    }
    let mut counts = Vec::new();
    for nth in 0..number {
        let at = described.checked_add(nth * size)?;
        let flags = word(at)?;
        let values = word(at + 4)? >> 16;
        let place = data.checked_add(word(at + 8)?)?;
        let name = file.get(at + DESCRIPTION..at + size)?;
        if flags as u32 & KIND_AND_UNIT == 0 && values == 1 {
            let value = file.get(place..place.checked_add(8)?)?;
            counts.push((text(name)?, u64::from_le_bytes(value.try_into().ok()?)));
        }
    }
    Some(counts)
}

/// The name up to its zero.
fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&bytes[..end]).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A file with these descriptions (flags, values, name) and one datum each.
    fn file(descriptions: &[(u32, u16, &str)]) -> Vec<u8> {
        const NAME: usize = 16;
        let data = HEAD + descriptions.len() * (DESCRIPTION + NAME);
        let head = [0, NAME, descriptions.len(), HEAD, HEAD, data];
        let mut file: Vec<u8> = head.iter().flat_map(|word| (*word as u32).to_le_bytes()).collect();
        for (nth, (flags, values, name)) in descriptions.iter().enumerate() {
            file.extend(flags.to_le_bytes());
            file.extend(0u16.to_le_bytes());
            file.extend(values.to_le_bytes());
            file.extend((nth as u32 * 8).to_le_bytes());
            file.extend(0u32.to_le_bytes());
            let mut padded = name.as_bytes().to_vec();
            padded.resize(NAME, 0);
            file.extend(padded);
        }
        file.extend((0..descriptions.len() as u64).flat_map(|nth| (100 + nth).to_le_bytes()));
        file
    }

    #[test]
    fn counts_are_read_and_nothing_else() {
        // Cumulative counts; an instant value; nanoseconds; a histogram.
        let file = file(&[
            (0, 1, "exits"),
            (1, 1, "now"),
            (0x20, 1, "wait_ns"),
            (4, 32, "hist"),
            (0, 1, "io_exits"),
        ]);
        let counts = parse(&file).unwrap();
        assert_eq!(counts, [("exits".to_owned(), 100), ("io_exits".to_owned(), 104)]);
    }

    proptest! {
        #[test]
        fn damage_is_no_harm(mut bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0..24usize) {
            parse(&bytes);
            let mut whole = file(&[(0, 1, "exits")]);
            let cut = bytes.len().min(whole.len());
            parse(&whole[..cut]);
            whole[at] = bytes.pop().unwrap_or(7);
            parse(&whole);
        }
    }
}

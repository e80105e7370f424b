//! What the disks of this host have moved: a layer that answers from a cache asks them for less than its program asks for.

use std::fs;
use std::path::Path;

/// Bytes of a sector in `/proc/diskstats`, whatever a disk's own are (Documentation/admin-guide/iostats.rst).
const SECTOR: u64 = 512;

/// Bytes that all disks of this host have read and written since it started; none where no disk can be seen.
pub(crate) fn moved_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/diskstats").ok()?;
    moved(&text, |name| Path::new("/sys/block").join(name).join("device").exists())
}

/// The sum over the lines of devices that are disks: what lies on top of them (loop devices, device mapper) moves the same bytes again.
fn moved(text: &str, is_disk: impl Fn(&str) -> bool) -> Option<u64> {
    let of = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, _, name, _, _, read, _, _, _, written, ..] = fields[..] else { return None };
        is_disk(name).then_some(read.parse::<u64>().ok()? + written.parse::<u64>().ok()?)
    };
    text.lines().filter_map(of).reduce(|sum, more| sum + more).map(|sectors| sectors * SECTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_disks_count_and_of_them_what_was_read_and_written() {
        let text = "   7 0 loop0 9 0 80 0 0 0 0 0 0 0 0\n 254 0 vda 4 1 1000 5 6 7 24 9 0 1 2\n 254 1 vda1 4 1 1000 5 6 7 24 9 0 1 2\n";
        assert_eq!(moved(text, |name| name == "vda"), Some(1024 * SECTOR));
        assert_eq!(moved(text, |_| false), None);
        assert_eq!(moved("254 0 vda few", |_| true), None);
    }
}

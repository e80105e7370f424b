//! What the host says of its memory, and how much of it layers may take.

use nix::unistd::{SysconfVar, sysconf};
use std::fs;

/// The share of the memory that has to stay available while layers are alive.
const FREE: f64 = 0.25;

/// What the host says of its memory, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct HostMemory {
    pub total: f64,
    /// `MemAvailable` and the free pages that each CPU keeps at hand, which it leaves out. These may be gigabytes, and what
    /// processes leave behind goes there first, so `MemAvailable` alone says that the next ones take nearly nothing.
    pub available: f64,
    pub page_tables: f64,
    pub slab: f64,
    pub shared: f64,
}

impl HostMemory {
    /// As it is now; `None` where the host does not say what is available.
    pub fn now() -> Option<HostMemory> {
        let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(0);
        let at_hand = pages_at_hand(&fs::read_to_string("/proc/zoneinfo").unwrap_or_default());
        let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
        HostMemory::read(&meminfo, (at_hand * page as u64) as f64)
    }

    fn read(meminfo: &str, at_hand: f64) -> Option<HostMemory> {
        let bytes = |key: &str| {
            let line = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
        };
        Some(HostMemory {
            total: bytes("MemTotal:")?,
            available: bytes("MemAvailable:")? + at_hand,
            page_tables: bytes("PageTables:").unwrap_or(0.0),
            slab: bytes("SUnreclaim:").unwrap_or(0.0),
            shared: bytes("Shmem:").unwrap_or(0.0),
        })
    }

    /// What may still be taken before three quarters of the memory are gone.
    pub fn room(&self) -> f64 {
        (self.available - FREE * self.total).max(0.0)
    }
}

/// The free pages in the lists of all CPUs, of all zones.
fn pages_at_hand(zoneinfo: &str) -> u64 {
    let counts = zoneinfo.lines().filter_map(|line| line.trim_start().strip_prefix("count:"));
    counts.filter_map(|count| count.trim().parse::<u64>().ok()).sum()
}

/// Whether another layer may be booted beside those that are up.
pub(crate) fn has_room() -> bool {
    HostMemory::now().is_none_or(|memory| memory.room() > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_what_is_available_beyond_a_quarter() {
        let text = "MemTotal:  8000 kB\nMemFree: 1 kB\nMemAvailable:    5000 kB\nPageTables: 7 kB\n\
                    SUnreclaim: 9 kB\nShmem: 3 kB\n";
        let memory = HostMemory::read(text, 0.0).unwrap();
        assert_eq!(memory.room(), 3000.0 * 1024.0);
        assert_eq!(HostMemory::read(text, 4096.0).unwrap().room(), 3004.0 * 1024.0);
        assert_eq!((memory.page_tables, memory.slab, memory.shared), (7168.0, 9216.0, 3072.0));
        assert_eq!(HostMemory { available: 0.0, ..memory }.room(), 0.0);
        assert_eq!(HostMemory::read("MemTotal: 1 kB\n", 0.0), None);
    }

    #[test]
    fn free_pages_that_cpus_keep_are_counted_over_cpus_and_zones() {
        let zone = |count| {
            format!(
                "  pages free     3840\n        present  3998\n  pagesets\n    cpu: 0\n              count:    {count}\n              \
                 high:     14\n    cpu: 1\n              count:    2\n  start_pfn:           1\n"
            )
        };
        assert_eq!(pages_at_hand(&(zone(5) + &zone(700))), 709);
        assert_eq!(pages_at_hand(""), 0);
    }
}

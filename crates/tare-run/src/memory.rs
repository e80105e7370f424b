//! What the host says of its memory, and how much of it layers may take.

use std::fs;

/// The share of the memory that has to stay available while layers are alive.
const FREE: f64 = 0.25;

/// What the host says of its memory, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct HostMemory {
    pub total: f64,
    pub available: f64,
    pub page_tables: f64,
    pub slab: f64,
    pub shared: f64,
}

impl HostMemory {
    /// As it is now; `None` where the host does not say what is available.
    pub fn now() -> Option<HostMemory> {
        HostMemory::read(&fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn read(meminfo: &str) -> Option<HostMemory> {
        let bytes = |key: &str| {
            let line = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0)
        };
        Some(HostMemory {
            total: bytes("MemTotal:")?,
            available: bytes("MemAvailable:")?,
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
        let memory = HostMemory::read(text).unwrap();
        assert_eq!(memory.room(), 3000.0 * 1024.0);
        assert_eq!((memory.page_tables, memory.slab, memory.shared), (7168.0, 9216.0, 3072.0));
        assert_eq!(HostMemory { available: 0.0, ..memory }.room(), 0.0);
        assert_eq!(HostMemory::read("MemTotal: 1 kB\n"), None);
    }
}

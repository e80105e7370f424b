//! What a campaign needs of the host: CPUs, memory, disk space and the date.

pub(crate) mod cpus;
pub(crate) mod disks;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod ticks;

//! The environment variables that tell a probe which disk its layer was given. In a guest they come from the kernel's command
//! line, which Linux passes on to PID 1.

/// The variable that names the layer's own disk: a file, or a device of the guest.
pub const DISK: &str = "TARE_DISK";

/// The environment variable that names a folder for files on a disk.
pub const DISK_FOLDER: &str = "TARE_DISK_FOLDER";

/// The variable that names a guest's device with a file system for files, which the probe mounts when a benchmark
/// wants to be on a disk.
pub const DISK_FILES: &str = "TARE_DISK_FILES";

/// The prefix of a value that says why there is no disk; the reason follows it.
pub const NO_DISK: &str = "tare has no disk: ";

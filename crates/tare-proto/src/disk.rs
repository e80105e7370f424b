//! How a probe learns of what its layer was given beside the line: words of its environment, which a
//! guest's kernel passes on from its command line.

/// The variable that names the layer's own disk: a file, or a device of the guest.
pub const DISK: &str = "TARE_DISK";

/// The environment variable that names a folder for files on a disk.
pub const DISK_FOLDER: &str = "TARE_DISK_FOLDER";

/// The variable that names a guest's device with a file system for files, which the probe mounts when a benchmark
/// wants to be on a disk.
pub const DISK_FILES: &str = "TARE_DISK_FILES";

/// What a disk begins with that could not be made; the reason follows.
pub const NO_DISK: &str = "tare has no disk: ";

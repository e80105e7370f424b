//! A program of the reader's that a probe runs: what runs, in which surroundings, for how long at most.

use serde::{Deserialize, Serialize};

/// The variable that says where the programs of a layer find their root: [`ROOT_HERE`], [`ROOT_OVERLAY`] with folders,
/// [`ROOT_HOSTFS`] with a folder of the host, [`ROOT_IMAGE`] with a device, [`ROOT_FOLDER`] with a folder of the guest, or
/// [`ROOT_NONE`] with the reason.
pub const ROOT: &str = "TARE_ROOT";

/// The probe's own root is the programs' root too. `here:MIB`: a container's, which is an overlay that holds so much in memory; 0 where
/// it lies on a disk.
pub const ROOT_HERE: &str = "here";

/// Begins `overlay:MIB:STAGE:LOWER`: the probe puts an overlay that holds so much in memory over the folder LOWER, at the empty folder
/// STAGE. With 0 what is written stays in that folder.
pub const ROOT_OVERLAY: &str = "overlay:";

/// Begins `hostfs:FOLDER`: a folder of the host that a User-Mode Linux mounts.
pub const ROOT_HOSTFS: &str = "hostfs:";

/// Begins `image:DEVICE`: a disk with a read-only file system.
pub const ROOT_IMAGE: &str = "image:";

/// Begins `folder:FOLDER`: a folder of the guest's own, which goes with it.
pub const ROOT_FOLDER: &str = "folder:";

/// The variable that names the disk, with a file system of ext4, to which a guest's programs write over such a root; in the guest's
/// memory where there is none.
pub const ROOT_DISK: &str = "TARE_ROOT_DISK";

/// Begins `none:WHY`: the layer has no root for programs.
pub const ROOT_NONE: &str = "none:";

/// The variable, or the file in the root, that is `1` where the operations of programs are counted although no perf events are
/// asked for: on the bare simulated machine, when instructions are counted.
pub const COUNT_OPERATIONS: &str = "TARE_COUNT_OPERATIONS";

/// Most bytes of a run's output that are kept, its last ones.
pub const MAX_OUTPUT: usize = 32 << 10;

/// Most bytes of the outputs of a series together: they and the samples have to fit into one line.
pub const MAX_OUTPUTS: usize = 192 << 10;

/// The first word of a program that is the probe itself, as a process that the probe starts sees it: in its root no path leads to it.
pub const ITSELF: &str = "/proc/self/exe";

/// A program, run once a sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Its whole environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
    /// Its working directory, in the root.
    pub folder: String,
    /// The file in the root that is its standard input; `/dev/null` when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Shell commands that are not measured.
    #[serde(default)]
    pub around: Around,
    /// Runs before the measured ones that are thrown away.
    pub warmup: u32,
    /// Time for each run, and for each command around it, in milliseconds.
    pub limit_ms: u64,
    /// Memory that a layer needs for it, in MiB; 0 when nothing was said.
    #[serde(default)]
    pub memory_mib: u64,
    /// Whether it has a network of its own with the loopback interface alone, also over the host's own files: two boots of the host are
    /// alive at once, and their servers want the same port.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_network: bool,
    /// Whether the outputs are wanted too ([`crate::Series::outputs`]).
    #[serde(default)]
    pub outputs: bool,
}

/// Shell commands around the runs of a program; an empty one is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Around {
    /// Once, before everything else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub setup: String,
    /// A server that runs beside the program until it is ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub background: String,
    /// Succeeds when that server is ready; asked again until it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ready: String,
    /// Before every run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prepare: String,
    /// Once, after the last run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub teardown: String,
}

impl Program {
    /// The time that a probe may take for `runs` runs and what is around them, in milliseconds.
    pub fn patience_ms(&self, runs: u32) -> u64 {
        let steps = 4 + 2 * (u64::from(self.warmup) + u64::from(runs));
        self.limit_ms.saturating_mul(steps)
    }
}

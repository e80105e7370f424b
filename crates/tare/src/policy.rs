//! What differs between the real and the simulated machine, asked by the name of the property.

use std::time::Duration;
use tare_layers::has_counters;
use tare_proto::Machine;
use tare_run::simulated;
use tare_store::Counting;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// So many whole blocks.
    Blocks(u32),
    /// As many blocks as fit into this time.
    Budget(Duration),
}

/// Sizes of every series that the machine decides, not the campaign.
pub struct FixedSeries {
    /// Shortest timed batch, in the clock's unit.
    pub batch: u64,
    /// Longest series, in milliseconds of the guest's clock.
    pub series_ms: u64,
    /// The last-level cache that sizes are chosen by, in bytes.
    pub cache_bytes: u64,
}

pub struct Policy {
    /// Time from a layer's start to its greeting when nothing is said.
    pub boot_limit: Duration,
    /// How long a campaign goes on when nothing is said.
    pub length: Length,
    /// The seed when nothing is said; `None` draws one.
    pub seed: Option<u64>,
    /// Whether the state, the CPUs and the time of this host influence what is measured.
    pub host_matters: bool,
    /// Whether layers answer while they run: otherwise they take no turns, and no load can be searched.
    pub is_interactive: bool,
    /// Whether its clock tells time, by which programs of this host can be predicted.
    pub clock_is_time: bool,
    pub shows_host_files: bool,
    /// Whether a root of programs comes to guests on a disk, which tare's own monitor has not.
    pub roots_need_disks: bool,
    /// Whether a kernel is named by its package; otherwise by its file.
    pub kernels_are_packages: bool,
    /// What QEMU counts for an explanation. On the real machine it would slow down one layer of several.
    pub explained_by: Counting,
    /// Whether a layer of this kind has performance counters; where it has none, QEMU's plugin counts.
    pub has_perf_events: fn(&str) -> bool,
    /// How the runs of a program become one value, where that is not the usual way.
    pub program_estimator: Option<&'static str>,
    /// Sizes of series, where the machine decides them.
    pub series: Option<FixedSeries>,
    /// Typical time of a boot in which nothing is measured, in seconds.
    pub boot_cost_s: f64,
    /// Typical time of a row in one boot, in seconds.
    pub row_cost_s: f64,
}

impl Policy {
    pub fn for_machine(machine: Machine) -> &'static Policy {
        match machine {
            Machine::Real => &REAL,
            Machine::Sim => &SIMULATED,
        }
    }
}

/// This host.
pub static REAL: Policy = Policy {
    boot_limit: Duration::from_secs(30),
    length: Length::Budget(Duration::from_secs(300)),
    seed: None,
    host_matters: true,
    is_interactive: true,
    clock_is_time: true,
    shows_host_files: true,
    roots_need_disks: true,
    kernels_are_packages: false,
    explained_by: Counting::Off,
    has_perf_events: |_| true,
    program_estimator: None,
    series: None,
    // Containers and small guests.
    boot_cost_s: 2.0,
    row_cost_s: 0.5,
};

/// The machine whose clock counts instructions.
static SIMULATED: Policy = Policy {
    boot_limit: simulated::BOOT,
    length: Length::Blocks(simulated::BLOCKS),
    seed: Some(simulated::SEED),
    host_matters: false,
    is_interactive: false,
    clock_is_time: false,
    shows_host_files: false,
    roots_need_disks: false,
    kernels_are_packages: true,
    explained_by: Counting::Model,
    has_perf_events: has_counters,
    // Nothing disturbs the runs, and the mean is what the parts of `tare explain` add up to.
    program_estimator: Some("mean"),
    series: Some(FixedSeries {
        batch: simulated::BATCH,
        series_ms: simulated::SERIES_MS,
        cache_bytes: simulated::CACHE_BYTES,
    }),
    // Trials take about as long again.
    boot_cost_s: 40.0,
    row_cost_s: 3.0,
};

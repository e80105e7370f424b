//! The messages: the host asks for one benchmark at a time, the probe answers with its series.

use crate::series::fit;
use crate::{Counter, LineError, Program, Series, harmless};
use serde::{Deserialize, Serialize};

/// The protocol's version; a probe that greets with another one is refused.
pub const PROTOCOL: u32 = 2;

/// The file in which the probe of a scripted layer finds all requests before it starts: messages as the host would send them, the
/// last one [`ToProbe::Quit`]. Where it is empty, each copy of the machine is told its own ([`crate::fork`]).
pub const SCRIPT: &str = "/tare-plan";

/// Longest text field that is accepted from a probe, in bytes.
const MAX_TEXT: usize = 4096;

/// Most characters of a text that are kept, once it is made harmless.
const MAX_KEPT: usize = 500;

/// Most vulnerabilities in a greeting.
const MAX_LIST: usize = 1024;

/// Most CPUs in a greeting: twice what Linux can be built for.
const MAX_CPUS: usize = 16_384;

/// What the host says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToProbe {
    /// Measure one benchmark.
    Run(Request),
    /// Take the next turn of a measurement that waits ([`FromProbe::Waiting`]).
    Take {
        /// The request's id.
        id: u32,
        /// Samples of this turn.
        samples: u32,
        /// Whether it is the last one.
        last: bool,
    },
    /// Give up a measurement that waits; the probe answers that it failed.
    Drop {
        /// The request's id.
        id: u32,
    },
    /// Finish: an ordinary probe exits, a PID 1 powers off.
    Quit,
}

/// One benchmark to measure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Echoed in every answer to this request.
    pub id: u32,
    /// The benchmark's name, with its load (see [`crate::at_load`]).
    pub bench: String,
    /// Samples wanted (fewer come back when `limit_ms` is over first).
    pub samples: u32,
    /// Shortest batch to time, in nanoseconds; the probe takes longer ones where its
    /// clock is coarse or slow, up to what `limit_ms` allows ([`Series::short_batch`]).
    pub batch_ns: u64,
    /// Time that the measurement may take in all, in milliseconds.
    pub limit_ms: u64,
    /// Whether perf events are counted too, after the samples.
    #[serde(default)]
    pub events: bool,
    /// The last-level cache that sizes are chosen by, in bytes, the same on every layer; 0 leaves it to the probe.
    #[serde(default)]
    pub cache_bytes: u64,
    /// Whether the samples are taken in turns with other layers. If so, the probe prepares the benchmark once and then waits
    /// for [`ToProbe::Take`] before every turn. A benchmark that cannot wait measures at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub turns: bool,
    /// Only this term of the benchmark, from 0, because somebody counts from outside what it does: its work, or what is subtracted
    /// from it. The series says how many operations a batch holds ([`crate::counter::TERM_OPERATIONS`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<u32>,
    /// The program that is this benchmark, when it is none of the probe's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<Program>>,
}

/// What the probe says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromProbe {
    /// First message of a boot.
    Hello(Box<Hello>),
    /// The request has been read and its measurement starts now. A later turn of it is not announced.
    Begin {
        /// The request's id.
        id: u32,
    },
    /// The measurement is prepared, or its turn is over, and it waits for the next one.
    Waiting {
        /// The request's id.
        id: u32,
        /// How long a sample takes, in nanoseconds by the probe's clock; 0 where that is not known before.
        sample_ns: u64,
    },
    /// What the layer itself has counted while it measured; comes before the series that it belongs to.
    Counted {
        /// The counts, of the whole series.
        counters: Vec<Counter>,
    },
    /// The request's samples.
    Series(Series),
    /// The benchmark cannot run on this layer.
    Unavailable {
        /// The request's id.
        id: u32,
        /// The reason, for the scoreboard.
        why: String,
    },
    /// The benchmark should have run and failed.
    Failed {
        /// The request's id.
        id: u32,
        /// The error.
        why: String,
    },
    /// The probe itself failed and ends.
    Panic {
        /// The panic's message and place.
        message: String,
    },
    /// Last message: the probe ends as it was asked to.
    Bye,
}

/// State of one CPU vulnerability's mitigation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mitigation {
    /// The file's name under `/sys/devices/system/cpu/vulnerabilities`.
    pub name: String,
    /// Its content.
    pub state: String,
}

/// What the probe is and what it finds around itself. An empty text means "unknown on this layer".
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The probe's version.
    pub version: String,
    /// `uname -r`.
    pub kernel: String,
    /// `uname -v`.
    pub kernel_version: String,
    /// `uname -m`.
    pub machine: String,
    /// The CPU's model name.
    pub cpu_model: String,
    /// CPUs online.
    pub cpus: u32,
    /// CPUs that the probe may run on.
    pub affinity: Vec<u32>,
    /// CPUs that its control groups' quotas allow it; 0 where none is known.
    #[serde(default)]
    pub cpu_quota: f64,
    /// Total memory in KiB.
    pub memory_kib: u64,
    /// Memory that is available without swapping, in KiB; 0 when unknown.
    #[serde(default)]
    pub memory_available_kib: u64,
    /// Processes that ran or waited to run, on average over the last minute; negative when unknown.
    #[serde(default = "unknown_load")]
    pub load_average: f64,
    /// The kernel's clock source (`tsc`, `kvm-clock`, ...).
    pub clock_source: String,
    /// Smallest step seen between two readings of the clock, in nanoseconds.
    pub clock_resolution_ns: u64,
    /// Cost of one reading of the clock, in nanoseconds.
    pub clock_read_ns: f64,
    /// Page size in bytes.
    pub page_size: u64,
    /// Transparent huge pages: the active word of `enabled`.
    pub thp: String,
    /// `/proc/sys/kernel/randomize_va_space`.
    pub aslr: String,
    /// Idle driver and governor.
    pub idle: String,
    /// Frequency scaling governor of CPU 0.
    pub governor: String,
    /// What the probe's C library was told to do without or differently (`GLIBC_TUNABLES`).
    #[serde(default)]
    pub tunables: String,
    /// Words of the kernel's command line that are no parameter of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_words: Vec<String>,
    /// CPU vulnerabilities and their mitigations.
    pub mitigations: Vec<Mitigation>,
    /// Folder in which benchmarks make their files.
    pub scratch: String,
    /// File system type of `scratch`.
    pub scratch_fs: String,
    /// Process id of the probe.
    pub pid: u32,
    /// User id of the probe.
    pub uid: u32,
    /// The probe's monotonic clock when its first instructions ran, in nanoseconds; 0 of a probe that does not say.
    #[serde(default)]
    pub main_ns: u64,
    /// The probe's monotonic clock when it greeted, in nanoseconds.
    pub clock_ns: u64,
}

/// The load average of a probe that does not say.
fn unknown_load() -> f64 {
    -1.0
}

impl FromProbe {
    /// Refuses what is well-formed but not plausible (oversized texts and lists), and makes every text harmless, since from
    /// here texts reach terminals, pages and the store.
    pub(crate) fn check(mut self) -> Result<Self, LineError> {
        let fine = match &self {
            FromProbe::Hello(hello) => hello.fits(),
            FromProbe::Counted { counters } => fit(counters),
            FromProbe::Series(series) => series.fits(),
            _ => true,
        };
        let texts = self.texts();
        if !fine || texts.iter().any(|text| text.len() > MAX_TEXT) {
            return Err(LineError::Unknown(
                "a field is too large, oddly named or contradicts another".into(),
            ));
        }
        for text in texts {
            *text = harmless(text, MAX_KEPT);
        }
        Ok(self)
    }

    /// Every free text. The names of counters are checked elsewhere.
    fn texts(&mut self) -> Vec<&mut String> {
        match self {
            FromProbe::Hello(hello) => hello.texts(),
            FromProbe::Unavailable { why, .. } | FromProbe::Failed { why, .. } => vec![why],
            FromProbe::Panic { message } => vec![message],
            FromProbe::Series(series) => vec![&mut series.note],
            FromProbe::Counted { .. }
            | FromProbe::Begin { .. }
            | FromProbe::Waiting { .. }
            | FromProbe::Bye => Vec::new(),
        }
    }

    /// What kind of message it is, in words.
    pub const fn kind(&self) -> &'static str {
        match self {
            FromProbe::Hello(_) => "a greeting",
            FromProbe::Begin { .. } => "the beginning of a measurement",
            FromProbe::Waiting { .. } => "that it waits for its turn",
            FromProbe::Counted { .. } => "counts",
            FromProbe::Series(_) => "a series",
            FromProbe::Unavailable { .. } => "that a benchmark cannot run",
            FromProbe::Failed { .. } => "that a benchmark failed",
            FromProbe::Panic { .. } => "that it failed",
            FromProbe::Bye => "its end",
        }
    }
}

impl Hello {
    fn fits(&self) -> bool {
        self.affinity.len() <= MAX_CPUS
            && self.mitigations.len() <= MAX_LIST
            && self.unknown_words.len() <= MAX_LIST
    }

    fn texts(&mut self) -> Vec<&mut String> {
        let mut texts = vec![
            &mut self.version,
            &mut self.kernel,
            &mut self.kernel_version,
            &mut self.machine,
            &mut self.cpu_model,
            &mut self.clock_source,
            &mut self.thp,
            &mut self.aslr,
            &mut self.idle,
            &mut self.governor,
            &mut self.tunables,
            &mut self.scratch,
            &mut self.scratch_fs,
        ];
        texts.extend(&mut self.unknown_words);
        texts.extend(self.mitigations.iter_mut().flat_map(|m| [&mut m.name, &mut m.state]));
        texts
    }
}

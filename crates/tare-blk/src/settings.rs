//! The knobs of a device: what report 001 turned in Xen's ring, by the names of virtio.

use crate::error::Error;
use crate::polling;
use clap::{Args, Command, FromArgMatches, ValueEnum};
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;

/// Bytes of a sector, in which virtio counts.
pub const SECTOR: u64 = 512;

/// Bytes of a page, of which each is a segment unless `segment_bytes` says otherwise.
pub const PAGE: u32 = 4096;

/// The longest ring: QEMU's limit, too.
pub const LONGEST_RING: u16 = 1024;

/// Most segments of one request.
const MOST_SEGMENTS: u16 = 1022;

/// Most queues of a device.
const MOST_QUEUES: u16 = 16;

/// Descriptors of a request beside its segments: the header and the status.
pub const AROUND: u16 = 2;

/// What a device is and what it offers to its driver.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// What answers: null, file:PATH, or model[:bandwidth=2G,latency=80us,depth=64] (bytes a second, time of one
    /// request, requests at a time)
    #[arg(long, default_value = "null")]
    pub device: Source,
    /// Size of a null or modelled device, in MiB
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub mebibytes: u64,
    /// Segments of one request at most
    #[arg(long, default_value_t = 32)]
    pub segments: u16,
    /// Bytes of one segment at most
    #[arg(long, default_value_t = PAGE)]
    pub segment_bytes: u32,
    /// Descriptors of the ring: a power of two
    #[arg(long, default_value_t = 128)]
    pub ring: u16,
    /// Offer no indirect descriptors, so that every segment takes one of the ring's
    #[arg(long)]
    pub direct_descriptors: bool,
    /// Offer no event index, by which the two ends tell each other when to be woken
    #[arg(long)]
    pub no_event_index: bool,
    /// Queues of a device, each with a thread at both ends
    #[arg(long, default_value_t = 1)]
    pub queues: u16,
    /// What the queues of both ends hold while they touch a ring
    #[arg(long, value_enum, default_value_t = Lock::None)]
    pub lock: Lock,
    /// Microseconds that an idle queue of the back end looks for requests before it sleeps, at most; 0 for not at all
    #[arg(long, default_value_t = polling::DEFAULT_US, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub poll_us: u32,
    /// How a file is read
    #[arg(long, value_enum, default_value_t = Engine::IoUring)]
    pub engine: Engine,
    /// Go through the host's page cache
    #[arg(long)]
    pub cached: bool,
    /// Let the driver write to a file
    #[arg(long)]
    pub writable: bool,
}

/// What is held while a ring is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lock {
    /// Nothing: a queue is its thread's own.
    None,
    /// One lock for the queues of a device.
    Device,
    /// One lock for all devices.
    Global,
}

/// How a file is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Many requests at a time.
    IoUring,
    /// One at a time, by the queue's own thread.
    Pread,
}

/// What answers the requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nothing is read or written; every request succeeds at once.
    Null,
    /// A file or a block device.
    File(PathBuf),
    /// As `Null`, at the time at which such a device would answer.
    Model(Model),
}

/// A device of limited speed: each request takes `latency`, `depth` of them at a time, and their data pass one
/// bus of `bandwidth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Bytes a second.
    pub bandwidth: u64,
    /// Nanoseconds of a request without its data.
    pub latency: u64,
    /// Requests that are served at a time.
    pub depth: u32,
}

impl Default for Model {
    fn default() -> Self {
        Self { bandwidth: 2 << 30, latency: 80_000, depth: 64 }
    }
}

impl Default for Settings {
    /// As without any word on the command line: the defaults are listed there only.
    fn default() -> Self {
        let none: [&str; 0] = [];
        let command = Self::augment_args(Command::new("settings").no_binary_name(true));
        Self::from_arg_matches(&command.get_matches_from(none))
            .expect("every setting has a default")
    }
}

impl Settings {
    /// The same as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![
            format!("--device={}", self.device),
            format!("--mebibytes={}", self.mebibytes),
            format!("--segments={}", self.segments),
            format!("--segment-bytes={}", self.segment_bytes),
            format!("--ring={}", self.ring),
            format!("--queues={}", self.queues),
            format!("--lock={}", name(&self.lock)),
            format!("--poll-us={}", self.poll_us),
            format!("--engine={}", name(&self.engine)),
        ];
        let flags = [
            (self.direct_descriptors, "--direct-descriptors"),
            (self.no_event_index, "--no-event-index"),
            (self.cached, "--cached"),
            (self.writable, "--writable"),
        ];
        words.extend(flags.iter().filter(|(set, _)| *set).map(|(_, word)| (*word).to_owned()));
        words
    }

    /// Looks whether a device can be like this.
    ///
    /// # Errors
    /// [`Error::Setting`] with what would be right.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |why: String| Err(Error::Setting(why));
        if !self.ring.is_power_of_two() || self.ring < 2 || self.ring > LONGEST_RING {
            return refuse(format!(
                "--ring is a power of two from 2 to {LONGEST_RING}, not {}",
                self.ring
            ));
        }
        if self.segments == 0 || self.segments > MOST_SEGMENTS {
            return refuse(format!(
                "--segments is from 1 to {MOST_SEGMENTS}, not {}",
                self.segments
            ));
        }
        if !u64::from(self.segment_bytes).is_multiple_of(SECTOR) || self.segment_bytes == 0 {
            return refuse(format!(
                "--segment-bytes is a multiple of {SECTOR}, not {}",
                self.segment_bytes
            ));
        }
        if self.queues == 0 || self.queues > MOST_QUEUES {
            return refuse(format!("--queues is from 1 to {MOST_QUEUES}, not {}", self.queues));
        }
        let longest = self.segments + AROUND;
        if self.direct_descriptors && longest > self.ring {
            return refuse(format!(
                "a request of {} segments takes {longest} descriptors of a ring of {}: offer indirect descriptors, at \
                 least --ring {}, or fewer --segments",
                self.segments,
                self.ring,
                longest.next_power_of_two()
            ));
        }
        Ok(())
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Model(Model { bandwidth, latency, depth }) => {
                write!(f, "model:bandwidth={bandwidth},latency={latency}ns,depth={depth}")
            }
        }
    }
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match (kind, rest) {
            ("null", "") => Ok(Self::Null),
            ("file", path) if !path.is_empty() => Ok(Self::File(path.into())),
            ("model", words) => Ok(Self::Model(words.parse()?)),
            _ => Err(Error::Setting(format!(
                "no device is called '{text}': null, file:PATH or model"
            ))),
        }
    }
}

impl FromStr for Model {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut model = Self::default();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let wrong = || {
                Error::Setting(format!("'{word}' is none of bandwidth=2G, latency=80us, depth=64"))
            };
            let (name, value) = word.split_once('=').ok_or_else(wrong)?;
            match name {
                "bandwidth" => {
                    model.bandwidth = scaled(value, &[("G", 1 << 30), ("M", 1 << 20), ("", 1)])
                        .ok_or_else(wrong)?;
                }
                "latency" => {
                    model.latency = scaled(value, &[("ns", 1), ("us", 1_000), ("ms", 1_000_000)])
                        .ok_or_else(wrong)?;
                }
                "depth" => model.depth = value.parse().map_err(|_| wrong())?,
                _ => return Err(wrong()),
            }
            // Slower than this, a request of a megabyte would take longer than anybody waits for it.
            if model.bandwidth < 1 << 20 || model.depth == 0 || model.latency > 1_000_000_000 {
                return Err(wrong());
            }
        }
        Ok(model)
    }
}

/// The name of a value on a command line.
fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (digits, by) = units.iter().find_map(|(unit, by)| Some((text.strip_suffix(unit)?, *by)))?;
    digits.parse::<u64>().ok()?.checked_mul(by)
}

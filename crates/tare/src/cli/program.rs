//! The reader's own command: flags of `tare run` and, under the same names, a `[[program]]` of `tare.toml`.

use super::values::time;
use crate::shell;
use clap::{Args, ValueEnum};
use serde::Deserialize;
use std::time::Duration;
use tare_proto::Better;

/// The heading of what makes the command a server.
const SERVICE: &str = "Your own service";

/// What a run costs the host beside its time.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostArg {
    /// Every one of these.
    All,
    /// CPU time.
    Cpu,
    /// The most memory that the layer holds.
    Memory,
    /// Bytes read from and written to this host's disks (with --scratch disk).
    Disk,
    /// How often the host's kernel wakes a thread of the layer (as root).
    Wakeups,
}

/// A program to weigh.
// What looks like a tag of HTML in the help is the name of a regular expression's group.
#[allow(rustdoc::invalid_html_tags)]
#[derive(Args, Clone, Debug, Default, Deserialize)]
#[command(next_help_heading = "Your own command")]
#[serde(default, deny_unknown_fields)]
pub struct ProgramArgs {
    /// The row's name, program/NAME [default: the command's name]
    #[arg(long, requires = "command", value_name = "NAME")]
    pub name: Option<String>,
    /// The files that the command sees instead of this host's: DIR, FILE.tar, debian:bookworm+PACKAGE,...
    ///
    /// Also oci:DIR and docker-archive:FILE. A root is built once and kept in tare's cache ('tare cache list').
    #[arg(long, requires = "sees_root", value_name = "ROOT")]
    pub root: Option<String>,
    /// Shell command that is run in a root of Debian's packages when it is built: what it writes is part of the root; may be
    /// repeated
    #[arg(long, requires = "root", value_name = "SHELL")]
    #[serde(deserialize_with = "one_or_many")]
    pub root_run: Vec<String>,
    /// The memory that the command needs, such as 1G: guests without memory= get that much. Layers with less leave the row blank
    #[arg(long, requires = "command", value_name = "SIZE")]
    pub memory: Option<String>,
    /// How much the command may write, such as 4G: an overlay in this host's memory holds it until the boot ends. In a guest it is half
    /// of the guest's memory. With --scratch disk it is the size of a guest's disk alone [default: a tenth of this host's memory; 8G
    /// on a guest's disk]
    #[arg(long, requires = "command", value_name = "SIZE")]
    pub overlay_limit: Option<String>,
    /// What the command's load counts, such as threads: --load gives the numbers, and $LOAD holds the one of a run
    #[arg(long, requires = "command", value_name = "NAME")]
    pub load_counts: Option<String>,
    /// The loads when --load says nothing.
    #[arg(skip)]
    #[serde(skip)]
    pub loads: Vec<u32>,
    /// Take a run's value from its output instead of its time: a regular expression with one group
    ///
    /// The group encloses the number, and its name becomes the row's: 'requests: (?<rate>[0-9.]+)'. Several metrics give
    /// several rows.
    #[arg(long, requires = "command", value_name = "REGEX")]
    #[serde(deserialize_with = "one_or_many")]
    pub metric: Vec<String>,
    /// The unit of the metrics, in their order, or one for all: s, ms, us, ns, B, MB, MiB, 1/s, 1/min, B/s, MB/s, MiB/s or
    /// number [default: number]
    #[arg(long, requires = "metric", value_name = "UNIT")]
    #[serde(deserialize_with = "one_or_many")]
    pub unit: Vec<String>,
    /// Which direction of the metrics is better, in their order, or one for all: lower or higher [default: lower for times and
    /// sizes, higher for rates]
    #[arg(long, requires = "metric", value_name = "END", value_parser = better)]
    #[serde(deserialize_with = "one_or_many")]
    pub better: Vec<Better>,
    /// Read what a run prints as 'tare import' does: sysbench, dbench, fio, ... Each figure is a row
    #[arg(long, requires = "command", conflicts_with = "metric", value_name = "FORMAT")]
    pub parse: Option<String>,
    /// A regular expression that the output of a correct run matches; any other run fails
    #[arg(long, requires = "command", value_name = "REGEX")]
    pub ok: Option<String>,
    /// Shell command that is run once in each boot, before everything else; it is not measured
    #[arg(long, requires = "command", value_name = "SHELL")]
    pub setup: Option<String>,
    /// Shell command that is run before every run; it is not measured
    #[arg(long, requires = "command", value_name = "SHELL")]
    pub prepare: Option<String>,
    /// Shell command that is run once in each boot, after the last run; it is not measured
    #[arg(long, requires = "command", value_name = "SHELL")]
    pub teardown: Option<String>,
    /// Shell command of a server that runs beside the command; it is ended with the boot
    #[arg(long, requires = "command", value_name = "SHELL")]
    pub background: Option<String>,
    /// Shell command that succeeds when the server is ready; it is repeated until it does
    #[arg(long, requires = "background", value_name = "SHELL")]
    pub ready: Option<String>,
    /// Measured runs in each boot [default: as the budget decides; 3 where blocks are counted]
    #[arg(long, requires = "command", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: Option<u32>,
    /// Runs in each boot that are discarded first [default: 1]
    #[arg(long, requires = "command", value_name = "N", value_parser = clap::value_parser!(u32).range(..=1000))]
    pub warmup: Option<u32>,
    /// Time limit for one run, and for each command around it [default: 60s, or 50 times what the baseline takes]
    #[arg(long, requires = "command", value_parser = time, value_name = "TIME")]
    #[serde(deserialize_with = "duration")]
    pub timeout: Option<Duration>,
    /// A variable of the command's environment; KEY alone takes this environment's value; may be repeated. PATH, HOME, USER,
    /// LANG and LC_ALL are always set; with --root only PATH, HOME and LANG
    #[arg(long, requires = "command", value_name = "KEY=VALUE")]
    #[serde(deserialize_with = "one_or_many")]
    pub env: Vec<String>,
    /// The command's working directory [default: this one; with --root, /]
    #[arg(long, requires = "command", value_name = "DIR")]
    pub cwd: Option<String>,
    /// The file that the command reads as standard input [default: none]
    #[arg(long, requires = "command", value_name = "FILE")]
    pub stdin: Option<String>,
    /// Rows beside its time, of all of the layer's processes together: NAME.cpu, the CPU time that one run takes of this host;
    /// NAME.memory, the most memory that the layer holds during the run; NAME.disk, the bytes that it reads from this host's disks and
    /// writes there; NAME.wakeups, how often this host's kernel wakes one of its threads
    #[arg(long, requires = "command", value_name = "WHICH,...", num_args = 0..=1, require_equals = true, value_delimiter = ',',
          default_missing_value = "all")]
    #[serde(deserialize_with = "all_or_some")]
    pub costs: Vec<CostArg>,
    /// The command is a server: ask it at this URL, at rates that do not wait for its answers. http://:8080/PATH,
    /// https://:8443/PATH, h2c://:8080/PATH and h2://:8443/PATH (HTTP/2 without and with TLS), redis://:6379/COMMAND,
    /// memcached://:11211/COMMAND or postgres://USER@:5432/DATABASE?QUERY
    ///
    /// Rows are the latencies from when a request was due to its answer (NAME.p50@RATE, .p95, .p99, .p99_9 where there are enough
    /// requests). --client says where the client is.
    #[arg(long, requires = "command", conflicts_with_all = ["metric", "parse", "load_counts", "background"], value_name = "URL",
          help_heading = SERVICE)]
    pub service: Option<String>,
    /// Rates to ask it at, in requests a second; each has its rows [default: 1000, or none with --slo]
    #[arg(long, requires = "service", value_delimiter = ',', value_name = "N,...", help_heading = SERVICE,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Vec<u32>,
    /// Also look for the highest rate at which this holds, as 'p99 < 5ms': row NAME.knee
    #[arg(long, requires = "service", value_name = "BOUND", help_heading = SERVICE)]
    pub slo: Option<String>,
    /// How long a run asks at a rate [default: 2s]
    #[arg(long, requires = "service", value_parser = time, value_name = "TIME", help_heading = SERVICE)]
    #[serde(deserialize_with = "duration")]
    pub asks_for: Option<Duration>,
    /// Connections that the requests share [default: 16]
    #[arg(long, requires = "service", value_name = "N", help_heading = SERVICE, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub connections: Option<u32>,
    /// Where the client runs: inside the layer, over its loopback interface, or outside of it on the host, over the layer's network
    /// (as root; the server listens at 0.0.0.0) [default: inside]
    #[arg(long, requires = "service", value_name = "WHERE", help_heading = SERVICE, value_parser = ["inside", "outside"])]
    pub client: Option<String>,
    /// How requests arrive: poisson (as of many independent users) or even [default: poisson]
    #[arg(long, requires = "service", value_name = "HOW", help_heading = SERVICE, value_parser = ["poisson", "even"])]
    pub arrivals: Option<String>,
    /// Your own command to measure, with its arguments: every run from its start to its end
    ///
    /// It sees this host's files or those of --root, and what it writes vanishes with the boot. Without --root, a native command
    /// of an ordinary user writes to this host's files themselves.
    #[arg(last = true, group = "sees_root", value_name = "COMMAND")]
    #[serde(deserialize_with = "words")]
    pub command: Vec<String>,
}

fn better(text: &str) -> Result<Better, String> {
    match text {
        "lower" => Ok(Better::Lower),
        "higher" => Ok(Better::Higher),
        _ => Err("lower or higher".into()),
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn all(self) -> Vec<T> {
        match self {
            OneOrMany::One(one) => vec![one],
            OneOrMany::Many(many) => many,
        }
    }
}

/// `true` means all.
fn all_or_some<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<CostArg>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Which {
        Any(bool),
        These(OneOrMany<CostArg>),
    }
    Ok(match Which::deserialize(from)? {
        Which::Any(any) => any.then_some(CostArg::All).into_iter().collect(),
        Which::These(these) => these.all(),
    })
}

fn one_or_many<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    OneOrMany::deserialize(from).map(OneOrMany::all)
}

/// A list is the command's words; a text is for the shell.
fn words<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMany::<String>::deserialize(from)? {
        OneOrMany::One(text) => shell::command(&text),
        OneOrMany::Many(words) => words,
    })
}

fn duration<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    time(&text).map(Some).map_err(serde::de::Error::custom)
}

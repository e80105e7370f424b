//! What a benchmark is: a row with a name and a `prepare` that returns the operation to time.

use crate::watch::Watch;
use std::time::Duration;
use std::{fmt, io};
use tare_proto::{BenchInfo, Better, Counter, SuiteInfo, Unit};

/// The load of a benchmark that is a loop: processes that run it at once.
pub const COPIES: &str = "copies";

/// One benchmark: a constant in its own file, listed in [`crate::benches::ALL`].
pub struct Bench {
    /// `family/name`.
    pub name: &'static str,
    /// One line: what is measured, and after what.
    pub about: &'static str,
    /// What a value means.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// A name in [`crate::benches::SUITES`].
    pub suite: &'static str,
    /// How a series is reduced, in `tare-stats`' notation.
    pub estimator: &'static str,
    /// Samples a series should hold.
    pub samples: u32,
    /// The setting that a layer needs for it: `disk`, `files`, `net`, or empty.
    pub needs: &'static str,
    /// What a load of it counts (`copies`, `users`, `threads`); empty when there is but one load.
    pub load: &'static str,
    /// The loads that are measured unless others are asked for; 0 stands for the layer's CPUs.
    pub loads: &'static [u32],
    /// Time that a series takes, in milliseconds; 0 leaves it to the campaign.
    pub series_ms: u64,
    /// Whether it can wait between two samples while other layers take theirs, for as long as it takes: nothing of it is
    /// in flight then, and what it holds leaves room for the same on every layer.
    pub waits: bool,
    /// How it is measured.
    pub kind: Kind,
}

/// How a benchmark is measured.
pub enum Kind {
    /// Untimed `prepare` returns the operation; the harness owns the clock and the loop count. A load
    /// of it is that many processes at once (see [`crate::copies`]).
    Loop(fn() -> Result<Op, Refusal>),
    /// What cannot be a loop (a load curve, a copy) takes its own samples, in the benchmark's unit.
    Own(fn(&Own) -> Taken),
}

/// What a benchmark that takes its own samples is asked for.
pub struct Own<'a> {
    /// Copies, users, threads: whatever the benchmark's `load` counts.
    pub load: u32,
    /// Samples wanted.
    pub samples: u32,
    /// Time for all of it.
    pub limit: Duration,
    /// What is told of every sample.
    pub watch: &'a Watch,
}

/// What became of such a benchmark.
pub type Taken = Result<Measured, Refusal>;

/// What such a benchmark measured.
#[derive(Default)]
pub struct Measured {
    /// The samples, in the benchmark's unit, in the order taken; at least one.
    pub samples: Vec<f64>,
    /// Operations in each.
    pub ops: u64,
    /// Samples thrown away first.
    pub warmup: u32,
    /// What else is to be known (percentiles, counts).
    pub counters: Vec<Counter>,
}

/// A named list of benchmarks.
pub struct Suite {
    /// The name that `--suite` takes.
    pub name: &'static str,
    /// One line: what it weighs.
    pub about: &'static str,
}

/// Runs `n` operations back to back: the whole of what is timed.
pub type Batch = Box<dyn FnMut(u64)>;

/// A prepared operation. Dropping it undoes what `prepare` made.
pub struct Op {
    /// The operation itself, then what its value is corrected by; a sample is their signed sum.
    pub terms: Vec<Term>,
    /// Values are divided by this (a ring's round holds one switch a process).
    pub per: f64,
    /// What stands beside its series.
    pub counters: Vec<Counter>,
}

/// Something to time, and how it counts.
pub struct Term {
    /// `1.0` or `-1.0`.
    pub sign: f64,
    /// What is timed.
    pub batch: Batch,
}

impl Op {
    /// An operation done by calling `operation` in a tight loop, compiled into one batch. When a
    /// system call in it fails it panics (see [`crate::sys::must`]): no number comes out.
    pub fn new(operation: impl FnMut() + 'static) -> Op {
        Op { terms: Vec::new(), per: 1.0, counters: Vec::new() }.plus(operation)
    }

    /// An operation that is done `n` at a time by `batch(n)`.
    pub fn batched(batch: impl FnMut(u64) + 'static) -> Op {
        let terms = vec![Term { sign: 1.0, batch: Box::new(batch) }];
        Op { terms, per: 1.0, counters: Vec::new() }
    }

    /// Subtracts what `work` costs, measured next to each sample.
    pub fn minus(self, work: impl FnMut() + 'static) -> Op {
        self.with(-1.0, work)
    }

    /// Adds what `work` costs, measured next to each sample.
    pub fn plus(self, work: impl FnMut() + 'static) -> Op {
        self.with(1.0, work)
    }

    /// Divides each value by `per`, its corrections included.
    pub fn divided_by(self, per: f64) -> Op {
        Op { per, ..self }
    }

    /// Puts a figure beside the series.
    pub fn counting(mut self, name: &str, value: f64) -> Op {
        self.counters.push(Counter::new(name, value));
        self
    }

    fn with(mut self, sign: f64, work: impl FnMut() + 'static) -> Op {
        self.terms.push(Term { sign, batch: repeat(work) });
        self
    }
}

/// `operation` in a loop. Generic, so that the loop and the operation compile to one function and
/// the only indirect call is the batch's.
pub fn repeat(mut operation: impl FnMut() + 'static) -> Batch {
    Box::new(move |n| {
        for _ in 0..n {
            operation();
        }
    })
}

/// Why a benchmark gave no series.
#[derive(Debug)]
pub enum Refusal {
    /// It cannot run on this layer: a missing syscall, trap or resource.
    Unavailable(String),
    /// It should have run and failed.
    Failed(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unavailable(why) => write!(f, "unavailable: {why}"),
            Refusal::Failed(why) => write!(f, "failed: {why}"),
        }
    }
}

/// What fails while a benchmark is prepared fails the benchmark.
impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Failed(error.to_string())
    }
}

impl Bench {
    /// A row of the `vmi` suite: a time, measured in a loop, reduced as report 1 reduced its family.
    pub const fn vmi(
        name: &'static str,
        about: &'static str,
        (estimator, samples): (&'static str, u32),
        prepare: fn() -> Result<Op, Refusal>,
    ) -> Bench {
        Bench {
            name,
            about,
            unit: Unit::Nanoseconds,
            better: Better::Lower,
            suite: "vmi",
            estimator,
            samples,
            needs: "",
            load: COPIES,
            loads: &[1],
            series_ms: 0,
            waits: true,
            kind: Kind::Loop(prepare),
        }
    }

    /// A row of `suite` that is measured as the cheapest of the suite `vmi`, and has no load.
    pub const fn primitive(
        suite: &'static str,
        name: &'static str,
        about: &'static str,
        prepare: fn() -> Result<Op, Refusal>,
    ) -> Bench {
        let bench = Bench::vmi(name, about, ("best-6-of-10", 10), prepare);
        Bench { suite, load: "", ..bench }
    }

    /// A row that takes its own samples: events per second, ten samples in a second, reduced to their mean, at one load.
    pub const fn own(
        name: &'static str,
        about: &'static str,
        suite: &'static str,
        run: fn(&Own) -> Taken,
    ) -> Bench {
        Bench {
            name,
            about,
            unit: Unit::PerSecond,
            better: Better::Higher,
            suite,
            estimator: "mean",
            samples: 10,
            needs: "",
            load: "",
            loads: &[1],
            series_ms: 1000,
            waits: true,
            kind: Kind::Own(run),
        }
    }

    /// The row as the host reads it.
    pub fn info(&self) -> BenchInfo {
        BenchInfo {
            name: self.name.into(),
            about: self.about.into(),
            unit: self.unit,
            better: self.better,
            suite: self.suite.into(),
            estimator: self.estimator.into(),
            samples: self.samples,
            needs: self.needs.into(),
            load: self.load.into(),
            loads: self.loads.to_vec(),
            series_ms: self.series_ms,
            at_once: !self.waits,
            ..BenchInfo::default()
        }
    }
}

impl Suite {
    /// The suite as the host reads it.
    pub fn info(&self) -> SuiteInfo {
        SuiteInfo { name: self.name.into(), about: self.about.into() }
    }
}

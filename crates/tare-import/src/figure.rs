//! One figure of a tool's output, in the store's units, and what collects them.

use crate::Fault;
use crate::names::Names;
use std::sync::Arc;
use tare_proto::{Better, Unit};

/// One number that a tool printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The suite that its geometric mean is over.
    pub suite: Arc<str>,
    /// `suite/what`, as the scoreboard calls it.
    pub name: Arc<str>,
    /// What the value means.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// The value in `unit`.
    pub value: f64,
}

/// A unit as tools print it: the store's unit, its better end, and how many of it one is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    unit: Unit,
    better: Better,
    factor: f64,
}

impl Quantity {
    /// Seconds.
    pub const SECONDS: Quantity = Quantity::new(Unit::Nanoseconds, Better::Lower, 1e9);
    /// Milliseconds.
    pub const MILLIS: Quantity = Quantity::new(Unit::Nanoseconds, Better::Lower, 1e6);
    /// Microseconds.
    pub const MICROS: Quantity = Quantity::new(Unit::Nanoseconds, Better::Lower, 1e3);
    /// Nanoseconds.
    pub const NANOS: Quantity = Quantity::new(Unit::Nanoseconds, Better::Lower, 1.0);
    /// Operations per second.
    pub const PER_SECOND: Quantity = Quantity::new(Unit::PerSecond, Better::Higher, 1.0);
    /// Operations per minute.
    pub const PER_MINUTE: Quantity = Quantity::new(Unit::PerSecond, Better::Higher, 1.0 / 60.0);
    /// Millions of operations per second: MWIPS, MFLOPS.
    pub const MILLIONS: Quantity = Quantity::new(Unit::PerSecond, Better::Higher, 1e6);
    /// Bytes per second.
    pub const BYTES_S: Quantity = Quantity::new(Unit::BytesPerSecond, Better::Higher, 1.0);
    /// KiB per second.
    pub const KIB_S: Quantity = Quantity::new(Unit::BytesPerSecond, Better::Higher, 1024.0);
    /// Megabytes (10⁶) per second.
    pub const MB_S: Quantity = Quantity::new(Unit::BytesPerSecond, Better::Higher, 1e6);
    /// MiB per second.
    pub const MIB_S: Quantity = Quantity::new(Unit::BytesPerSecond, Better::Higher, 1_048_576.0);
    /// Gigabytes (10⁹) per second.
    pub const GB_S: Quantity = Quantity::new(Unit::BytesPerSecond, Better::Higher, 1e9);
    /// Bits per second.
    pub const BITS_S: Quantity = Quantity::new(Unit::BytesPerSecond, Better::Higher, 0.125);
    /// KiB of memory.
    pub const KIB: Quantity = Quantity::new(Unit::Bytes, Better::Lower, 1024.0);
    /// An index: more is better.
    pub const INDEX: Quantity = Quantity::new(Unit::Number, Better::Higher, 1.0);
    /// Events: fewer are better.
    pub const COUNT: Quantity = Quantity::new(Unit::Number, Better::Lower, 1.0);

    const fn new(unit: Unit, better: Better, factor: f64) -> Quantity {
        Quantity { unit, better, factor }
    }

    /// The same with the other end as the good one, where a tool says so.
    pub const fn with(self, better: Better) -> Quantity {
        Quantity { better, ..self }
    }

    /// A unit `factor` times as large.
    pub const fn times(self, factor: f64) -> Quantity {
        Quantity { factor: self.factor * factor, ..self }
    }

    /// `value`, printed in this unit, in the store's.
    pub const fn value(self, value: f64) -> f64 {
        value * self.factor
    }
}

/// What a format's parser fills.
#[derive(Debug, Default)]
pub struct Sink {
    /// The file's name without folder and ending, for tools that do not print which test it was.
    pub stem: String,
    /// The layer's name, for files that hold several systems.
    pub layer: String,
    /// Every figure, in the file's order.
    pub figures: Vec<Figure>,
    /// Lines that say nothing to the parser.
    pub unknown: usize,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// What figures were called so far.
    pub(crate) names: Names,
}

impl Sink {
    /// A figure `suite/name`; values that are no numbers are left out and noted.
    pub fn add(&mut self, suite: &str, name: &str, quantity: Quantity, value: f64) {
        let (suite, name) = self.names.shared(suite, name);
        let value = quantity.value(value);
        if !value.is_finite() || value < 0.0 {
            self.note(format!("{name} is not a number and is left out"));
            return;
        }
        let Quantity { unit, better, .. } = quantity;
        self.figures.push(Figure { suite, name, unit, better, value });
    }

    /// [`Sink::add`] unless the value is zero: what a tool rounds to nothing has no ratio.
    pub fn add_unless_zero(&mut self, suite: &str, name: &str, quantity: Quantity, value: f64) {
        if value != 0.0 {
            self.add(suite, name, quantity, value);
        }
    }

    /// Something to know, once.
    pub fn note(&mut self, text: String) {
        if !self.notes.contains(&text) && self.notes.len() < 50 {
            self.notes.push(text);
        }
    }

    /// A fault at the file's beginning when nothing was found.
    pub(crate) fn or_nothing(&self, text: &str, what: &str) -> Result<(), Fault> {
        if !self.figures.is_empty() {
            return Ok(());
        }
        let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
        Err(Fault::at(blank + 1, 1, format!("no figures of {what} in the rest of the file")))
    }
}

//! What the processor counted while a layer's threads had its CPUs, by whose they were. It says whether an operation is longer on the layer, or
//! executed more slowly.

use super::seen::One;
use super::whose;
use crate::explain::{Table, TableLine};
use serde::Serialize;
use tare_proto::outside::{CACHE_MISSES, CYCLES, INSTRUCTIONS, Part, Seen};

/// What the processor counted of a part's threads for an operation, on the baseline and on the layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Processed {
    /// Whose threads.
    pub whose: &'static str,
    /// Instructions that it has completed.
    pub instructions: (f64, f64),
    /// Cycles that it took for them.
    pub cycles: (f64, f64),
    /// Reads and writes for which its last cache had to ask the memory.
    pub cache_misses: (f64, f64),
}

impl Processed {
    /// Cycles per instruction.
    fn cpi(&self) -> (f64, f64) {
        let of = |cycles: f64, instructions: f64| {
            if instructions > 0.0 { cycles / instructions } else { 0.0 }
        };
        (of(self.cycles.0, self.instructions.0), of(self.cycles.1, self.instructions.1))
    }

    fn add(&mut self, other: &Processed) {
        let add = |sum: &mut (f64, f64), more: (f64, f64)| *sum = (sum.0 + more.0, sum.1 + more.1);
        add(&mut self.instructions, other.instructions);
        add(&mut self.cycles, other.cycles);
        add(&mut self.cache_misses, other.cache_misses);
    }
}

/// Of each part that has any; nothing where the host's processor has no counters, as in most virtual machines.
pub(super) fn processed(baseline: &One, layer: &One) -> Vec<Processed> {
    let of = |part: Part| {
        let both = |name: &str| {
            let count = |one: &One| one.count(Seen::Processor, part, name).max(0.0);
            (count(baseline), count(layer))
        };
        Processed {
            whose: whose(part),
            instructions: both(INSTRUCTIONS),
            cycles: both(CYCLES),
            cache_misses: both(CACHE_MISSES),
        }
    };
    let is_something = |one: &Processed| one.cycles.0.max(one.cycles.1) > 0.0;
    Part::ALL.into_iter().map(of).filter(is_something).collect()
}

/// All parts together; `None` where the processor has not counted both sides.
pub(super) fn together(parts: &[Processed]) -> Option<Processed> {
    let mut all = Processed { whose: "all together", ..parts.first()?.clone() };
    parts[1..].iter().for_each(|part| all.add(part));
    let least = |(native, own): (f64, f64)| native.min(own);
    (least(all.instructions).min(least(all.cycles)) > 0.0).then_some(all)
}

pub(super) fn table(parts: &[Processed], per: &str) -> Table {
    let sum = together(parts).filter(|_| parts.len() > 1);
    let mut lines = Vec::new();
    for one in parts.iter().chain(&sum) {
        let line = |what: &str, both| TableLine::new(&format!("{}: {what}", one.whose), both);
        lines.push(line("instructions", one.instructions));
        lines.push(line("cycles", one.cycles));
        lines.push(line("cycles per instruction", one.cpi()));
        lines.push(line("cache misses", one.cache_misses));
    }
    Table::new(&format!("Counted by the processor, per {per}"), lines)
}

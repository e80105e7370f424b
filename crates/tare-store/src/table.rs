//! A campaign as one long table: a row a sample, with the names that it goes by.

use crate::{Campaign, Outcome, Role};
use tare_proto::Unit;

/// One sample and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample<'a> {
    /// Its block, from 0.
    pub block: u32,
    /// The boot's place in the block, from 0.
    pub slot: u32,
    /// Why the boot was made.
    pub role: Role,
    /// The layer's name.
    pub layer: &'a str,
    /// The benchmark's name.
    pub benchmark: &'a str,
    /// The unit of `value`.
    pub unit: Unit,
    /// Its place in the series, from 0.
    pub n: u32,
    /// The value.
    pub value: f64,
}

impl Role {
    /// The name that the store has for it.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Weigh => "weigh",
            Role::Floor => "floor",
            Role::OneCpu => "one_cpu",
        }
    }
}

impl Campaign {
    /// Every sample of every measured series, in the order recorded.
    pub fn samples(&self) -> impl Iterator<Item = Sample<'_>> {
        let measured = self.series.iter().filter(|series| series.outcome == Outcome::Measured);
        measured.flat_map(|series| {
            let (boot, bench) = (&self.boots[series.boot], &self.benchmarks[series.benchmark]);
            let layer = self.layers[boot.layer].name.raw();
            (0..).zip(&series.samples).map(move |(n, value)| Sample {
                block: boot.block,
                slot: boot.slot,
                role: boot.role,
                layer,
                benchmark: &bench.name,
                unit: bench.unit,
                n,
                value: *value,
            })
        })
    }
}

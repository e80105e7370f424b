//! A program as it ran natively: how long it took, and how often it did what.

use crate::board::Scoreboard;
use crate::extras::counted;
use crate::suite::service::COST;
use serde::{Serialize, Serializer};
use tare_proto::counter::{CALLS, COUNTING_SLOWDOWN, RUN_SYSTEM, RUN_USER, UNKNOWN_CALLS};
use tare_proto::{
    Better, COUNTED_SHARE, Counter, OPERATION_COUNTER, OPERATION_ROW, Operation, Unit, Untrusted,
    operation,
};
use tare_store::Campaign;

/// A program's run on the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// Its row's name.
    pub name: Untrusted,
    /// What its time is counted in: nanoseconds, or the simulated machine's instructions in their place.
    pub unit: Unit,
    /// Nanoseconds of a run, by the clock.
    pub native_ns: f64,
    /// Nanoseconds of CPU time in its own code.
    pub user_ns: f64,
    /// Nanoseconds of CPU time in the kernel.
    pub system_ns: f64,
    /// How many operations of each class it makes.
    #[serde(serialize_with = "by_name")]
    pub operations: Vec<(&'static Operation, f64)>,
    /// Calls that belong to no class.
    pub unknown: f64,
    /// How many times as long the run took in which they were counted.
    pub slowdown: Option<f64>,
    /// The share of its calls that were looked at then; the others were counted by the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<f64>,
    /// What is not known of it, where it was not run for this.
    pub lacks: Option<&'static str>,
    /// Figures that it prints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Printed>,
    /// The calls that it makes, by name.
    #[serde(skip)]
    pub calls: Vec<Untrusted>,
}

/// A figure that a program prints. It is taken to follow the program's time: one of which less is better in proportion, one of
/// which more is better inversely.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Printed {
    /// Its row's name.
    pub name: Untrusted,
    /// Which end is good.
    pub better: Better,
}

fn by_name<S: Serializer>(
    operations: &[(&'static Operation, f64)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(operations.iter().map(|(operation, times)| (operation.name, times)))
}

/// The simulated machine's count of a program's own instructions, which no tick has sampled.
const OWN: &str = "user/instructions";

impl Profile {
    /// What `counters` say of a program whose runs take `native_ns`; none where its operations were not counted.
    #[must_use]
    pub fn of(name: &str, native_ns: f64, counters: &[Counter]) -> Option<Profile> {
        let value = |name: &str| {
            let found = counters.iter().find(|counter| counter.name == name);
            found.map(|counter| counter.value)
        };
        let operations: Vec<_> = counters
            .iter()
            .filter(|counter| counter.name.starts_with(OPERATION_COUNTER) && counter.value != 0.0)
            .filter_map(|counter| Some((operation(&counter.name)?, counter.value)))
            .collect();
        let calls = counters.iter().filter_map(|counter| counter.name.strip_prefix(CALLS));
        (!operations.is_empty() && native_ns > 0.0).then(|| Profile {
            name: name.to_owned().into(),
            unit: Unit::Nanoseconds,
            native_ns,
            user_ns: value(OWN).unwrap_or(1e9 * value(RUN_USER).unwrap_or(0.0)),
            system_ns: 1e9 * value(RUN_SYSTEM).unwrap_or(0.0),
            operations,
            unknown: value(UNKNOWN_CALLS).unwrap_or(0.0),
            slowdown: value(COUNTING_SLOWDOWN),
            looked_at: value(COUNTED_SHARE),
            lacks: None,
            figures: Vec::new(),
            calls: calls.map(Untrusted::from).collect(),
        })
    }

    /// A program that was traced elsewhere, and takes `native_ns` when it is not: its own code takes `user_ns`, or else what its
    /// operations leave of that by their prices in `board`.
    #[must_use]
    pub fn traced(self, board: &Scoreboard, user_ns: Option<f64>, lacks: &'static str) -> Profile {
        let price = |operation: &Operation| {
            let name = format!("{OPERATION_ROW}{}", operation.name);
            let row = board.rows.iter().find(|row| row.benchmark == name);
            row.and_then(|row| row.baseline.as_ref()).map_or(0.0, |mean| mean.mean)
        };
        let known: f64 = self.operations.iter().map(|(of, times)| price(of) * times).sum();
        let user_ns = user_ns.unwrap_or(self.native_ns - known).clamp(0.0, self.native_ns);
        Profile { user_ns, system_ns: self.native_ns - user_ns, lacks: Some(lacks), ..self }
    }

    /// The programs of `campaign` whose operations were counted on its baseline, and whose value is the time of a run; each
    /// with the index of its row.
    pub(super) fn all(
        campaign: &Campaign,
        native_ns: impl Fn(usize) -> Option<f64>,
    ) -> Vec<(usize, Profile)> {
        let Some(baseline) = campaign.baseline() else { return Vec::new() };
        let counted = counted(campaign);
        let rows = campaign.benchmarks.iter().enumerate();
        let is_time = |unit| matches!(unit, Unit::Nanoseconds | Unit::Instructions);
        let timed = rows.filter(|(_, bench)| is_time(bench.unit) && bench.suite != COST);
        timed
            .filter_map(|(at, bench)| {
                let own = counted.iter().filter(|(key, _)| key.0 == at && key.1 == baseline);
                let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
                let counters: Vec<Counter> =
                    own.map(|(key, values)| Counter::new(key.2, mean(values))).collect();
                let profile = Profile::of(&bench.name, native_ns(at)?, &counters)?;
                Some((at, Profile { unit: bench.unit, ..profile }))
            })
            .collect()
    }
}

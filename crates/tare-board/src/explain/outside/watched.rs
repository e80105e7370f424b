//! What was watched for a row: its operations, or the runs of the program that prints its figure.

use crate::value::holes::SANDBOX;
use tare_store::{Campaign, ProgramRow};

/// The row of an idle layer's CPU time, and what its figures are of.
const IDLE_CPU: &str = "sandbox/idle_cpu";
pub(super) const SECOND: &str = "second";

/// What figures of a service are of.
pub(super) const REQUEST: &str = "request";

/// Where a row's figures are, and what they are of.
pub(super) struct Watched {
    /// The number of the benchmark that has them.
    pub bench: usize,
    /// What one of them is of.
    pub per: &'static str,
    /// Whether the row is a figure that a run prints, so that it is not what the run takes.
    pub is_printed: bool,
}

impl Watched {
    /// Of benchmark number `bench`.
    pub(super) fn of(campaign: &Campaign, bench: usize) -> Watched {
        let own = &campaign.benchmarks[bench];
        let is_own = |row: &&ProgramRow| row.benchmark == own.name;
        let mut all = campaign.plan.programs.iter();
        let found = all.find_map(|planned| Some((planned, planned.rows.iter().find(is_own)?)));
        let Some((planned, row)) = found else {
            let per = match () {
                () if own.name == IDLE_CPU => SECOND,
                () if own.suite == SANDBOX => "start",
                () => "operation",
            };
            return Watched { bench, per, is_printed: false };
        };
        let is_printed = row.value.is_printed();
        let place = |row: &ProgramRow| {
            campaign.benchmarks.iter().position(|bench| bench.name == row.benchmark)
        };
        let watched = planned.watched().filter(|_| is_printed).and_then(place);
        let per = if planned.is_client() { REQUEST } else { "run" };
        Watched { bench: watched.unwrap_or(bench), per, is_printed }
    }
}

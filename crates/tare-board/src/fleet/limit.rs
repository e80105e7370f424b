//! `--fail-if` on the result of many hosts: conditions on what layers cost in the mean over hosts.

use super::board::{Fleet, FleetCell, FleetRow};
use super::pooled::interval;
use crate::board::Verdict;
use crate::compare::{Candidate, Condition, Gate, Rules, Subject, gate};
use crate::options::Options;
use tare_proto::Better;

/// Tests `conditions` on every ratio of `fleet` as a scoreboard's are tested, with the evidence of its own verdicts: a host is
/// to a mean over hosts what a block is to a campaign's ratio.
#[must_use]
pub fn fleet_limits(
    fleet: &Fleet,
    options: &Options,
    conditions: &[Condition],
    fail_undecided: bool,
) -> Gate {
    let (mut rows, mut untested) = (Vec::new(), Vec::new());
    for row in &fleet.rows {
        for (layer, cell) in fleet.layers.iter().zip(&row.cells) {
            let subject = Subject::new(layer.name.raw(), row.benchmark.raw(), row.unit);
            match candidate(subject, row, cell, options) {
                Some(found) => rows.push(found),
                None if !cell.hosts.is_empty() => untested.push(subject),
                None => {}
            }
        }
    }
    let alpha = 1.0 - options.confidence;
    gate(
        conditions,
        &rows,
        &untested,
        Rules { correction: options.correction, alpha, fail_undecided },
    )
}

fn candidate<'a>(
    subject: Subject<'a>,
    row: &FleetRow,
    cell: &FleetCell,
    options: &Options,
) -> Option<Candidate<'a>> {
    let interval = interval(cell.pooled.as_ref()?, options)?;
    let log = interval.log_ratio;
    (cell.verdict != Verdict::None).then_some(Candidate {
        subject,
        log_cost: if row.better == Better::Higher { -log } else { log },
        std_error: interval.std_error,
        df: interval.df,
        verdict: cell.verdict,
        p_difference: cell.p_difference?,
        floor: row.floor.map_or(0.0, f64::ln),
        subtracted: cell.subtracted > 0,
    })
}

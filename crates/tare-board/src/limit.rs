//! `--fail-if` within one campaign: conditions on what its layers cost against its baseline.

use crate::assemble::{judge, others, weigh_all};
use crate::board::{Measure, Verdict};
use crate::cell::verdict;
use crate::compare::{Candidate, Condition, Gate, gate};
use crate::floor::floors;
use crate::options::Options;
use crate::values::Values;
use tare_proto::Better;
use tare_store::Campaign;

/// The narrowest margin of equivalence that a condition gives.
const LEAST_MARGIN: f64 = 1e-6;

/// Tests `conditions` on every row of `campaign`, with the scoreboard's own evidence. Where a condition asks for less than
/// the margin of equivalence, the margin is what it asks for: a cost of 1% must not pass `> 0.5%` as equivalent.
#[must_use]
pub fn limits(campaign: &Campaign, options: &Options, conditions: &[Condition]) -> Gate {
    let parts = conditions.iter().map(|condition| {
        let margin = options.margin.min(condition.fraction()).max(LEAST_MARGIN);
        one(campaign, &Options { margin, ..*options }, *condition)
    });
    let none = Gate { passed: true, tested: 0, untested: 0, undecided: 0, conditions: Vec::new() };
    parts.fold(none, |sum, part| Gate {
        passed: sum.passed && part.passed,
        tested: sum.tested.max(part.tested),
        untested: sum.untested.max(part.untested),
        undecided: sum.undecided.max(part.undecided),
        conditions: [sum.conditions, part.conditions].concat(),
    })
}

fn one(campaign: &Campaign, options: &Options, condition: Condition) -> Gate {
    let values = Values::new(campaign, options.estimator);
    let baseline = campaign.baseline();
    let others = others(campaign);
    let floors = floors(&values, baseline, &campaign.benchmarks, options);
    let weighed = weigh_all(&values, campaign, &others, options);
    let judged = judge(&weighed, campaign, &floors, options);
    let candidate = |bench: usize, at: usize| {
        let (interval, answer) = (weighed[bench][at].interval?, judged[bench][at].as_ref()?);
        let info = &campaign.benchmarks[bench];
        let log = interval.log_ratio;
        Some(Candidate {
            layer: &campaign.layers[others[at]].name,
            benchmark: &info.name,
            measure: Measure::of(info.unit),
            log_cost: if info.better == Better::Higher { -log } else { log },
            std_error: answer.std_error,
            df: answer.df.unwrap_or(f64::INFINITY),
            verdict: verdict(answer.verdict).0,
        })
    };
    let rows: Vec<Candidate> = (0..weighed.len())
        .flat_map(|bench| (0..others.len()).map(move |at| (bench, at)))
        .filter_map(|(bench, at)| candidate(bench, at))
        .filter(|row| row.verdict != Verdict::None)
        .collect();
    let untested = weighed.iter().map(Vec::len).sum::<usize>() - rows.len();
    let judged = gate(&[condition], &rows, options.correction, 1.0 - options.confidence);
    Gate { untested, ..judged }
}

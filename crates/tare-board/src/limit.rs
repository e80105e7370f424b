//! `--fail-if` within one campaign: conditions on what its layers cost against its baseline.

use crate::board::Verdict;
use crate::compare::{Candidate, Condition, Gate, Rules, Subject, gate};
use crate::options::Options;
use crate::ratio::analysis::Analysis;
use crate::ratio::judge::verdict;
use crate::value::values::{BlockResult, Values};
use tare_proto::Better;
use tare_store::{Campaign, Outcome};

/// Tests `conditions` on every row of `campaign`, with the scoreboard's own evidence.
#[must_use]
pub fn limits(
    campaign: &Campaign,
    options: &Options,
    conditions: &[Condition],
    fail_undecided: bool,
) -> Gate {
    let Analysis { values, others, floors, weighed, judged, .. } = Analysis::new(campaign, options);
    let subject = |bench: usize, at: usize| {
        let info = &campaign.benchmarks[bench];
        Subject::new(campaign.layers[others[at]].name.raw(), &info.name, info.unit)
    };
    let candidate = |bench: usize, at: usize| {
        let weighed = &weighed[bench][at];
        let (interval, answer) = (weighed.interval?, judged[bench][at].as_ref()?);
        let info = &campaign.benchmarks[bench];
        let log = interval.log_ratio;
        Some(Candidate {
            subject: subject(bench, at),
            log_cost: if info.better == Better::Higher { -log } else { log },
            std_error: answer.std_error,
            df: answer.df.unwrap_or(f64::INFINITY),
            verdict: verdict(answer.verdict).0,
            p_difference: answer.p_difference,
            floor: floors.log_bound(bench, weighed.bases),
            subtracted: weighed.whole.is_some(),
        })
    };
    let (mut rows, mut untested) = (Vec::new(), Vec::new());
    for bench in 0..weighed.len() {
        for (at, &layer) in others.iter().enumerate() {
            match candidate(bench, at).filter(|row| row.verdict != Verdict::None) {
                Some(row) => rows.push(row),
                None if tried(&values, layer, bench) => {
                    untested.push(subject(bench, at));
                }
                None => {}
            }
        }
    }
    let alpha = 1.0 - options.confidence;
    let rules = Rules { correction: options.correction, alpha, fail_undecided };
    gate(conditions, &rows, &untested, rules)
}

/// Whether the layer ran the benchmark, with whatever success; what cannot run on it was not to be tested.
fn tried(values: &Values, layer: usize, bench: usize) -> bool {
    values
        .all(layer, bench)
        .any(|found| !matches!(found, BlockResult::Absent(Outcome::Unavailable, _)))
}

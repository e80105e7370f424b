//! Warnings of a scoreboard: those that the campaign recorded, and those that follow from its numbers.

use crate::Options;
use crate::board::Row;
use crate::value::values::{BlockResult, Values};
use tare_store::{Campaign, Warning};

/// Every warning, the campaign's own first.
pub(crate) fn warnings(
    campaign: &Campaign,
    values: &Values,
    options: &Options,
    rows: &[Row],
) -> Vec<Warning> {
    let general = |text| Warning { layer: None, benchmark: None, text };
    let mut warnings = campaign.warnings.clone();
    warnings.extend(options.unusual_options().map(|text| general(text.into())));
    let Some(baseline) = campaign.baseline() else {
        let text = "the baseline is not among the layers, so there are no ratios";
        warnings.push(general(text.into()));
        return warnings;
    };
    let about = |row: Option<&Row>, text| Warning {
        layer: Some(campaign.plan.baseline.clone()),
        benchmark: row.map(|row| row.benchmark.clone()),
        text,
    };
    for (benchmark, row) in rows.iter().enumerate() {
        if let Some(why) = values.all(baseline, benchmark).find_map(rejection) {
            let text = format!("a series of the baseline was rejected: {why}");
            warnings.push(about(Some(row), text.into()));
        }
        if row.floor.is_some_and(|floor| floor.called_different) {
            let text = "A/A check failed: the baseline's two boots in a block differ significantly";
            warnings.push(about(Some(row), text.into()));
        }
    }
    warnings.extend(without_floor(rows).map(|text| about(None, text.into())));
    warnings
}

fn rejection<'a>(found: &'a BlockResult) -> Option<&'a str> {
    match found {
        BlockResult::Rejected(why) => Some(why.raw()),
        BlockResult::Value(..) | BlockResult::Absent(..) => None,
    }
}

/// Verdicts that no noise floor bounds.
fn without_floor(rows: &[Row]) -> Option<String> {
    let judged = |row: &&Row| row.cells.iter().any(|cell| cell.p_difference.is_some());
    let bare = |row: &&Row| row.floor.is_none_or(|floor| floor.bound.is_none());
    let count = rows.iter().filter(judged).filter(bare).count();
    (count > 0).then(|| {
        let of = rows.len();
        format!("no noise floor for {count} of {of} benchmarks: their verdicts rest on the interval alone")
    })
}

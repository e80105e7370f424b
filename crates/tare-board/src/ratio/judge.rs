//! The verdicts of all cells together.

use crate::board::Verdict;
use crate::options::Options;
use crate::ratio::floor::Floors;
use crate::ratio::subtracted::{self, bounded};
use crate::ratio::weigh::CellRatio;
use crate::value::measured::best;
use tare_stats::{RowInput, RowVerdict, verdicts};
use tare_store::Campaign;

/// A verdict in the report's words, and the blocks that an undecided one asks for.
pub(crate) fn verdict(said: tare_stats::Verdict) -> (Verdict, Option<usize>) {
    match said {
        tare_stats::Verdict::Slower => (Verdict::Worse, None),
        tare_stats::Verdict::Faster => (Verdict::Better, None),
        tare_stats::Verdict::Equivalent => (Verdict::Equivalent, None),
        tare_stats::Verdict::Undecided { more_blocks } => (Verdict::Undecided, more_blocks),
        tare_stats::Verdict::NoInterval => (Verdict::None, None),
    }
}

/// The verdicts of all cells together, by row and layer.
pub(crate) fn judge(
    weighed: &[Vec<CellRatio>],
    campaign: &Campaign,
    floors: &Floors,
    options: &Options,
) -> Vec<Vec<Option<RowVerdict>>> {
    let mut at = Vec::new();
    let (mut inputs, mut wholes) = (Vec::new(), Vec::new());
    for (row, cells) in weighed.iter().enumerate() {
        for (column, weighed) in cells.iter().enumerate() {
            let Some(interval) = weighed.interval else { continue };
            let (floor, best) =
                (floors.log_bound(row, weighed.bases), best(campaign.benchmarks[row].better));
            inputs.push(RowInput { interval, margin: options.margin, floor, best, layer: column });
            at.push((row, column));
            wholes.extend(weighed.whole.as_ref().map(|whole| (whole.interval, best)));
        }
    }
    let alpha = 1.0 - options.confidence;
    let answers = verdicts(&inputs, options.correction, alpha);
    let mut wholes =
        subtracted::judge(&wholes, options.margin, options.correction, alpha).into_iter();
    let mut judged: Vec<Vec<Option<RowVerdict>>> =
        weighed.iter().map(|cells| vec![None; cells.len()]).collect();
    for ((row, column), mut answer) in at.into_iter().zip(answers) {
        if weighed[row][column].whole.is_some() {
            answer.verdict = bounded(answer.verdict, wholes.next().flatten());
        }
        judged[row][column] = Some(answer);
    }
    judged
}

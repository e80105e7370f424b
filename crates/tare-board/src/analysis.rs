//! All ratios of a campaign with their verdicts and noise floors: what the scoreboard, its conditions and the fleet of hosts begin with.

use crate::board::Geomean;
use crate::options::Options;
use crate::ratio::floor::{Floors, floors};
use crate::ratio::geomean::geomeans;
use crate::ratio::subtracted::{self, bounded};
use crate::ratio::weigh::{CellRatio, weigh};
use crate::value::measured::best;
use crate::value::values::Values;
use tare_stats::{RatioInterval, RowInput, RowVerdict, verdicts};
use tare_store::Campaign;

/// Every benchmark on every layer but the baseline.
pub(crate) struct Analysis<'a> {
    pub(crate) campaign: &'a Campaign,
    pub(crate) options: Options,
    pub(crate) values: Values<'a>,
    /// The layers that are weighed: all but the baseline.
    pub(crate) others: Vec<usize>,
    pub(crate) floors: Floors,
    /// By benchmark and place among the others.
    pub(crate) weighed: Vec<Vec<CellRatio>>,
    pub(crate) judged: Vec<Vec<Option<RowVerdict>>>,
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(campaign: &'a Campaign, options: &Options) -> Analysis<'a> {
        let values = Values::new(campaign, options.estimator);
        let baseline = campaign.baseline();
        let layers = 0..campaign.layers.len();
        let others: Vec<usize> = layers.filter(|&layer| Some(layer) != baseline).collect();
        let floors = floors(&values, &campaign.benchmarks, options);
        let row = |b| others.iter().map(|&l| weigh(&values, baseline, l, b, options)).collect();
        let weighed: Vec<Vec<CellRatio>> = (0..campaign.benchmarks.len()).map(row).collect();
        let judged = judge(&weighed, campaign, &floors, options);
        Analysis { campaign, options: *options, values, others, floors, weighed, judged }
    }

    /// The geometric means of the suites, each with its interval on the log scale.
    pub(crate) fn means(&self) -> impl Iterator<Item = (Geomean, Option<RatioInterval>)> + use<'a> {
        let layers = &self.campaign.layers;
        let names: Vec<&str> = self.others.iter().map(|&l| layers[l].name.raw()).collect();
        let rows = (&self.weighed[..], &self.judged[..]);
        let by_host = &self.values.by_host;
        geomeans(rows, &names, self.campaign, by_host, &self.floors, &self.options)
    }
}

/// The verdicts of all cells together, by row and layer.
fn judge(
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

//! All ratios of a campaign with their verdicts and noise floors: what the scoreboard, its conditions and the fleet of hosts begin with.

use crate::board::Geomean;
use crate::options::Options;
use crate::ratio::floor::{Floors, floors};
use crate::ratio::geomean::geomeans;
use crate::ratio::judge::judge;
use crate::ratio::weigh::{CellRatio, weigh};
use crate::value::values::Values;
use tare_stats::{RatioInterval, RowVerdict};
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

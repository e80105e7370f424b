//! From the campaign of one host to what is kept of it.

use super::merged::{HostEffect, MergedHost, MergedLayer, Subject};
use crate::options::Options;
use crate::ratio::analysis::Analysis;
use crate::ratio::weigh::CellRatio;
use crate::remarks::note::{first_hello, identity};
use std::hash::{DefaultHasher, Hash, Hasher};
use tare_proto::BenchInfo;
use tare_stats::{Estimator, RatioInterval, RowVerdict};
use tare_store::{BootState, Campaign, Plan};

/// What is kept of one host's campaign: small, and made without a look at the others, so that many can be made at once.
#[derive(Debug)]
pub struct Reduced {
    pub(super) plan: Plan,
    pub(super) layers: Vec<MergedLayer>,
    pub(super) benchmarks: Vec<BenchInfo>,
    /// Without its name.
    pub(super) host: MergedHost,
    /// Every ratio; none where it has no number.
    pub(super) found: Vec<(Subject, Option<HostEffect>)>,
    pub(super) fingerprint: u64,
}

impl Reduced {
    /// What `campaign` says. `estimator` reduces every series instead of its benchmark's own.
    #[must_use]
    pub fn of(campaign: &Campaign, estimator: Option<Estimator>) -> Reduced {
        Reduced {
            plan: campaign.plan.clone(),
            layers: campaign.layers.iter().map(MergedLayer::from).collect(),
            benchmarks: campaign.benchmarks.clone(),
            host: host(campaign),
            found: reduce(campaign, estimator),
            fingerprint: fingerprint(campaign),
        }
    }
}

/// What no two campaigns share: how long each of their boots took, to the nanosecond, and all samples.
fn fingerprint(campaign: &Campaign) -> u64 {
    let mut hasher = DefaultHasher::new();
    (campaign.plan.seed, &campaign.plan.created).hash(&mut hasher);
    let seconds = campaign.boots.iter().filter_map(|boot| boot.seconds);
    let samples = campaign.series.iter().flat_map(|series| series.samples.iter().copied());
    seconds.chain(samples).for_each(|number| number.to_bits().hash(&mut hasher));
    hasher.finish()
}

/// What is known of the campaign's host, but for its name.
fn host(campaign: &Campaign) -> MergedHost {
    let hello = campaign.baseline().and_then(|baseline| first_hello(campaign, baseline));
    let mut blocks: Vec<u32> = campaign.boots.iter().map(|boot| boot.block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let failed =
        campaign.boots.iter().filter(|boot| boot.state == BootState::Failed && !boot.cut_off());
    MergedHost {
        name: String::new().into(),
        created: campaign.plan.created.clone(),
        state: campaign.state.clone(),
        blocks: blocks.len(),
        failed_boots: failed.count(),
        cpu_model: hello.map(|hello| hello.cpu_model.clone()).unwrap_or_default().into(),
        kernel: hello.map(|hello| hello.kernel.clone()).unwrap_or_default().into(),
        cache_bytes: campaign.plan.cache_bytes,
        tare_version: campaign.plan.tare_version.clone(),
        versions: (0..campaign.layers.len()).map(|l| identity(campaign, l).what.into()).collect(),
    }
}

/// Every ratio of a campaign; none where it has no number.
fn reduce(campaign: &Campaign, estimator: Option<Estimator>) -> Vec<(Subject, Option<HostEffect>)> {
    let options = Options { estimator, ..Options::from_plan(&campaign.plan) };
    let analysis = Analysis::new(campaign, &options);
    let mut found = Vec::new();
    for (benchmark, (cells, judged)) in analysis.weighed.iter().zip(&analysis.judged).enumerate() {
        for ((cell, judged), &layer) in cells.iter().zip(judged).zip(&analysis.others) {
            found.push((Subject::Row { benchmark, layer }, of_cell(cell, judged.as_ref())));
        }
        let floor = analysis.floors.intervals[benchmark].map(|floor| of_interval(&floor.interval));
        found.push((Subject::Floor { benchmark }, floor));
    }
    for (mean, interval) in analysis.means() {
        let Some(layer) = campaign.layers.iter().position(|row| row.name == mean.layer) else {
            continue;
        };
        let alone = HostEffect {
            host: 0,
            log: mean.cost.value.ln(),
            error: None,
            df: None,
            blocks: mean.cost.blocks,
            subtracted: false,
        };
        let effect = interval.as_ref().map_or(alone, of_interval);
        let (suite, measure) = (mean.suite, mean.measure);
        found.push((Subject::Mean { suite, measure, layer }, Some(effect)));
    }
    found
}

/// A cell's ratio, with the standard error that its verdict was tested with.
fn of_cell(cell: &CellRatio, judged: Option<&RowVerdict>) -> Option<HostEffect> {
    let point = cell.point?;
    let subtracted = cell.whole.is_some();
    let Some(interval) = &cell.interval else {
        let (log, blocks) = (point.ratio.ln(), point.blocks);
        return Some(HostEffect { host: 0, log, error: None, df: None, blocks, subtracted });
    };
    let own = of_interval(interval);
    let (error, df) = judged.map_or((own.error, own.df), |j| (Some(j.std_error), j.df));
    Some(HostEffect { error, df, subtracted, ..own })
}

fn of_interval(interval: &RatioInterval) -> HostEffect {
    HostEffect {
        host: 0,
        log: interval.log_ratio,
        error: Some(interval.std_error),
        df: interval.df.is_finite().then_some(interval.df),
        blocks: interval.blocks,
        subtracted: false,
    }
}

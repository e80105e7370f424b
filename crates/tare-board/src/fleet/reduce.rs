//! From the campaigns of many hosts to what is kept of them: each is reduced by itself, and added one by one.

use super::merged::{
    HostEffect, Merged, MergedCell, MergedHost, MergedLayer, MissingHost, Subject,
};
use super::refuse::{MergeError, same_plan};
use crate::assemble::{judge, others, weigh_all};
use crate::floor::floors;
use crate::geomean::geomeans_with_intervals;
use crate::note::{first_hello, identity};
use crate::options::Options;
use crate::values::Values;
use crate::weigh::CellRatio;
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
    host: MergedHost,
    /// Every ratio; none where it has no number.
    found: Vec<(Subject, Option<HostEffect>)>,
    fingerprint: u64,
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

/// Merges campaigns as they come.
#[derive(Debug, Default)]
pub struct Merger {
    estimator: Option<Estimator>,
    merged: Option<Merged>,
    missing: Vec<MissingHost>,
    /// What tells campaigns apart: each host's name, and what was measured there.
    seen: Vec<(String, u64)>,
}

impl Merger {
    /// No campaign yet. All were reduced with `estimator`.
    #[must_use]
    pub fn new(estimator: Option<Estimator>) -> Merger {
        Merger { estimator, ..Merger::default() }
    }

    /// Adds the campaign of a host. One without a single figure is a host that is missing.
    ///
    /// # Errors
    /// What makes its figures say nothing together with those of the others.
    pub fn add(&mut self, name: &str, reduced: Reduced) -> Result<(), MergeError> {
        self.is_new(name)?;
        if let Some(merged) = &self.merged {
            same_plan(name, &reduced, merged)?;
        }
        let Reduced { plan, layers, benchmarks, host, found, fingerprint } = reduced;
        if found.iter().all(|(_, effect)| effect.is_none()) {
            let why = format!("its campaign is {} and has no figure", host.state);
            return self.miss(name, &why);
        }
        self.keep(name, fingerprint)?;
        let merged = self.merged.get_or_insert_with(|| {
            let estimator = self.estimator.map(|estimator| estimator.to_string());
            Merged { layers, benchmarks, ..Merged::of(plan, estimator) }
        });
        let at = merged.hosts.len();
        merged.hosts.push(MergedHost { name: name.into(), ..host });
        for (subject, effect) in found {
            let Some(effect) = effect else { continue };
            let effect = HostEffect { host: at, ..effect };
            match merged.cells.iter_mut().find(|cell| cell.subject == subject) {
                Some(cell) => cell.effects.push(effect),
                None => merged.cells.push(MergedCell { subject, effects: vec![effect] }),
            }
        }
        Ok(())
    }

    /// Names a host that has no figures, and why.
    ///
    /// # Errors
    /// When another one has that name.
    pub fn miss(&mut self, name: &str, why: &str) -> Result<(), MergeError> {
        self.is_new(name)?;
        self.missing.push(MissingHost { name: name.into(), why: why.into() });
        Ok(())
    }

    /// Everything that was added.
    ///
    /// # Errors
    /// When no host has a figure.
    pub fn finish(self) -> Result<Merged, MergeError> {
        let merged = self.merged.ok_or(MergeError::Nothing)?;
        Ok(Merged { missing: self.missing, ..merged })
    }

    fn is_new(&self, name: &str) -> Result<(), MergeError> {
        let measured = self.seen.iter().map(|(known, _)| known);
        let mut known = measured.chain(self.missing.iter().map(|host| &host.name));
        if known.any(|known| known == name) {
            Err(MergeError::SameName(name.into()))
        } else {
            Ok(())
        }
    }

    /// Remembers the campaign, unless it is one that was added already.
    fn keep(&mut self, name: &str, own: u64) -> Result<(), MergeError> {
        if let Some((other, _)) = self.seen.iter().find(|(_, seen)| *seen == own) {
            return Err(MergeError::SameCampaign(other.clone(), name.into()));
        }
        self.seen.push((name.into(), own));
        Ok(())
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
    let failed = campaign.boots.iter().filter(|boot| boot.state == BootState::Failed);
    MergedHost {
        name: String::new(),
        created: campaign.plan.created.clone(),
        state: campaign.state.clone(),
        blocks: blocks.len(),
        failed_boots: failed.count(),
        cpu_model: hello.map(|hello| hello.cpu_model.clone()).unwrap_or_default(),
        kernel: hello.map(|hello| hello.kernel.clone()).unwrap_or_default(),
        cache_bytes: campaign.plan.cache_bytes,
        tare_version: campaign.plan.tare_version.clone(),
        versions: (0..campaign.layers.len()).map(|l| identity(campaign, l).what).collect(),
    }
}

/// Every ratio of a campaign; none where it has no number.
fn reduce(campaign: &Campaign, estimator: Option<Estimator>) -> Vec<(Subject, Option<HostEffect>)> {
    let options = Options { estimator, ..Options::from_plan(&campaign.plan) };
    let values = Values::new(campaign, estimator);
    let others = others(campaign);
    let names: Vec<&str> = others.iter().map(|&l| campaign.layers[l].name.as_str()).collect();
    let floors = floors(&values, &campaign.benchmarks, &options);
    let weighed = weigh_all(&values, campaign, &others, &options);
    let judged = judge(&weighed, campaign, &floors, &options);
    let mut found = Vec::new();
    for (benchmark, (cells, judged)) in weighed.iter().zip(&judged).enumerate() {
        for ((cell, judged), &layer) in cells.iter().zip(judged).zip(&others) {
            found.push((Subject::Row { benchmark, layer }, of_cell(cell, judged.as_ref())));
        }
        let floor = floors.intervals[benchmark].map(|floor| of_interval(&floor.interval));
        found.push((Subject::Floor { benchmark }, floor));
    }
    for (mean, interval) in
        geomeans_with_intervals(&weighed, &names, campaign, &values.by_host, &floors, &options)
    {
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

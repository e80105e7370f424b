//! How hosts differ, and what it goes with.

use super::board::{Cause, PooledRatio, Property, Spread, Subgroup};
use super::merged::Merged;
use crate::options::Options;
use tare_stats::dist::t_factor;
use tare_stats::{Study, explained};

/// A property is said to explain what hosts differ by from this share on.
const EXPLAINS: f64 = 0.5;

impl Cause {
    const ALL: [Cause; 3] = [Cause::Processor, Cause::Kernel, Cause::Version];

    /// What a host has of it, for a ratio of `layer`.
    fn of(self, merged: &Merged, host: usize, layer: usize) -> &str {
        let host = &merged.hosts[host];
        match self {
            Cause::Processor => host.cpu_model.raw(),
            Cause::Kernel => host.kernel.raw(),
            Cause::Version => host.versions[layer].raw(),
        }
    }
}

/// Whether hosts differ, once `p_same` is corrected.
pub(super) fn spread(pooled: Option<&PooledRatio>, options: &Options) -> Spread {
    let Some(pooled) = pooled else { return Spread::Unknown };
    let reach = t_factor(options.confidence, pooled.hosts as f64 - 1.0) * pooled.tau;
    match pooled.p_same > 1.0 - options.confidence {
        true => Spread::Alike,
        false if reach <= options.margin.ln_1p() => Spread::Little,
        false => Spread::Wide,
    }
}

/// The properties by which hosts fall into groups; `p` is not corrected yet.
pub(super) fn properties(
    merged: &Merged,
    layer: usize,
    studies: &[Study],
    hosts: &[usize],
    options: &Options,
) -> Vec<Property> {
    let one = |cause: Cause| {
        let values: Vec<&str> = hosts.iter().map(|&host| cause.of(merged, host, layer)).collect();
        let mut names = values.clone();
        names.sort_unstable();
        names.dedup();
        if names.contains(&"") {
            return None; // where one is unknown, the groups are none
        }
        let group = |value: &&str| names.binary_search(value).unwrap_or_default();
        let groups: Vec<usize> = values.iter().map(group).collect();
        let said = explained(studies, &groups, options.confidence).ok()?;
        let subgroup = |(value, part): (&&str, &tare_stats::Part)| Subgroup {
            value: (*value).to_owned().into(),
            hosts: part.studies,
            ratio: part.mean.exp(),
            low: part.low.exp(),
            high: part.high.exp(),
        };
        let mut groups: Vec<Subgroup> = names.iter().zip(&said.parts).map(subgroup).collect();
        groups.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
        Some(Property { cause, share: said.share, p: said.p, explains: false, groups })
    };
    Cause::ALL.into_iter().filter_map(one).collect()
}

/// With its p-value corrected: whether the property explains what hosts differ by.
pub(super) fn conclude(property: &mut Property, p: f64, spread: Spread, options: &Options) {
    property.p = p;
    property.explains =
        spread == Spread::Wide && p <= 1.0 - options.confidence && property.share >= EXPLAINS;
}

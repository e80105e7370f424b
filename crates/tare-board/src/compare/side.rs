//! One campaign of a comparison, and what two of them have in common.

use super::CompareError;
use super::board::{By, Campaigned};
use crate::options::Options;
use crate::ratio::floor::{Floors, floors};
use crate::ratio::subtracted::part;
use crate::remarks::note::first_hello;
use crate::value::measured::Operation;
use crate::value::values::Values;
use tare_proto::{Machine, name_and_load};
use tare_store::{Campaign, LayerRow, Plan};

/// A campaign reduced to values.
pub(super) struct Side<'a> {
    pub(super) campaign: &'a Campaign,
    pub(super) values: Values<'a>,
    pub(super) floors: Floors,
    pub(super) baseline: Option<usize>,
}

impl<'a> Side<'a> {
    pub(super) fn new(campaign: &'a Campaign, options: &Options) -> Side<'a> {
        let values = Values::new(campaign, options.estimator);
        let baseline = campaign.baseline();
        let floors = floors(&values, &campaign.benchmarks, options);
        Side { campaign, values, floors, baseline }
    }

    /// What there is to compare of every block: the value, or the ratio to the block's baseline.
    pub(super) fn per_block(&self, by: By, layer: usize, bench: usize) -> Vec<Option<f64>> {
        self.each_block(by, layer, bench, Operation::Corrected)
    }

    /// The same of the whole operations: with what was subtracted.
    pub(super) fn whole_per_block(&self, by: By, layer: usize, bench: usize) -> Vec<Option<f64>> {
        self.each_block(by, layer, bench, Operation::Whole)
    }

    fn each_block(
        &self,
        by: By,
        layer: usize,
        bench: usize,
        operation: Operation,
    ) -> Vec<Option<f64>> {
        let one = |block: u32| match (by, operation) {
            (By::Value, Operation::Corrected) => self.values.value(block, layer, bench),
            (By::Value, Operation::Whole) => self.values.whole(block, layer, bench),
            (By::Cost, _) => Some(self.values.log_ratio(block, layer, bench, operation)?.exp()),
        };
        self.values.blocks.iter().map(|&block| one(block)).collect()
    }

    /// The largest part that is subtracted of what is compared.
    pub(super) fn subtracted(&self, by: By, layer: usize, bench: usize) -> f64 {
        let base = self.baseline.filter(|_| by == By::Cost);
        let sides = std::iter::once(layer).chain(base);
        sides.map(|layer| part(&self.values, layer, bench)).fold(0.0, f64::max)
    }

    pub(super) fn summary(&self, name: &str) -> Campaigned {
        let plan = &self.campaign.plan;
        let hello = self.baseline.and_then(|baseline| first_hello(self.campaign, baseline));
        Campaigned {
            name: name.to_owned().into(),
            created: plan.created.clone(),
            baseline: plan.baseline.clone(),
            blocks: self.values.blocks.len(),
            state: self.campaign.state.clone(),
            cpu_model: hello.map(|hello| hello.cpu_model.clone()).unwrap_or_default().into(),
            kernel: hello.map(|hello| hello.kernel.clone()).unwrap_or_default().into(),
            probe_sha256: plan.probe_sha256.clone(),
        }
    }

    fn base(&self) -> Option<&'a LayerRow> {
        Some(&self.campaign.layers[self.baseline?])
    }
}

/// Whether the same values on both sides are no chance: counts of a simulated machine repeat, and one campaign is itself. Times
/// that are equal in a few coarse digits say nothing.
pub(super) fn repeats(sides: &[Side; 2]) -> bool {
    let [before, after] = [&sides[0].campaign.plan, &sides[1].campaign.plan];
    [before.machine, after.machine] == [Machine::Sim; 2] || is_same(before, after)
}

/// Whether both plans are of one and the same campaign.
pub(super) fn is_same(a: &Plan, b: &Plan) -> bool {
    (a.seed, &a.created, &a.command) == (b.seed, &b.created, &b.command)
}

/// Whether a benchmark is the same measurement in both campaigns: by the same probe, or by two builds that define it alike.
pub(super) fn same_definition([a, b]: [&Plan; 2], name: &str) -> bool {
    let of = |plan: &Plan| plan.definitions.get(name_and_load(name).0).copied();
    a.probe_sha256 == b.probe_sha256 || of(a).is_some_and(|known| of(b) == Some(known))
}

/// The larger of both noise floors of a benchmark, as a log ratio; 0 when neither campaign measured one.
pub(super) fn floor(sides: &[Side; 2], layer: [usize; 2], bench: [usize; 2]) -> f64 {
    let of = |at: usize| {
        let bases = sides[at].values.bases(layer[at], bench[at]);
        sides[at].floors.log_bound(bench[at], bases)
    };
    of(0).max(of(1))
}

/// What is compared, and why.
pub(super) struct Chosen {
    pub(super) by: By,
    pub(super) why: String,
}

/// Follows the wish, or decides: where the baseline is the same in both campaigns as far as tare knows, what moved it
/// was the host, so costs against it are compared and the host's share cancels. Where the baseline itself changed (a
/// new host kernel, another machine), dividing by it could cancel the very change, so values are compared.
pub(super) fn choose(sides: &[Side; 2], wish: Option<By>) -> Result<Chosen, CompareError> {
    let name = &sides[0].campaign.plan.baseline;
    let alike = match (sides[0].base(), sides[1].base()) {
        (Some(before), Some(after)) => before.name == after.name && before.kind == after.kind,
        _ => false,
    };
    let others = |side: &Side| side.campaign.layers.len() > 1;
    let chosen = |by, why: String| Ok(Chosen { by, why });
    match wish {
        Some(By::Cost) if !alike => Err(CompareError::NoBaseline),
        Some(by) => chosen(by, "asked for".into()),
        None if !alike => chosen(By::Value, "the campaigns have different baselines".into()),
        None if !sides.iter().all(others) => {
            chosen(By::Value, "a campaign has no layer but its baseline".into())
        }
        None => match changed(sides) {
            Some(what) => chosen(By::Value, format!("{} itself changed ({what})", name.raw())),
            None => chosen(
                By::Cost,
                format!("{} did not change, so the host's drift cancels out", name.raw()),
            ),
        },
    }
}

/// What is known to have changed of the baseline, first of all.
fn changed(sides: &[Side; 2]) -> Option<&'static str> {
    let (before, after) = (sides[0].base()?, sides[1].base()?);
    if before.settings != after.settings {
        return Some("settings");
    }
    let hashes =
        |row: &LayerRow| row.artifacts.iter().map(|a| a.sha256.clone()).collect::<Vec<_>>();
    if hashes(before) != hashes(after) {
        return Some("its files");
    }
    let hello = |side: &Side<'_>| first_hello(side.campaign, side.baseline?).cloned();
    let (before, after) = (hello(&sides[0])?, hello(&sides[1])?);
    let pairs = [
        ("CPU model", &before.cpu_model, &after.cpu_model),
        ("kernel", &before.kernel, &after.kernel),
        ("kernel build", &before.kernel_version, &after.kernel_version),
        ("huge pages", &before.thp, &after.thp),
        ("clock source", &before.clock_source, &after.clock_source),
        ("frequency governor", &before.governor, &after.governor),
        ("scratch file system", &before.scratch_fs, &after.scratch_fs),
    ];
    let text = pairs.iter().find(|(_, before, after)| before != after).map(|(what, ..)| *what);
    text.or((before.mitigations != after.mitigations).then_some("CPU mitigations"))
}

/// Layers and benchmarks that both campaigns have, as index pairs.
pub(super) struct Common {
    pub(super) layers: Vec<[usize; 2]>,
    pub(super) benches: Vec<[usize; 2]>,
    /// The baseline, where it is divided out.
    pub(super) control: Option<[usize; 2]>,
}

impl Common {
    pub(super) fn new(sides: &[Side; 2], by: By) -> Result<Common, CompareError> {
        let [before, after] = [sides[0].campaign, sides[1].campaign];
        let control = match (by, sides[0].baseline, sides[1].baseline) {
            (By::Cost, Some(before), Some(after)) => Some([before, after]),
            _ => None,
        };
        let both = |(at, row): (usize, &LayerRow)| {
            let other = after.layers.iter().position(|layer| layer.name == row.name)?;
            Some([at, other]).filter(|pair| control.is_none_or(|c| c != *pair))
        };
        let layers: Vec<_> = before.layers.iter().enumerate().filter_map(both).collect();
        let same = |(at, info): (usize, &tare_proto::BenchInfo)| {
            let other = after.benchmarks.iter().position(|bench| bench.name == info.name)?;
            let bench = &after.benchmarks[other];
            (bench.unit == info.unit && bench.better == info.better).then_some([at, other])
        };
        let all: Vec<_> = before.benchmarks.iter().enumerate().filter_map(same).collect();
        let alike = |pair: &[usize; 2]| {
            same_definition([&before.plan, &after.plan], &before.benchmarks[pair[0]].name)
        };
        let alike: Vec<_> = all.iter().copied().filter(alike).collect();
        // Where none is known to be the same, the difference of the probes refuses the comparison, and --force has all.
        let benches = if alike.is_empty() { all } else { alike };
        match (layers.is_empty(), benches.is_empty()) {
            (true, _) => Err(CompareError::NoLayer),
            (_, true) => Err(CompareError::NoBenchmark),
            _ => Ok(Common { layers, benches, control }),
        }
    }

    /// `make` of every layer and benchmark.
    pub(super) fn each<T>(&self, make: impl Fn([usize; 2], [usize; 2]) -> T) -> Vec<Vec<T>> {
        let of = |layer| self.benches.iter().map(|&bench| make(layer, bench)).collect();
        self.layers.iter().map(|&layer| of(layer)).collect()
    }
}

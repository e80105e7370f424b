//! From what hosts say to what they say together.

use super::board::Fleet;
use super::family::Family;
use super::merged::{Merged, MergedCell, Subject};
use super::pooled::studies;
use crate::board::Method;
use crate::options::Options;
use tare_proto::Untrusted;
use tare_stats::{median, pool};

/// Blocks from which on a host tells its own noise well enough to be compared with the others (docs/calibration.md).
const ENOUGH: usize = 3;

/// Pools and judges what was merged.
#[must_use]
pub fn fleet(merged: &Merged, options: &Options) -> Fleet {
    let floors = floors(merged, options);
    let of_rows = |cell: &&MergedCell| matches!(cell.subject, Subject::Row { .. });
    let of_means = |cell: &&MergedCell| matches!(cell.subject, Subject::Mean { .. });
    let floor = |subject: &Subject| match subject {
        Subject::Row { benchmark, .. } => floors[*benchmark],
        _ => overall(&floors),
    };
    let rows = Family::new(merged, options, floor, merged.cells.iter().filter(of_rows));
    // The means are a family of their own, as in a scoreboard.
    let mut means = Family::new(merged, options, floor, merged.cells.iter().filter(of_means));
    means.bound_by(merged, &rows);
    let comparisons = rows.members.iter().filter(|member| member.cell.pooled.is_some()).count();
    let others = (0..merged.layers.len()).filter(|&layer| Some(layer) != merged.baseline());
    let others: Vec<usize> = others.collect();
    Fleet {
        baseline: merged.plan.baseline.clone(),
        machine: merged.plan.machine,
        method: Method {
            confidence: options.confidence,
            margin: options.margin,
            correction: options.correction,
            comparisons,
            estimator: merged.estimator.clone(),
        },
        hosts: merged.hosts.clone(),
        missing: merged.missing.clone(),
        layers: others.iter().map(|&layer| means.layer(merged, layer)).collect(),
        rows: (0..merged.benchmarks.len())
            .map(|bench| rows.row(merged, bench, &others, floors[bench]))
            .collect(),
        warnings: warnings(merged).into_iter().map(Untrusted::from).collect(),
        probe_sha256: merged.plan.probe_sha256.clone(),
    }
}

/// By benchmark: the farther end of the interval of the baseline against itself, over hosts, as a ratio.
fn floors(merged: &Merged, options: &Options) -> Vec<Option<f64>> {
    let mut floors = vec![None; merged.benchmarks.len()];
    for cell in &merged.cells {
        let Subject::Floor { benchmark } = cell.subject else { continue };
        if let Ok(pooled) = pool(&studies(&cell.effects), options.confidence) {
            floors[benchmark] = Some(pooled.low.abs().max(pooled.high.abs()).exp());
        }
    }
    floors
}

/// The floor of a geometric mean: the median of the rows'.
fn overall(floors: &[Option<f64>]) -> Option<f64> {
    let known: Vec<f64> = floors.iter().flatten().copied().collect();
    median(&known).ok()
}

fn warnings(merged: &Merged) -> Vec<String> {
    let differ = |what: &str, of: &dyn Fn(usize) -> String| {
        let mut all: Vec<String> = (0..merged.hosts.len()).map(of).collect();
        all.sort();
        all.dedup();
        (all.len() > 1).then(|| format!("{what}: {}", all.join(", ")))
    };
    let caches = differ(
        "hosts chose the sizes of some benchmarks by caches of different sizes, so that these rows are not the same work on \
         each (bytes)",
        &|host| merged.hosts[host].cache_bytes.to_string(),
    );
    let versions = differ("hosts were measured by several versions of tare", &|host| {
        merged.hosts[host].tare_version.raw().to_owned()
    });
    let cut = merged.hosts.iter().filter(|host| host.state != "finished");
    let cut: Vec<&str> = cut.map(|host| host.name.raw()).collect();
    let cut = (!cut.is_empty()).then(|| format!("not finished: {}", cut.join(", ")));
    let one = (merged.hosts.len() == 1).then(|| {
        "one host alone says nothing of others: nothing is pooled, and there are no verdicts".into()
    });
    let few: Vec<&str> =
        merged.hosts.iter().filter(|host| host.blocks < ENOUGH).map(|h| h.name.raw()).collect();
    let few = (one.is_none() && !few.is_empty()).then(|| {
        format!(
            "fewer than {ENOUGH} blocks: {}. How much blocks vary there is taken from all hosts together, so that the intervals \
             hold; but where one host is much noisier than the others, hosts may be said to differ that do not",
            few.join(", ")
        )
    });
    [caches, versions, cut, few, one].into_iter().flatten().collect()
}

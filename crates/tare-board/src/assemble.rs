//! From a campaign to its scoreboard.

use crate::Comment;
use crate::board::{
    Counts, FailedBoot, LayerSummary, Method, Presence, Provenance, Row, Scoreboard, Unavailable,
};
use crate::options::Options;
use crate::ratio::cell::{cell, mean_over_blocks};
use crate::ratio::floor::{Floors, floors};
use crate::ratio::geomean::geomeans;
use crate::ratio::shapes::findings_of;
use crate::ratio::subtracted::{self, bounded};
use crate::ratio::weigh::{CellAddress, CellRatio, weigh};
use crate::remarks::note::{identity, notes};
use crate::sandbox::{sandboxes, tails};
use crate::suite::index::indices;
use crate::sweep::sweeps;
use crate::value::measured::best;
use crate::value::samples::SampleSummary;
use crate::value::values::Values;
use crate::warn::warnings;
use tare_proto::Untrusted;
use tare_stats::{RowInput, RowVerdict, verdicts};
use tare_store::{Boot, BootState, Campaign, Outcome};

/// Computes what a campaign says: finished, running, interrupted or empty.
#[must_use]
pub fn scoreboard(campaign: &Campaign, options: &Options) -> Scoreboard {
    let values = Values::new(campaign, options.estimator);
    let others = others(campaign);
    let names: Vec<&str> = others.iter().map(|&l| campaign.layers[l].name.raw()).collect();
    let floors = floors(&values, &campaign.benchmarks, options);
    let weighed = weigh_all(&values, campaign, &others, options);
    let judged = judge(&weighed, campaign, &floors, options);
    let geomeans =
        geomeans((&weighed, &judged), &names, campaign, &values.by_host, &floors, options)
            .map(|(mean, _)| mean)
            .collect();
    let context = Context { campaign, values: &values, options, others: &others, floors: &floors };
    let mut rows: Vec<Row> =
        (0..weighed.len()).map(|b| context.row(b, &weighed[b], &judged[b])).collect();
    let layers: Vec<LayerSummary> =
        (0..campaign.layers.len()).map(|layer| context.layer(layer, &rows)).collect();
    say_drift_once(&layers, &mut rows);
    Scoreboard {
        baseline: campaign.plan.baseline.clone(),
        state: campaign.state.clone(),
        method: method(options, &judged),
        counts: counts(campaign, &values),
        indices: indices(campaign, &layers, &rows),
        sandboxes: sandboxes(campaign, &layers, &rows, options.confidence),
        sweeps: sweeps(campaign, &values, &floors, options),
        layers,
        geomeans,
        warnings: warnings(campaign, &values, options, &rows),
        rows,
        floor: floors.overall.clone(),
        failed_boots: failed_boots(campaign),
        provenance: provenance(campaign),
    }
}

/// The layers that are weighed: all but the baseline.
pub(crate) fn others(campaign: &Campaign) -> Vec<usize> {
    let baseline = campaign.baseline();
    (0..campaign.layers.len()).filter(|&layer| Some(layer) != baseline).collect()
}

/// Every benchmark on every layer of `others`, divided by the baseline.
pub(crate) fn weigh_all(
    values: &Values,
    campaign: &Campaign,
    others: &[usize],
    options: &Options,
) -> Vec<Vec<CellRatio>> {
    let baseline = campaign.baseline();
    let row = |b| others.iter().map(|&l| weigh(values, baseline, l, b, options)).collect();
    (0..campaign.benchmarks.len()).map(row).collect()
}

/// A clock that drifts over whole boots is the layer's note; only one that drifts in single rows is theirs.
fn say_drift_once(layers: &[LayerSummary], rows: &mut [Row]) {
    let drifting = |layer: &LayerSummary| layer.notes.iter().any(|note| note.kind == "clock_drift");
    let others = layers.iter().filter(|layer| !layer.baseline).enumerate();
    for (column, _) in others.filter(|(_, layer)| drifting(layer)) {
        for row in rows.iter_mut() {
            let comments = &mut row.cells[column].comments;
            comments.retain(|comment| !matches!(comment, Comment::ClockDrift { .. }));
        }
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

/// What every row and layer is put together from.
struct Context<'a> {
    campaign: &'a Campaign,
    values: &'a Values<'a>,
    options: &'a Options,
    others: &'a [usize],
    floors: &'a Floors,
}

impl Context<'_> {
    fn row(&self, benchmark: usize, weighed: &[CellRatio], judged: &[Option<RowVerdict>]) -> Row {
        let info = &self.campaign.benchmarks[benchmark];
        let confidence = self.options.confidence;
        let baseline = self.campaign.baseline();
        let make = |((&layer, weighed), judged): ((&usize, &CellRatio), &Option<RowVerdict>)| {
            let name = self.campaign.layers[layer].name.raw();
            let place = CellAddress { layer, name, benchmark, info };
            cell(&place, weighed, judged.as_ref(), self.values, self.floors, self.options)
        };
        let own = || info.estimator.clone();
        Row {
            benchmark: info.name.clone().into(),
            about: info.about.clone().into(),
            suite: info.suite.clone().into(),
            unit: info.unit,
            better: info.better,
            by_host: self.values.by_host[benchmark],
            estimator: self
                .options
                .estimator
                .map_or_else(own, |estimator| estimator.to_string())
                .into(),
            weight: weight(self.campaign, benchmark),
            baseline: baseline
                .and_then(|layer| mean_over_blocks(self.values, layer, benchmark, confidence)),
            floor: self.floors.rows[benchmark],
            samples: baseline.and_then(|layer| SampleSummary::of(self.values, layer, benchmark)),
            tails: baseline
                .and_then(|layer| tails(self.values, layer, (benchmark, info), confidence)),
            findings: baseline
                .map_or_else(Vec::new, |layer| findings_of(self.values, layer, benchmark)),
            cells: self.others.iter().zip(weighed).zip(judged).map(make).collect(),
        }
    }

    fn layer(&self, layer: usize, rows: &[Row]) -> LayerSummary {
        let row = &self.campaign.layers[layer];
        let boots = || self.campaign.boots.iter().filter(|boot| boot.layer == layer);
        let column = self.others.iter().position(|&other| other == layer);
        let measured = |row: &&Row| {
            column.map_or(row.baseline.is_some(), |column| {
                row.cells[column].presence == Presence::Measured
            })
        };
        LayerSummary {
            name: row.name.clone(),
            kind: row.kind.clone(),
            settings: row.settings.clone(),
            what: identity(self.campaign, layer).what.into(),
            baseline: column.is_none(),
            swept: swept(self.campaign, &row.name),
            unavailable: row.unavailable.clone().map(|(why, remedy)| Unavailable { why, remedy }),
            boots: boots().count(),
            failed_boots: boots().filter(|boot| failed(boot)).count(),
            measured: rows.iter().filter(measured).count(),
            notes: notes(self.campaign, layer),
        }
    }
}

/// The layer that a sweep made the layer called `name` from.
fn swept(campaign: &Campaign, name: &Untrusted) -> Option<Untrusted> {
    let layers = campaign.plan.sweep.iter().flat_map(|sweep| &sweep.layers);
    layers.into_iter().find(|swept| swept.name == *name).map(|swept| swept.of.clone())
}

/// The weight that a benchmark's series carry.
fn weight(campaign: &Campaign, benchmark: usize) -> Option<f64> {
    let own = campaign.series.iter().filter(|row| row.benchmark == benchmark);
    let weights = own.flat_map(|row| &row.counters).filter(|counter| counter.name == "weight");
    weights.map(|counter| counter.value).find(|value| value.is_finite() && *value > 0.0)
}

fn method(options: &Options, judged: &[Vec<Option<RowVerdict>>]) -> Method {
    let counted = judged.iter().flatten().flatten();
    let with_verdict = counted.filter(|j| j.verdict != tare_stats::Verdict::NoInterval);
    Method {
        confidence: options.confidence,
        margin: options.margin,
        correction: options.correction,
        comparisons: with_verdict.count(),
        estimator: options.estimator.map(|estimator| estimator.to_string()),
    }
}

fn counts(campaign: &Campaign, values: &Values) -> Counts {
    let measured = || campaign.series.iter().filter(|row| row.outcome == Outcome::Measured);
    Counts {
        blocks: values.blocks.len(),
        planned_blocks: campaign.plan.blocks,
        boots: campaign.boots.len(),
        failed_boots: campaign.boots.iter().filter(|boot| failed(boot)).count(),
        series: measured().count(),
        samples: measured().map(|row| row.samples.len()).sum(),
    }
}

fn failed(boot: &Boot) -> bool {
    boot.state == BootState::Failed
}

fn failed_boots(campaign: &Campaign) -> Vec<FailedBoot> {
    let boots = campaign.boots.iter().filter(|boot| failed(boot));
    let name = |layer: usize| campaign.layers.get(layer).map(|row| row.name.clone());
    let report = |boot: &Boot| FailedBoot {
        id: boot.id,
        block: boot.block,
        layer: name(boot.layer).unwrap_or_default(),
        role: boot.role,
        attempt: boot.attempt,
        why: boot.failure.clone().unwrap_or_else(|| "no reason recorded".into()),
        console: boot.console.clone().filter(|console| !console.raw().trim().is_empty()),
    };
    boots.map(report).collect()
}

fn provenance(campaign: &Campaign) -> Provenance {
    let plan = &campaign.plan;
    let baseline = campaign.baseline();
    let mut boots = campaign.boots.iter().filter(|boot| Some(boot.layer) == baseline);
    let hello = boots.find_map(|boot| boot.hello.as_ref());
    let artifacts = campaign.layers.iter().flat_map(|layer| &layer.artifacts);
    let emulator =
        artifacts.filter(|file| file.role == "emulator").map(|file| &file.version).next();
    Provenance {
        machine: plan.machine,
        emulator: emulator.cloned().unwrap_or_default(),
        seed: plan.seed,
        created: plan.created.clone(),
        tare_version: plan.tare_version.clone(),
        probe_sha256: plan.probe_sha256.clone(),
        command: plan.command.clone(),
        cpus: plan.cpus.clone(),
        cpu_model: hello.map(|hello| hello.cpu_model.clone()).unwrap_or_default().into(),
        kernel: hello.map(|hello| hello.kernel.clone()).unwrap_or_default().into(),
    }
}

//! From a campaign to its scoreboard.

use crate::Comment;
use crate::board::{
    Busy, Cell, Counts, FailedBoot, LayerSummary, Method, Presence, Provenance, Row, Scoreboard,
    Unavailable,
};
use crate::options::Options;
use crate::ratio::analysis::Analysis;
use crate::ratio::both::BothFigures;
use crate::ratio::cell::{cell, mean_over_blocks};
use crate::ratio::choices::hangs_on;
use crate::ratio::shapes::findings_of;
use crate::ratio::weigh::CellAddress;
use crate::remarks::note::{identity, notes};
use crate::sandbox::{sandboxes, tails};
use crate::suite::index::indices;
use crate::sweep::sweeps;
use crate::value::samples::SampleSummary;
use crate::value::values::Values;
use crate::warn::warnings;
use tare_proto::Untrusted;
use tare_stats::RowVerdict;
use tare_store::{Boot, BootState, Campaign, Outcome};

/// Computes what a campaign says: finished, running, interrupted or empty.
#[must_use]
pub fn scoreboard(campaign: &Campaign, options: &Options) -> Scoreboard {
    let main = Analysis::new(campaign, options);
    let both = BothFigures::new(&main);
    let context = Context { main: &main, both: &both };
    let mut rows: Vec<Row> = (0..campaign.benchmarks.len()).map(|b| context.row(b)).collect();
    let layers: Vec<LayerSummary> =
        (0..campaign.layers.len()).map(|layer| context.layer(layer, &rows)).collect();
    say_drift_once(&layers, &mut rows);
    let geomeans = both.means();
    Scoreboard {
        baseline: campaign.plan.baseline.clone(),
        state: campaign.state.clone(),
        method: method(options, &main.judged),
        counts: counts(campaign, &main.values),
        busy: Busy::of(campaign),
        indices: indices(campaign, &layers, &rows),
        sandboxes: sandboxes(campaign, &layers, &rows, options.confidence),
        sweeps: sweeps(campaign, &main.values, &main.floors, options),
        layers,
        hangs_on: hangs_on(&main, &geomeans),
        geomeans,
        warnings: warnings(campaign, &main.values, options, &rows),
        rows,
        floor: main.floors.overall.clone(),
        failed_boots: failed_boots(campaign),
        provenance: provenance(campaign),
    }
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

/// What every row and layer is put together from.
struct Context<'a> {
    main: &'a Analysis<'a>,
    both: &'a BothFigures<'a>,
}

impl Context<'_> {
    fn row(&self, benchmark: usize) -> Row {
        let Analysis { campaign, options, values, others, floors, .. } = self.main;
        let info = &campaign.benchmarks[benchmark];
        let baseline = campaign.baseline();
        let own = || info.estimator.clone();
        Row {
            benchmark: info.name.clone().into(),
            about: info.about.clone().into(),
            suite: info.suite.clone().into(),
            unit: info.unit,
            better: info.better,
            by_host: values.by_host[benchmark],
            estimator: options.estimator.map_or_else(own, |estimator| estimator.to_string()).into(),
            weight: weight(campaign, benchmark),
            baseline: baseline
                .and_then(|layer| mean_over_blocks(values, layer, benchmark, options.confidence)),
            floor: floors.rows[benchmark],
            samples: baseline.and_then(|layer| SampleSummary::of(values, layer, benchmark)),
            tails: baseline
                .and_then(|layer| tails(values, layer, (benchmark, info), options.confidence)),
            findings: baseline.map_or_else(Vec::new, |layer| findings_of(values, layer, benchmark)),
            cells: (0..others.len()).map(|column| self.cell(benchmark, column)).collect(),
        }
    }

    fn cell(&self, benchmark: usize, column: usize) -> Cell {
        let Analysis { campaign, others, .. } = self.main;
        let layer = others[column];
        let info = &campaign.benchmarks[benchmark];
        let place = CellAddress { layer, name: campaign.layers[layer].name.raw(), benchmark, info };
        let mut made = cell(&place, column, self.main);
        made.figures = self.both.of_cell(benchmark, column);
        made.comments.extend(self.both.apart(benchmark, column));
        made
    }

    fn layer(&self, layer: usize, rows: &[Row]) -> LayerSummary {
        let campaign = self.main.campaign;
        let row = &campaign.layers[layer];
        let boots = || campaign.boots.iter().filter(|boot| boot.layer == layer);
        let column = self.main.others.iter().position(|&other| other == layer);
        let measured = |row: &&Row| {
            column.map_or(row.baseline.is_some(), |column| {
                matches!(row.cells[column].presence, Presence::Measured | Presence::Unpaired)
            })
        };
        LayerSummary {
            name: row.name.clone(),
            kind: row.kind.clone(),
            settings: row.settings.clone(),
            what: identity(campaign, layer).what.into(),
            baseline: column.is_none(),
            swept: swept(campaign, &row.name),
            unavailable: row.unavailable.clone().map(|(why, remedy)| Unavailable { why, remedy }),
            boots: boots().count(),
            failed_boots: boots().filter(|boot| failed(boot)).count(),
            measured: rows.iter().filter(measured).count(),
            notes: notes(campaign, layer),
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
        interrupted_boots: campaign.boots.iter().filter(|boot| boot.cut_off()).count(),
        series: measured().count(),
        samples: measured().map(|row| row.samples.len()).sum(),
    }
}

fn failed(boot: &Boot) -> bool {
    boot.state == BootState::Failed && !boot.cut_off()
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
        scratch: plan.scratch.clone(),
    }
}

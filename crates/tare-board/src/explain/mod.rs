//! Why a ratio is what it is: counts per operation, on the layer and on the baseline.

mod alone;
mod compared;
mod counted;
mod cycles;
mod exits;
mod functions;
mod metrics;
mod outside;
mod real;
mod series;
mod simulated;
mod tried;

pub use alone::{Alone, alone};
pub use functions::Executed;
pub use metrics::{FactorRow, Factors, Metric, Metrics, factors, metrics};
pub use outside::{
    CostPart, Help, KERNEL, Known, LayerCauses, Outside, Processed, Stack, Stretch, layer_causes,
};
pub use tried::{Outcome, Tried, TriedCause, tried};

use crate::board::{Row, Scoreboard};
use crate::predict::{self, Compared};
use counted::Counted;
use serde::Serialize;
use tare_proto::{Machine, Unit, Untrusted};
use tare_store::{Campaign, Counting};

/// What makes up one ratio.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The benchmark.
    pub benchmark: Untrusted,
    /// The layer that is explained.
    pub layer: Untrusted,
    /// What it is divided by.
    pub baseline: Untrusted,
    /// Layer / baseline, as the scoreboard has it.
    pub ratio: f64,
    /// The whole in a few words.
    pub sentence: String,
    /// The prediction of a program's run, where the campaign or another one has prices of its operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<Compared>,
    /// What the host saw of it from outside, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<Outside>,
    /// Whose instructions they are, where a simulated machine counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<Executed>,
    /// The parts.
    pub tables: Vec<Table>,
    /// What the figures rest on, and what is not available.
    pub notes: Vec<String>,
}

impl Explanation {
    /// Who called what, as the host saw it or as a simulated machine counted it; empty where nobody did.
    #[must_use]
    pub fn stacks(&self) -> &[Stack] {
        let seen = self.outside.as_ref().map(|seen| &seen.stacks).filter(|seen| !seen.is_empty());
        seen.or(self.executed.as_ref().map(|counted| &counted.stacks)).map_or(&[], Vec::as_slice)
    }
}

/// Figures of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// What they are, with their unit.
    pub title: String,
    /// Whether the shares of the difference are told.
    pub shares: bool,
    /// One line a figure.
    pub lines: Vec<TableLine>,
}

/// One figure on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableLine {
    /// What it is.
    pub name: Untrusted,
    /// On the baseline.
    pub baseline: f64,
    /// On the layer.
    pub layer: f64,
    /// Its part of the whole difference, in percent.
    pub share: Option<f64>,
}

/// Explains benchmark number `bench` on `layer` (a name); `None` when the scoreboard has no ratio for it. Where the campaign has prices of
/// operations, programs are compared with what these predict.
#[must_use]
pub fn explain(
    campaign: &Campaign,
    board: &Scoreboard,
    bench: usize,
    layer: &str,
) -> Option<Explanation> {
    let own = predict::has_prices(board).then_some((campaign, board));
    explain_beside(campaign, board, own, (bench, layer))
}

/// The same, and programs are compared with what the campaign `prices` predicts of them.
#[must_use]
pub fn explain_beside(
    campaign: &Campaign,
    board: &Scoreboard,
    prices: Option<(&Campaign, &Scoreboard)>,
    (bench, layer): (usize, &str),
) -> Option<Explanation> {
    let name = &campaign.benchmarks.get(bench)?.name;
    let row = board.rows.iter().find(|row| row.benchmark == *name)?;
    let cell = row.cells.iter().find(|cell| cell.layer == layer)?;
    let (ratio, pair) = (cell.ratio?.value, cell.pair?);
    let counted = Counted::of(campaign, bench, layer)?;
    let outside = outside::outside(campaign, board, (bench, row), layer, &pair);
    let parts = if counted.has("kernel/instructions") {
        let subtracted = subtracted(campaign, bench, layer);
        simulated::parts(&counted, &pair, in_instructions(campaign, row), subtracted)
    } else {
        let asked = campaign.plan.counting != Counting::Off;
        real::parts(&counted, row, &pair, outside.is_some(), asked)
    };
    let (benchmark, layer) = (name.clone(), layer.to_owned());
    let Parts { mut sentence, mut tables, mut notes } = parts;
    tables.extend(exits::table(&counted));
    let mut seen = None;
    let is_told = |table: &Table| table.lines.iter().any(|line| line.layer.is_finite());
    if let Some((told, more)) = outside {
        tables.retain(is_told); // the probe's own events do not exist inside of most layers
        tables.splice(0..0, more);
        // The probe counts within the layer, where its kernel lets it; the host counts all of the layer's threads.
        let split = match told.counted_by_processor() {
            Some(counts) => real::split(counts, row, &pair),
            None => Some(sentence).filter(|sentence| sentence != real::NOT_SPLIT),
        };
        let told_and_split = [Some(told.sentence.clone()), split];
        sentence = told_and_split.into_iter().flatten().collect::<Vec<_>>().join(" ");
        notes.splice(0..0, told.notes());
        seen = Some(told);
    }
    let mut parts = Parts { sentence, tables, notes };
    let prediction = prices.and_then(|prices| {
        let runs = outside::runs(campaign, (bench, &layer), &pair);
        let compared = predict::compared((campaign, board), prices, (bench, &layer), &runs)?;
        parts.compare(compared)
    });
    let Parts { sentence, tables, notes } = parts;
    let baseline = board.baseline.clone();
    Some(Explanation {
        benchmark: benchmark.into(),
        layer: layer.into(),
        baseline,
        ratio,
        sentence,
        prediction,
        outside: seen,
        executed: functions::executed(&counted),
        tables,
        notes,
    })
}

/// Whether the row's values are instructions per operation, so that what was counted should sum to them.
fn in_instructions(campaign: &Campaign, row: &Row) -> bool {
    campaign.plan.machine == Machine::Sim && row.unit == Unit::Instructions
}

/// Whether a term was subtracted from the benchmark's samples, on the layer or on the baseline.
fn subtracted(campaign: &Campaign, bench: usize, layer: &str) -> bool {
    let is_one = |at: usize| {
        Some(at) == campaign.baseline() || campaign.layers.get(at).is_some_and(|l| l.name == layer)
    };
    let own = campaign.series.iter().filter(|row| row.benchmark == bench);
    own.filter(|row| campaign.boots.get(row.boot).is_some_and(|boot| is_one(boot.layer)))
        .any(|row| row.subtracted > 0.0)
}

/// What depends on what was counted.
struct Parts {
    sentence: String,
    tables: Vec<Table>,
    notes: Vec<String>,
}

impl Table {
    fn new(title: &str, lines: Vec<TableLine>) -> Table {
        Table { title: title.to_owned(), shares: false, lines }
    }

    /// Tells each line's part of the difference of the `whole`, on the baseline and on the layer, in instructions. One that two boots of the same
    /// layer may have has no parts.
    fn with_shares_of(self, whole: (f64, f64)) -> Table {
        const LEAST: f64 = 0.002;
        let difference = whole.1 - whole.0;
        if difference.abs() < LEAST * whole.0 { self } else { self.with_shares(difference) }
    }

    /// Tells each line's part of `difference`.
    fn with_shares(mut self, difference: f64) -> Table {
        self.shares = true;
        for line in &mut self.lines {
            line.share = (difference != 0.0).then(|| 100.0 * line.added() / difference);
        }
        self
    }
}

impl TableLine {
    fn new(name: &str, (baseline, layer): (f64, f64)) -> TableLine {
        TableLine { name: name.to_owned().into(), baseline, layer, share: None }
    }

    fn added(&self) -> f64 {
        self.layer - self.baseline
    }

    /// Whether there is anything on either side.
    fn is_something(&self) -> bool {
        self.baseline != 0.0 || self.layer != 0.0
    }
}

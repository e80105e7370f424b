//! What a program would take on the layers of a campaign: its counts, multiplied by what the suite `operations` found there.
//! The assumptions are those of [`tare_stats::predict`].

mod busy;
mod compared;
mod held;
mod prices;
mod profile;

pub use compared::has_prices;
pub use compared::{Compared, Kind};
pub(crate) use compared::{SeenRun, SeenRuns, compared};
pub use held::{Held, HeldCpu, Naive, held};
pub use profile::{Printed, Profile};

use crate::board::Scoreboard;
use crate::extras::counted;
use busy::{Busy, Of};
use prices::{GROUPS, NoPrice, Prices};
use serde::Serialize;
use tare_proto::{COMPUTE, OPERATION_ROW, Operation, RESUME, RESUMED, Untrusted};
use tare_stats::{CostModel, CostTerm, ProgramCost};
use tare_store::Campaign;

/// How sure a prediction's interval is.
pub const CONFIDENCE: f64 = 0.9;

/// The suite whose rows are prices.
pub const PRICES: &str = "operations";

/// The kind of layers that translate every instruction.
const TRANSLATES: &str = "qemu";

/// A prediction for every layer of a campaign but its baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The program, as it ran on the baseline.
    pub program: Profile,
    /// The layer that ratios are to.
    pub baseline: Untrusted,
    /// How sure the intervals are.
    pub confidence: f64,
    /// One for each layer, in the campaign's order.
    pub layers: Vec<LayerPrediction>,
}

/// What is predicted for one layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerPrediction {
    /// The layer's name.
    pub layer: Untrusted,
    /// Calls of the program that the layer does not have, and the baseline has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Untrusted>,
    /// The ratio, or why there is none.
    #[serde(flatten)]
    pub outcome: Predicted,
}

/// A prediction, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Predicted {
    /// It is predicted.
    Ratio(Box<Expected>),
    /// The layer's user code is translated, so no one row stands for it.
    Translated,
    /// The campaign lacks prices.
    Unpriced {
        /// The rows that it lacks.
        rows: Vec<Untrusted>,
    },
}

/// A predicted ratio, and what makes it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expected {
    /// Layer / baseline.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The CPU time of the host that all processes of the layer use, layer / baseline; none where nobody sees them.
    pub cpu: Option<Band>,
    /// Every kind of work that costs more or less there, the largest difference first.
    pub terms: Vec<Term>,
    /// Work that the layer has no price for.
    pub unpriced: Vec<Unpriced>,
    /// Programs of the campaign that the prices were fitted by.
    pub programs: usize,
    /// How far off these are when each is predicted from the others: the factor in the middle.
    pub left_out_error: Option<f64>,
}

/// A ratio with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// Layer / baseline.
    pub ratio: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A kind of work, and what it adds on a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// The operation's name, or `user`.
    pub name: Untrusted,
    /// Many of them, in words.
    pub words: String,
    /// How many; none of user time.
    pub count: Option<f64>,
    /// Nanoseconds on the baseline.
    pub baseline_ns: f64,
    /// Nanoseconds on the layer.
    pub layer_ns: f64,
    /// Its part of all that is added, 0 to 1; below 0 where it saves.
    pub share: f64,
}

/// Work that the layer has no price for: it is taken to cost what it costs on the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unpriced {
    /// The row.
    pub row: Untrusted,
    /// How many of them the program makes.
    pub count: f64,
    /// Why the layer has no number for it.
    pub why: Untrusted,
}

/// What `program` would take on every layer of `campaign`. Its own row there, if it has one, is not used.
#[must_use]
pub fn predict(campaign: &Campaign, board: &Scoreboard, program: &Profile) -> Prediction {
    let layers = board.others().map(|layer| LayerPrediction {
        layer: layer.name.clone(),
        lacks: lacking(campaign, layer.name.raw(), program),
        outcome: on_layer(campaign, board, layer.name.raw(), program),
    });
    Prediction {
        program: program.clone(),
        baseline: board.baseline.clone(),
        confidence: CONFIDENCE,
        layers: layers.collect(),
    }
}

/// How the name of a counter begins that says that a layer lacks a call.
const LACKS: &str = "lacks/";

/// The calls of `program` that `layer` lacks and the baseline does not.
fn lacking(campaign: &Campaign, layer: &str, program: &Profile) -> Vec<Untrusted> {
    let found = counted(campaign);
    let lacks = |layer: Option<usize>, call: &str| {
        let is = |key: &(usize, usize, &str)| {
            Some(key.1) == layer && key.2.strip_prefix(LACKS) == Some(call)
        };
        found.keys().any(is)
    };
    let at = campaign.layers.iter().position(|row| row.name == layer);
    let calls = program.calls.iter();
    calls
        .filter(|call| lacks(at, call.raw()) && !lacks(campaign.baseline(), call.raw()))
        .cloned()
        .collect()
}

fn on_layer(campaign: &Campaign, board: &Scoreboard, layer: &str, program: &Profile) -> Predicted {
    if campaign.layers.iter().any(|row| row.name == layer && row.kind == TRANSLATES) {
        return Predicted::Translated;
    }
    let prices = Prices::new(board, layer, Of::Time);
    let priced = Priced::of(&prices, program);
    if !priced.absent.is_empty() {
        return Predicted::Unpriced { rows: priced.absent };
    }
    let busy = Busy::of(campaign, layer);
    let mut known = held::measured(campaign, board, layer, busy.as_ref());
    known.retain(|known| known.program.name != program.name);
    let model = fitted(&prices, known.iter().map(|known| (&known.program, Some(known.ratio))));
    let Some(Band { ratio, low, high }) = band(&model, &prices, &priced, program) else {
        return Predicted::Unpriced { rows: vec![COMPUTE.into()] };
    };
    let cpu = busy.and_then(|busy| {
        let prices = Prices::new(board, layer, Of::Cpu(&busy));
        let model = fitted(&prices, known.iter().map(|known| (&known.program, known.cpu)));
        band(&model, &prices, &Priced::of(&prices, program), program)
    });
    Predicted::Ratio(Box::new(Expected {
        ratio,
        low,
        high,
        cpu,
        terms: priced.terms(&model),
        unpriced: priced.unpriced,
        programs: model.left_out.len(),
        left_out_error: middle(model.left_out.iter().map(|error| error.abs()).collect()),
    }))
}

/// The model of a layer by programs that were measured there, each with its ratio.
fn fitted<'a>(
    prices: &Prices,
    known: impl Iterator<Item = (&'a Profile, Option<f64>)>,
) -> CostModel {
    let cost = |(program, ratio): (&Profile, Option<f64>)| {
        Some((Priced::of(prices, program).cost(prices, program), ratio?))
    };
    let known: Vec<_> = known.filter_map(cost).collect();
    CostModel::fit(GROUPS, &known).unwrap_or_else(|_| CostModel::unfitted(GROUPS))
}

/// What `program` would take, as far as it takes anything.
fn band(model: &CostModel, prices: &Prices, priced: &Priced, program: &Profile) -> Option<Band> {
    let found = model.predict(&priced.cost(prices, program), CONFIDENCE).ok()?;
    Some(Band { ratio: found.ratio, low: found.low, high: found.high })
}

/// The middle one of logarithms of factors, as a factor.
pub(super) fn middle(mut logs: Vec<f64>) -> Option<f64> {
    logs.sort_by(f64::total_cmp);
    let half = logs.len() / 2;
    let middle = if logs.len() % 2 == 1 {
        logs[half]
    } else {
        (logs.get(half.wrapping_sub(1))? + logs[half]) / 2.0
    };
    Some(middle.exp())
}

/// A program's work with its prices on a layer.
struct Priced {
    known: Vec<(Option<&'static Operation>, f64, CostTerm)>,
    unpriced: Vec<Unpriced>,
    /// Rows that the campaign does not have at all.
    absent: Vec<Untrusted>,
}

impl Priced {
    fn of(prices: &Prices, program: &Profile) -> Priced {
        let mut all = Priced { known: Vec::new(), unpriced: Vec::new(), absent: Vec::new() };
        all.take(COMPUTE.to_owned(), None, program.user_ns, prices.user(program.user_ns));
        for &(operation, times) in &program.operations {
            let row = format!("{OPERATION_ROW}{}", operation.name);
            all.take(row, Some(operation), times, prices.operation(operation, times));
        }
        let of = |(operation, times): &(&Operation, f64)| prices.returns(operation, *times);
        let returns = program.operations.iter().map(of).sum::<f64>() + program.unknown;
        if returns > 0.0 && program.user_ns > 0.0 {
            let price = prices.resume(returns, program.user_ns);
            all.take(RESUMED.to_owned(), Some(&RESUME), returns, price);
        }
        all
    }

    fn take(
        &mut self,
        row: String,
        operation: Option<&'static Operation>,
        times: f64,
        price: Result<CostTerm, NoPrice>,
    ) {
        match price {
            Ok(term) => self.known.push((operation, times, term)),
            Err(NoPrice::NotInCampaign) => self.absent.push(row.into()),
            Err(NoPrice::NotOnLayer(why)) => {
                self.unpriced.push(Unpriced { row: row.into(), count: times, why });
            }
        }
    }

    fn cost(&self, prices: &Prices, program: &Profile) -> ProgramCost {
        let terms = self.known.iter().map(|(_, _, term)| *term).collect();
        ProgramCost { native: prices.native(program), terms }
    }

    /// The terms with the model's scales, the largest difference first.
    fn terms(&self, model: &CostModel) -> Vec<Term> {
        let added = |term: &CostTerm| {
            model.scales.get(term.group).copied().unwrap_or(1.0) * (term.layer - term.native)
        };
        let all: f64 = self.known.iter().map(|(_, _, term)| added(term).abs()).sum();
        let each = self.known.iter().map(|(operation, times, term)| Term {
            name: operation.map_or("user", |operation| operation.name).to_owned().into(),
            words: operation.map_or("user code", |operation| operation.words).to_owned(),
            count: operation.map(|_| *times),
            baseline_ns: term.native,
            layer_ns: term.native + added(term),
            share: if all > 0.0 { added(term) / all } else { 0.0 },
        });
        let mut terms: Vec<Term> = each.collect();
        terms.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()));
        terms
    }
}

//! How good predictions are: every program that a campaign has measured is predicted from all others, and compared with what
//! was measured. The naive guess beside it is what one would say without any model.

use super::busy::Busy;
use super::{Band, Predicted, Profile, Term, on_layer};
use crate::board::Scoreboard;
use serde::Serialize;
use tare_proto::{Unit, Untrusted};
use tare_store::Campaign;

/// A program that is predicted and measured on one layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Held {
    /// Its row.
    pub program: Untrusted,
    /// The layer.
    pub layer: Untrusted,
    /// Layer / baseline, as it was measured.
    pub measured: f64,
    /// As it is predicted.
    pub predicted: f64,
    /// Lower end of the prediction's interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The CPU time of the host that it uses there, where that is known.
    pub cpu: Option<HeldCpu>,
    /// The guess without a model.
    pub naive: Naive,
    /// What a run takes on the baseline.
    pub native_ns: f64,
    /// What that is counted in.
    pub unit: Unit,
    /// The baseline's second boot / its first: how far two measurements of the same are apart.
    pub floor: Option<f64>,
    /// What makes the prediction, the largest difference first.
    #[serde(skip)]
    pub terms: Vec<Term>,
}

/// CPU time, layer / baseline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HeldCpu {
    /// As it was measured.
    pub measured: f64,
    /// As it is predicted, with its interval.
    pub predicted: Band,
}

/// The guess that a program takes as much longer as others do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Naive {
    /// The geometric mean of the other programs' ratios; none where there is no other.
    pub ratio: Option<f64>,
}

/// Every program of `campaign` on every layer, predicted without its own measurement.
#[must_use]
pub fn held(campaign: &Campaign, board: &Scoreboard) -> Vec<Held> {
    let mut all = Vec::new();
    for layer in board.others() {
        let busy = Busy::of(campaign, layer.name.raw());
        let known = measured(campaign, board, layer.name.raw(), busy.as_ref());
        for Known { program, ratio, cpu } in &known {
            let Predicted::Ratio(found) = on_layer(campaign, board, layer.name.raw(), program)
            else {
                continue;
            };
            let others = known.iter().filter(|other| other.program.name != program.name);
            let logs: Vec<f64> = others.map(|other| other.ratio.ln()).collect();
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            all.push(Held {
                program: program.name.clone(),
                layer: layer.name.clone(),
                measured: *ratio,
                predicted: found.ratio,
                low: found.low,
                high: found.high,
                cpu: cpu
                    .zip(found.cpu)
                    .map(|(measured, predicted)| HeldCpu { measured, predicted }),
                native_ns: program.native_ns,
                unit: program.unit,
                floor: floor(board, program.name.raw()),
                terms: found.terms,
                naive: Naive { ratio: (!logs.is_empty()).then(|| mean.exp()) },
            });
        }
    }
    all
}

fn floor(board: &Scoreboard, program: &str) -> Option<f64> {
    let row = board.rows.iter().find(|row| row.benchmark == program)?;
    row.floor.as_ref().map(|floor| floor.ratio.value)
}

/// A program that was measured on a layer.
pub(super) struct Known {
    pub program: Profile,
    /// Time, layer / baseline.
    pub ratio: f64,
    /// CPU time of the host, layer / baseline, where it is known.
    pub cpu: Option<f64>,
}

/// The programs of `campaign` that were measured on `layer`, where operations were counted.
pub(super) fn measured(
    campaign: &Campaign,
    board: &Scoreboard,
    layer: &str,
    busy: Option<&Busy>,
) -> Vec<Known> {
    let row = |at: usize| {
        let name = &campaign.benchmarks.get(at)?.name;
        board.rows.iter().find(|row| row.benchmark == *name)
    };
    let native = |at: usize| Some(row(at)?.baseline.as_ref()?.mean);
    let ratio = |at: usize| {
        let cell = row(at)?.cells.iter().find(|cell| cell.layer == layer)?;
        cell.ratio.as_ref().map(|ratio| ratio.value)
    };
    let programs = Profile::all(campaign, native).into_iter();
    programs
        .filter_map(|(at, program)| {
            let ratio = ratio(at)?;
            let cpu = busy.and_then(|busy| Some(ratio * busy.ratio(program.name.raw())?));
            Some(Known { program, ratio, cpu })
        })
        .collect()
}

//! What a sweep says: main effects and two-way interactions of its knobs, the best setting, and curves.
//!
//! The model is `tare_stats::Factorial`, fitted to the logarithms of every block by itself. An effect is then one number a
//! block, and its interval is the t interval of those numbers, exactly as a ratio's is: blocks are the replicates.

mod counted;
mod curves;
mod effects;
mod responses;
mod settings;

use crate::board::{Ratio, Response, Sweep};
use crate::options::Options;
use crate::ratio::floor::Floors;
use crate::value::measured::best;
use crate::value::values::Values;
use counted::Change;
use effects::{Claim, Effects, Fitted, Of};
use responses::Grid;
use tare_stats::{RowInput, VarianceModel, VerdictRules, verdicts_with};
use tare_store::Campaign;

/// Degrees of freedom from which on a contrast is moderated.
const MODERATED_DF: f64 = 4.0;

/// What every swept layer of a campaign says; nothing of a campaign without a sweep.
pub(crate) fn sweeps(
    campaign: &Campaign,
    values: &Values,
    floors: &Floors,
    options: &Options,
) -> Vec<Sweep> {
    let mut claims: Vec<(usize, Claim)> = Vec::new();
    let mut sweeps: Vec<Sweep> = Vec::new();
    let (mut rows, mut counted) = (Vec::new(), Vec::new());
    for (layer, grids) in responses::grids(campaign, values) {
        let design = campaign.plan.sweep.as_ref().map(|sweep| sweep.design).unwrap_or_default();
        let mut sweep = Sweep { layer, design, responses: Vec::new() };
        for grid in grids {
            let (response, own, changes) = response(&grid, campaign, values, options);
            counted.push(changes);
            claims.extend(own.into_iter().map(|claim| (rows.len(), claim)));
            let layer = grid.places.first().map_or(0, |place| place.0);
            rows.push((grid.benchmark, values.bases(layer, grid.benchmark)));
            sweep.responses.push(response);
        }
        sweeps.push(sweep);
    }
    let responses = sweeps.iter_mut().flat_map(|sweep| &mut sweep.responses);
    for (response, shown) in responses.zip(counted::shown(counted, options)) {
        response.counted = shown;
    }
    judge(
        &mut sweeps,
        claims,
        |at| (floors.log_bound(rows[at].0, rows[at].1), rows[at].0),
        campaign,
        options,
    );
    sweeps
}

/// Everything about one benchmark but its verdicts and the counters that are shown, and what these are made from.
fn response(
    grid: &Grid,
    campaign: &Campaign,
    values: &Values,
    options: &Options,
) -> (Response, Vec<Claim>, Vec<Change>) {
    let info = &campaign.benchmarks[grid.benchmark];
    let fitted = Fitted::new(grid);
    let mut found = Effects::default();
    let (mut explained, mut curves, mut why) = (None, Vec::new(), None);
    let mut counted = Vec::new();
    match &fitted {
        Ok(fitted) => {
            found = fitted.effects(grid, options.confidence);
            explained = fitted.explained(grid);
            curves = fitted.curves(grid, options.confidence);
            counted = fitted.counted(grid, values, options.confidence);
        }
        Err(reason) => why = Some(reason.clone().into()),
    }
    let response = Response {
        benchmark: grid.name.clone().into(),
        unit: info.unit,
        better: info.better,
        knobs: grid.knobs.clone(),
        blocks: grid.logs.len(),
        left_out: grid.left_out,
        settings: settings::settings(grid, options.confidence),
        first: grid.first,
        effects: found.effects,
        steps: found.steps,
        interactions: found.interactions,
        explained,
        best: settings::best(grid, info.better, options.confidence),
        curves,
        counted: Vec::new(),
        why,
    };
    (response, found.claims, counted)
}

/// The verdicts of all effects and interactions together: a family of their own, bounded by the floors of their benchmarks.
fn judge(
    sweeps: &mut [Sweep],
    claims: Vec<(usize, Claim)>,
    row: impl Fn(usize) -> (f64, usize),
    campaign: &Campaign,
    options: &Options,
) {
    let input = |(at, claim): &(usize, Claim)| {
        let (floor, benchmark) = row(*at);
        let best = best(campaign.benchmarks[benchmark].better);
        // As in a scoreboard: where a floor is measured and there are enough blocks, or where it seems not to vary at all.
        let enough = floor > 0.0 && claim.interval.df >= MODERATED_DF;
        let moderated = claim.moderated.filter(|_| enough || claim.interval.degenerate);
        let interval = moderated.unwrap_or(claim.interval);
        RowInput { interval, margin: options.margin, floor, best, layer: *at }
    };
    let inputs: Vec<RowInput> = claims.iter().map(input).collect();
    let rules = VerdictRules {
        correction: options.correction,
        alpha: 1.0 - options.confidence,
        // What they share is known from the settings; contrasts of the same values are no sample of variances.
        variance: VarianceModel::PerRow,
    };
    let answers = verdicts_with(&inputs, &rules);
    let mut responses: Vec<&mut Response> =
        sweeps.iter_mut().flat_map(|sweep| &mut sweep.responses).collect();
    for ((at, claim), answer) in claims.iter().zip(answers) {
        let said = crate::ratio::judge::verdict(answer.verdict).0;
        let response = &mut responses[*at];
        match claim.of {
            Of::Effect => response.effects[claim.at].verdict = said,
            Of::Step => response.steps[claim.at].verdict = said,
            Of::Interaction => response.interactions[claim.at].verdict = said,
        }
    }
}

/// Figures that are one logarithm a block, as a ratio: with an interval from two blocks on.
fn ratio_of(logs: &[f64], confidence: f64) -> Option<(Ratio, Option<tare_stats::RatioInterval>)> {
    match tare_stats::ratio_of_logs(logs, confidence) {
        Ok(interval) => Some(((&interval).into(), Some(interval))),
        Err(_) => tare_stats::point_of_logs(logs).ok().map(|point| (point.into(), None)),
    }
}

//! The experiments on sweeps: how often settings that are equal are said to differ, and an effect on the margin to be none.

use crate::contrasts::DesignNoise;
use crate::correct::Correction;
use crate::dist::t_factor;
use crate::estimator::Best;
use crate::experiment::{MARGIN, is_difference, share};
use crate::factorial::{Factorial, Fit};
use crate::goal::{CalibrationRow, Goal};
use crate::input::RowInput;
use crate::ratio::{Parts, RatioInterval};
use crate::rng::Rng;
use crate::simulate::Noise;
use crate::verdict::{VarianceModel, Verdict, VerdictRules, claims};

/// How much a boot of a setting varies: too much for equivalence to be shown, or little enough.
const LOUD: f64 = 0.02;
const QUIET: f64 = 0.006;

/// Whose variance a contrast is tested with.
const WAYS: [(&str, bool); 3] = [
    ("own variances", false),
    ("shrunk towards the other contrasts'", false),
    ("shrunk towards all settings' (default)", true),
];

/// A figure of a fit, and whether it lies on the margin when the first knob's last setting does.
type Contrast = (Box<dyn Fn(&Fit) -> f64>, bool);

/// How often a full design of knobs with so many `levels` makes a false claim: where all settings are equal, and where the first
/// knob's last setting costs exactly the margin. The floor of these rows bounds nothing.
#[must_use]
pub fn sweeps(
    noise: Noise,
    levels: &[usize],
    blocks: usize,
    repeats: usize,
    seed: u64,
) -> Vec<CalibrationRow> {
    let points = points(levels);
    let Ok(model) = Factorial::new(levels, &points, true) else { return Vec::new() };
    let contrasts = contrasts(levels);
    let last = levels[0] - 1;
    let run = |sigma: f64, shift: f64, salt: u64| {
        let mut rng = Rng::new(seed ^ salt);
        let mut counts = [0; WAYS.len()];
        for _ in 0..repeats {
            let boots = noise.boots(sigma, blocks, points.len(), &mut rng);
            let moved = |block: &Vec<f64>| -> Vec<f64> {
                let of = |at: &Vec<usize>| if at[0] == last { shift } else { 0.0 };
                block.iter().zip(&points).map(|(log, at)| log + of(at)).collect()
            };
            let logs: Vec<Vec<f64>> = boots.iter().map(moved).collect();
            for (count, said) in counts.iter_mut().zip(judged(&model, &contrasts, &logs)) {
                *count += usize::from(said.iter().zip(&contrasts).any(|(said, (_, moved))| {
                    let on_margin = *moved && shift > 0.0;
                    if on_margin { *said == Verdict::Equivalent } else { is_difference(*said) }
                }));
            }
        }
        counts
    };
    let names: Vec<String> = levels.iter().map(ToString::to_string).collect();
    let names = names.join(" × ");
    let tables = [
        ("a sweep of equal settings shows any difference", run(LOUD, 0.0, 0x5EE9)),
        (
            "a sweep makes any false claim, one setting on the margin",
            run(QUIET, MARGIN.ln_1p(), 0x5EEA),
        ),
    ];
    let rows = tables.into_iter().flat_map(|(what, counts)| {
        let names = &names;
        counts.into_iter().zip(WAYS).map(move |(count, (way, promised))| CalibrationRow {
            what,
            noise,
            setting: format!("{names} settings; {way}"),
            blocks,
            share: share(count, repeats),
            repeats,
            goal: if promised { Goal::AtMost(0.05) } else { Goal::Reported },
        })
    });
    rows.collect()
}

/// Every combination of levels.
fn points(levels: &[usize]) -> Vec<Vec<usize>> {
    levels.iter().fold(vec![Vec::new()], |points, &of| {
        let longer = |point: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..of).map(|level| [&point[..], &[level]].concat()).collect()
        };
        points.iter().flat_map(longer).collect()
    })
}

/// Everything that is judged of a design: effects, steps from one level to the next, interactions.
fn contrasts(levels: &[usize]) -> Vec<Contrast> {
    let all: Vec<(usize, usize)> = levels
        .iter()
        .enumerate()
        .flat_map(|(knob, of)| (1..*of).map(move |level| (knob, level)))
        .collect();
    let mut found: Vec<Contrast> = Vec::new();
    for &(knob, level) in &all {
        let moved = knob == 0 && level == levels[0] - 1;
        found.push((Box::new(move |fit| fit.effect(knob, level)), moved));
        found.push((
            Box::new(move |fit| fit.effect(knob, level) - fit.effect(knob, level - 1)),
            moved,
        ));
    }
    for &a in &all {
        for &b in all.iter().filter(|b| a.0 < b.0) {
            found.push((Box::new(move |fit| fit.interaction(a, b)), false));
        }
    }
    found
}

/// The verdicts of all contrasts in each of [`WAYS`].
fn judged(
    model: &Factorial,
    contrasts: &[Contrast],
    logs: &[Vec<f64>],
) -> [Vec<Verdict>; WAYS.len()] {
    let fits: Vec<Fit> = logs.iter().filter_map(|block| model.fit(block).ok()).collect();
    let noise = DesignNoise::of(logs).ok();
    let factor = t_factor(0.95, logs.len() as f64 - 1.0);
    let own: Vec<RatioInterval> = contrasts
        .iter()
        .map(|(figure, _)| {
            let values: Vec<f64> = fits.iter().map(figure).collect();
            RatioInterval::with_factor(Parts::of_blocks(&values), 0.95, factor)
        })
        .collect();
    let shared = own.iter().zip(contrasts).map(|(own, (figure, _))| {
        noise.map_or(*own, |noise| noise.moderated(own, model.weight(figure)))
    });
    let shared: Vec<RatioInterval> = shared.collect();
    let ways = [
        (&own, VarianceModel::PerRow),
        (&own, VarianceModel::Auto),
        (&shared, VarianceModel::PerRow),
    ];
    ways.map(|(intervals, variance)| {
        let input = |interval: &RatioInterval| RowInput {
            interval: *interval,
            margin: MARGIN,
            floor: f64::MIN_POSITIVE,
            best: Best::Lowest,
            layer: 0,
        };
        let rows: Vec<RowInput> = intervals.iter().map(input).collect();
        let rules = VerdictRules { correction: Correction::Holm, alpha: 0.05, variance };
        claims(&rows, &rules).iter().map(|answer| answer.verdict).collect()
    })
}

//! The experiments on sweeps: how often settings that are equal are said to differ, and an effect on the margin to be none.

use crate::figure::{Figure, Goal, Simulation};
use crate::judge::{Intervals, MARGIN, is_difference, judged, row};
use tare_stats::rng::Rng;
use tare_stats::{
    DesignNoise, Factorial, Fit, LogRatio, RatioInterval, RowInput, VarianceModel, Verdict,
};

/// How much a boot of a setting varies: too much for equivalence to be shown, or little enough.
const LOUD: f64 = 0.02;
const QUIET: f64 = 0.006;

/// Whose variance a contrast is tested with.
const WAYS: [(&str, bool); 3] = [
    ("own variances", false),
    ("shrunk towards the other contrasts'", false),
    ("shrunk towards all settings' (default)", true),
];

struct Contrast {
    value: Box<dyn Fn(&Fit) -> f64>,
    /// Whether it lies on the margin when the first knob's last setting does.
    moved: bool,
}

/// How often a full design of knobs with so many `levels` makes a false claim: where all settings are equal, and where the first
/// knob's last setting costs exactly the margin. The floor of these rows bounds nothing.
pub fn sweeps(simulation: &Simulation, levels: &[usize]) -> Vec<Figure> {
    let names: Vec<String> = levels.iter().map(ToString::to_string).collect();
    let names = names.join(" × ");
    let points = points(levels);
    let Ok(model) = Factorial::new(levels, &points, true) else { return Vec::new() };
    let contrasts = contrasts(levels);
    let intervals = Intervals::up_to(simulation.blocks);
    let last = levels[0] - 1;
    let run = |what, sigma: f64, shift: f64, salt: u64| {
        let figures = WAYS.map(|(way, promised)| {
            let goal = if promised { Goal::AtMost(0.05) } else { Goal::Reported };
            simulation.figure(what, format!("{names} settings; {way}"), goal)
        });
        let mut rng = Rng::new(simulation.seed ^ salt);
        simulation.count(figures, |_| {
            let mut logs = simulation.noise.boots(sigma, simulation.blocks, points.len(), &mut rng);
            for block in &mut logs {
                let of_last = block.iter_mut().zip(&points).filter(|(_, point)| point[0] == last);
                of_last.for_each(|(log, _)| *log += shift);
            }
            verdicts(&model, &contrasts, &logs, &intervals).map(|verdicts| {
                verdicts.iter().zip(&contrasts).any(|(verdict, contrast)| {
                    let on_margin = contrast.moved && shift > 0.0;
                    if on_margin {
                        *verdict == Verdict::Equivalent
                    } else {
                        is_difference(*verdict)
                    }
                })
            })
        })
    };
    let equal = run("a sweep of equal settings shows any difference", LOUD, 0.0, 0x5EE9);
    let claim = "a sweep makes any false claim, one setting on the margin";
    equal.into_iter().chain(run(claim, QUIET, MARGIN.ln_1p(), 0x5EEA)).collect()
}

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
        found.push(Contrast { value: Box::new(move |fit| fit.effect(knob, level)), moved });
        let step = move |fit: &Fit| fit.effect(knob, level) - fit.effect(knob, level - 1);
        found.push(Contrast { value: Box::new(step), moved });
    }
    for &a in &all {
        for &b in all.iter().filter(|b| a.0 < b.0) {
            let value = Box::new(move |fit: &Fit| fit.interaction(a, b));
            found.push(Contrast { value, moved: false });
        }
    }
    found
}

fn verdicts(
    model: &Factorial,
    contrasts: &[Contrast],
    logs: &[Vec<f64>],
    intervals: &Intervals,
) -> [Vec<Verdict>; WAYS.len()] {
    let fits: Vec<Fit> = logs.iter().filter_map(|block| model.fit(block).ok()).collect();
    let noise = DesignNoise::of(logs).ok();
    let mut own: Vec<RatioInterval> = Vec::new();
    let mut shared: Vec<RatioInterval> = Vec::new();
    for contrast in contrasts {
        let values: Vec<f64> = fits.iter().map(&contrast.value).collect();
        let interval = intervals.interval_of_log(LogRatio::of_blocks(&values));
        own.push(interval);
        shared.push(
            noise.map_or(interval, |noise| {
                noise.moderated(&interval, model.weight(&contrast.value))
            }),
        );
    }
    let ways = [
        (&own, VarianceModel::PerRow),
        (&own, VarianceModel::Auto),
        (&shared, VarianceModel::PerRow),
    ];
    ways.map(|(intervals, variance)| {
        let rows: Vec<RowInput> =
            intervals.iter().map(|interval| row(*interval, f64::MIN_POSITIVE)).collect();
        judged(&rows, variance).iter().map(|answer| answer.verdict).collect()
    })
}

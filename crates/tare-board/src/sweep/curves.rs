//! Curves against knobs whose settings are numbers or follow each other.

use super::effects::Fitted;
use super::ratio_of;
use super::responses::Grid;
use crate::board::{Curve, CurvePoint, Factor};

/// Most curves against one knob: one for each setting of another.
const MOST: usize = 6;

impl Fitted {
    /// The curves against every knob that has two settings or more with a place on an axis.
    pub(super) fn curves(&self, grid: &Grid, confidence: f64) -> Vec<Curve> {
        let mut curves = Vec::new();
        for knob in 0..grid.knobs.len() {
            let Factor { levels, numbers, ordered, .. } = &grid.knobs[knob];
            let places: Vec<f64> = match numbers {
                Some(numbers) => numbers.clone(),
                None if *ordered => (1..=levels.len()).map(|place| place as f64).collect(),
                None => continue,
            };
            if places.len() < 2 {
                continue;
            }
            match self.other(grid, knob) {
                Some(other) => curves.extend((0..grid.knobs[other].levels.len()).map(|level| {
                    self.curve(grid, (knob, &places), Some((other, level)), confidence)
                })),
                None => curves.push(self.curve(grid, (knob, &places), None, confidence)),
            }
        }
        curves
    }

    /// The knob that changes the effect of `knob` most, of those that leave a readable plot.
    fn other(&self, grid: &Grid, knob: usize) -> Option<usize> {
        let few = |other: &usize| (2..=MOST).contains(&grid.knobs[*other].levels.len());
        let others = (0..grid.knobs.len()).filter(|other| *other != knob).filter(few);
        let largest = |other: usize| {
            let of = |a, b| {
                let logs = self.each(grid, |fit| fit.interaction((knob, a), (other, b)));
                logs.iter().sum::<f64>().abs() / logs.len().max(1) as f64
            };
            let levels = |of: usize| 1..grid.knobs[of].levels.len();
            let all = levels(knob).flat_map(|a| levels(other).map(move |b| (a, b)));
            all.map(|(a, b)| of(a, b)).fold(0.0, f64::max)
        };
        others.filter(|_| self.has_pairs()).max_by(|a, b| largest(*a).total_cmp(&largest(*b)))
    }

    fn curve(
        &self,
        grid: &Grid,
        (knob, numbers): (usize, &[f64]),
        at: Option<(usize, usize)>,
        confidence: f64,
    ) -> Curve {
        let place =
            |level: usize| [Some((knob, level)), at].into_iter().flatten().collect::<Vec<_>>();
        let origin: Vec<(usize, usize)> = place(0).into_iter().map(|(knob, _)| (knob, 0)).collect();
        let point = |(level, &x): (usize, &f64)| {
            let logs = self.each(grid, |fit| fit.mean(&place(level)) - fit.mean(&origin));
            Some(CurvePoint { x, ratio: ratio_of(&logs, confidence)?.0 })
        };
        let mut points: Vec<CurvePoint> = numbers.iter().enumerate().filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Curve { knob, at, points }
    }
}

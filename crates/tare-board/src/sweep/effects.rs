//! Main effects and interactions of one grid: one number a block each.

use super::ratio_of;
use super::responses::Grid;
use crate::board::{Effect, Explained, Interaction, Ratio, Verdict};
use tare_stats::{DesignNoise, Factorial, Fit, RatioInterval};

/// All that a model says of a grid, without verdicts.
#[derive(Default)]
pub(super) struct Effects {
    pub(super) effects: Vec<Effect>,
    pub(super) steps: Vec<Effect>,
    pub(super) interactions: Vec<Interaction>,
    /// What the verdicts are made from.
    pub(super) claims: Vec<Claim>,
}

/// Which list of a response an entry is in.
pub(super) enum Of {
    Effect,
    Step,
    Interaction,
}

/// What a verdict is made from, and where it belongs.
pub(super) struct Claim {
    pub(super) of: Of,
    pub(super) at: usize,
    pub(super) interval: RatioInterval,
    /// The same with what all settings vary by, where they can tell.
    pub(super) moderated: Option<RatioInterval>,
}

/// A figure of the fits, one a block.
struct Contrast {
    logs: Vec<f64>,
    /// How much more it varies than one setting.
    weight: f64,
    noise: Option<DesignNoise>,
}

/// The models of a grid.
pub(super) struct Fitted {
    /// What the settings vary by.
    noise: Option<DesignNoise>,
    alone: Factorial,
    /// With interactions, where the settings can tell them apart and there are two knobs.
    pairs: Option<Factorial>,
}

impl Fitted {
    /// # Errors
    /// Why the effects of the knobs cannot be told apart.
    pub(super) fn new(grid: &Grid) -> Result<Fitted, String> {
        let levels: Vec<usize> = grid.knobs.iter().map(|knob| knob.levels.len()).collect();
        let varied = levels.iter().filter(|levels| **levels > 1).count();
        if varied == 0 {
            return Err("no knob has two settings with a value".into());
        }
        let model = |pairs| Factorial::new(&levels, &grid.points, pairs);
        let alone = model(false).map_err(|error| error.to_string())?;
        let noise = DesignNoise::of(&grid.logs).ok();
        Ok(Fitted { noise, alone, pairs: (varied > 1).then(|| model(true).ok()).flatten() })
    }

    /// The model with interactions, or else without.
    fn model(&self) -> &Factorial {
        self.pairs.as_ref().unwrap_or(&self.alone)
    }

    /// What `figure` says of each block's fit.
    pub(super) fn each(&self, grid: &Grid, figure: impl Fn(&Fit) -> f64) -> Vec<f64> {
        self.each_of(&grid.logs, figure)
    }

    /// The same of other values, one a setting in each block.
    pub(super) fn each_of(&self, blocks: &[Vec<f64>], figure: impl Fn(&Fit) -> f64) -> Vec<f64> {
        let fits = blocks.iter().filter_map(|values| self.model().fit(values).ok());
        fits.map(|fit| figure(&fit)).collect()
    }

    /// Whether there are interactions.
    pub(super) fn has_pairs(&self) -> bool {
        self.pairs.is_some()
    }

    /// All effects, steps and interactions.
    pub(super) fn effects(&self, grid: &Grid, confidence: f64) -> Effects {
        let mut found = Effects::default();
        let verdict = Verdict::None; // until all are judged together
        let all: Vec<(usize, usize)> = (0..grid.knobs.len())
            .flat_map(|knob| (1..grid.knobs[knob].levels.len()).map(move |level| (knob, level)))
            .collect();
        for &(knob, level) in &all {
            let effect = move |fit: &Fit| fit.effect(knob, level);
            if let Some(ratio) = found.claim(Of::Effect, &self.contrast(grid, effect), confidence) {
                found.effects.push(Effect { knob, level, ratio, verdict });
            }
            let step = move |fit: &Fit| fit.effect(knob, level) - fit.effect(knob, level - 1);
            if grid.knobs[knob].ordered
                && let Some(ratio) = found.claim(Of::Step, &self.contrast(grid, step), confidence)
            {
                found.steps.push(Effect { knob, level, ratio, verdict });
            }
        }
        let pairs = all.iter().flat_map(|a| all.iter().map(move |b| (*a, *b)));
        for (a, b) in pairs.filter(|(a, b)| self.has_pairs() && a.0 < b.0) {
            let of = self.contrast(grid, |fit| fit.interaction(a, b));
            if let Some(ratio) = found.claim(Of::Interaction, &of, confidence) {
                let (knobs, levels) = ([a.0, b.0], [a.1, b.1]);
                found.interactions.push(Interaction { knobs, levels, ratio, verdict });
            }
        }
        found
    }

    /// What `figure` says of each block's fit, and how it is tested.
    fn contrast(&self, grid: &Grid, figure: impl Fn(&Fit) -> f64) -> Contrast {
        let weight = self.model().weight(&figure);
        Contrast { logs: self.each(grid, figure), weight, noise: self.noise }
    }

    /// How much the models explain of the settings' means over the blocks; `None` when they do not differ.
    pub(super) fn explained(&self, grid: &Grid) -> Option<Explained> {
        let blocks = grid.logs.len() as f64;
        let mean = |at| grid.logs.iter().map(|logs| logs[at]).sum::<f64>() / blocks;
        let means: Vec<f64> = (0..grid.points.len()).map(mean).collect();
        let part = |model: &Factorial| model.fit(&means).ok()?.explained;
        Some(Explained { alone: part(&self.alone)?, pairs: self.pairs.as_ref().and_then(part) })
    }
}

impl Effects {
    /// The ratio of the next entry `of` a list, which is to be judged if it has an interval.
    fn claim(&mut self, of: Of, contrast: &Contrast, confidence: f64) -> Option<Ratio> {
        let (ratio, interval) = ratio_of(&contrast.logs, confidence)?;
        let at = match of {
            Of::Effect => self.effects.len(),
            Of::Step => self.steps.len(),
            Of::Interaction => self.interactions.len(),
        };
        self.claims.extend(interval.map(|interval| {
            let shared = |noise: DesignNoise| noise.moderated(&interval, contrast.weight);
            Claim { of, at, interval, moderated: contrast.noise.map(shared) }
        }));
        Some(ratio)
    }
}

//! How long a sweep takes, said before it begins.

use super::design;
use crate::policy::{Length, Policy};
use crate::usage::wrong_usage;
use anyhow::Result;
use std::time::Duration;
use tare_store::{Design, Sweep, Turned};

/// A sweep of more layers than this is asked about.
const MANY: usize = 32;

/// Blocks that a budget should hold.
const BLOCKS: u32 = 5;

pub struct Cost {
    pub policy: &'static Policy,
    pub layers: usize,
    /// Rows, loads included.
    pub rows: usize,
    pub length: Length,
}

impl Cost {
    /// About how long it takes with so many layers: trials, and blocks with the baseline's second boot.
    fn time(&self, layers: usize) -> Duration {
        let Policy { boot_cost_s, row_cost_s, .. } = *self.policy;
        let block = (layers as f64 + 1.0) * (boot_cost_s + self.rows as f64 * row_cost_s);
        let measuring = match self.length {
            Length::Blocks(blocks) => block * f64::from(blocks),
            Length::Budget(budget) => budget.as_secs_f64().max(block),
        };
        Duration::from_secs_f64((layers as f64 * boot_cost_s + measuring).min(1e9))
    }
}

/// Refuses a sweep of many layers unless that is meant (`yes`), with what it would take and what smaller designs would.
pub fn check(sweep: Option<&Sweep>, cost: &Cost, yes: bool) -> Result<()> {
    let Some(sweep) = sweep.filter(|sweep| sweep.layers.len() > MANY && !yes) else {
        return Ok(());
    };
    let others = cost.layers - sweep.layers.len();
    let said = |design| {
        let layers = layers(sweep, design);
        let time = rounded(cost.time(layers as usize + others));
        format!("{layers} layers, about {time}")
    };
    let smaller = [Design::Fractional, Design::OneAtATime].into_iter();
    let smaller = smaller.filter(|design| layers(sweep, *design) < sweep.layers.len() as u64);
    let smaller: Vec<String> =
        smaller.map(|design| format!("--design {design} ({})", said(design))).collect();
    let instead =
        if smaller.is_empty() { String::new() } else { format!("; or {}", smaller.join(", ")) };
    let blocks = match cost.length {
        Length::Blocks(n) => format!("{n} blocks"),
        Length::Budget(_) => format!("at least {BLOCKS} blocks if there is time"),
    };
    wrong_usage!(
        "this sweep is large: {} in {blocks}, each with {} rows; --yes runs it{instead}",
        said(sweep.design),
        cost.rows
    )
}

/// How many layers a design would make of the sweep's knobs.
fn layers(sweep: &Sweep, with: Design) -> u64 {
    let mut of: Vec<(&str, Vec<usize>)> = Vec::new();
    for knob in &sweep.knobs {
        let Turned::Layer(layer) = &knob.of else { continue };
        match of.iter_mut().find(|(name, _)| name == layer) {
            Some((_, levels)) => levels.push(knob.values.len()),
            None => of.push((layer.raw(), vec![knob.values.len()])),
        }
    }
    of.iter().map(|(_, levels)| design::size(with, levels).unwrap_or(u64::MAX)).sum()
}

/// In whole minutes.
fn rounded(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60).max(1);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::REAL;
    use tare_store::{Knob, SweptLayer};

    fn sweep(levels: &[usize]) -> Sweep {
        let values = |n: usize| (0..n).map(|v| v.to_string().into()).collect();
        let of = || Turned::Layer("uml".into());
        let knobs = levels.iter().map(|&n| Knob {
            name: "k".into(),
            of: of(),
            values: values(n),
            ordered: false,
        });
        let points = design::points(Design::Full, levels).into_iter();
        let layer = |levels| SweptLayer { name: "l".into(), of: "uml".into(), levels };
        Sweep { design: Design::Full, knobs: knobs.collect(), layers: points.map(layer).collect() }
    }

    #[test]
    fn many_layers_are_asked_about_with_their_time() {
        let cost = |layers, blocks: Option<u32>| {
            let length = blocks.map_or(REAL.length, Length::Blocks);
            Cost { policy: &REAL, layers, rows: 4, length }
        };
        let large = sweep(&[3, 3, 4]);
        let refused = check(Some(&large), &cost(37, Some(3)), false).unwrap_err().to_string();
        // 37 trials of 2 s, and 3 × 38 boots of 4 s.
        assert!(
            refused.contains("36 layers, about 9 min in 3 blocks, each with 4 rows; --yes"),
            "{refused}"
        );
        assert!(refused.contains("--design fractional (12 layers, about 4 min)"), "{refused}");
        assert!(refused.contains("--design one-at-a-time (8 layers, about 3 min)"), "{refused}");
        assert!(check(Some(&large), &cost(37, Some(3)), true).is_ok());
        assert!(check(Some(&sweep(&[4, 8])), &cost(33, None), false).is_ok());
        assert!(check(None, &cost(400, None), false).is_ok());
        let budgeted = check(Some(&large), &cost(37, None), false).unwrap_err().to_string();
        assert!(budgeted.contains("36 layers, about 7 min"), "{budgeted}");
    }
}

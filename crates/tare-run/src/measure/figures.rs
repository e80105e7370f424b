//! Sums, differences and choices of what windows showed.

use std::collections::BTreeMap;
use tare_observe::Figures;
use tare_proto::outside::WHOLE;

/// Adds figures of the same kind.
pub(super) fn add(all: &mut Figures, more: Figures) {
    more.into_iter().for_each(|(name, value)| *all.entry(name).or_default() += value);
}

/// Keeps what was disturbed less.
pub(super) fn keep_shorter(best: &mut Figures, told: Figures) {
    let took = |figures: &Figures| figures.get(WHOLE).copied().unwrap_or(f64::INFINITY);
    if took(&told) < took(best) {
        *best = told;
    }
}

/// The same of one of `many`.
pub(super) fn each(figures: Figures, many: f64) -> Figures {
    figures.into_iter().map(|(name, value)| (name, value / many)).collect()
}

/// What the longer turn has more than the shorter one.
pub(super) fn difference(long: &Figures, short: &Figures) -> Figures {
    let names: BTreeMap<&String, ()> = long.keys().chain(short.keys()).map(|n| (n, ())).collect();
    let of = |figures: &Figures, name: &str| figures.get(name).copied().unwrap_or(0.0);
    names.into_keys().map(|name| (name.clone(), of(long, name) - of(short, name))).collect()
}

//! From a campaign to grids: for each swept layer and benchmark the settings of the knobs, and in every block a logarithm for
//! each of them.

use crate::board::Factor;
use crate::ratio::cell::mean_over_blocks;
use crate::value::measured::Operation;
use crate::value::values::Values;
use std::collections::BTreeMap;
use tare_proto::{BenchInfo, Untrusted, name_and_load};
use tare_store::{Campaign, Knob, Sweep, Turned};

/// Most settings of one grid: a campaign of tare's own has fewer, and a foreign one must not take all memory.
const MOST: usize = 4096;

/// One benchmark over the settings of the knobs of one layer.
pub(super) struct Grid {
    /// The benchmark, without what is a knob.
    pub(super) name: String,
    /// Its first row in the campaign.
    pub(super) benchmark: usize,
    pub(super) knobs: Vec<Factor>,
    /// The settings that were measured: the level of each knob. The first is what the others are divided by.
    pub(super) points: Vec<Vec<usize>>,
    /// Where each setting was measured: a layer and a row of the campaign.
    pub(super) places: Vec<(usize, usize)>,
    /// The blocks that have every setting.
    pub(super) blocks: Vec<u32>,
    /// By whole block and setting: the logarithm of its value over the first setting's.
    pub(super) logs: Vec<Vec<f64>>,
    /// Blocks that lack a setting.
    pub(super) left_out: usize,
    /// The first setting's geometric mean.
    pub(super) first: Option<f64>,
}

/// A swept layer's settings: the campaign's layer that each is, and the level of every knob of a layer.
type Settings = Vec<(usize, Vec<usize>)>;

/// A place to look for a value: a layer and a row, and the level of each knob there.
struct Place {
    layer: usize,
    row: usize,
    levels: Vec<usize>,
}

/// The grids of every swept layer.
pub(super) fn grids(campaign: &Campaign, values: &Values) -> Vec<(Untrusted, Vec<Grid>)> {
    let Some(sweep) = &campaign.plan.sweep else { return Vec::new() };
    let grids = |(layer, at): (Untrusted, Settings)| {
        let own: Vec<&Knob> = sweep.knobs.iter().filter(|knob| turns(knob, &layer)).collect();
        let grids = families(campaign, sweep).into_iter();
        let grids = grids.filter_map(|family| grid(values, &own, &at, &family)).collect();
        (layer, grids)
    };
    layers(campaign, sweep).into_iter().map(grids).collect()
}

fn turns(knob: &Knob, layer: &Untrusted) -> bool {
    matches!(&knob.of, Turned::Layer(name) if name == layer)
}

/// The swept layers, each with the campaign's layers that are its settings. Where no layer has a knob, every layer is swept over
/// loads and sizes.
fn layers(campaign: &Campaign, sweep: &Sweep) -> Vec<(Untrusted, Settings)> {
    let mut found: Vec<(Untrusted, Settings)> = Vec::new();
    for (at, layer) in campaign.layers.iter().enumerate() {
        let own = sweep.layers.iter().find(|swept| swept.name == layer.name);
        let (of, levels) = match own {
            Some(swept) => (&swept.of, swept.levels.clone()),
            None if sweep.layers.is_empty() => (&layer.name, Vec::new()),
            None => continue,
        };
        match found.iter_mut().find(|(name, _)| name == of) {
            Some((_, settings)) => settings.push((at, levels)),
            None => found.push((of.clone(), vec![(at, levels)])),
        }
    }
    found
}

/// Rows that differ in nothing but knobs.
struct Family<'a> {
    name: String,
    knobs: Vec<&'a Knob>,
    /// Each row, and its level of every knob.
    rows: Vec<(usize, Vec<usize>)>,
}

fn families<'a>(campaign: &Campaign, sweep: &'a Sweep) -> Vec<Family<'a>> {
    let mut found: Vec<Family> = Vec::new();
    for (row, bench) in campaign.benchmarks.iter().enumerate() {
        let (name, placed) = placed(bench, sweep);
        let (knobs, levels): (Vec<&Knob>, Vec<usize>) = placed.into_iter().unzip();
        match found.iter_mut().find(|family| family.name == name) {
            Some(family) => family.rows.push((row, levels)),
            None => found.push(Family { name, knobs, rows: vec![(row, levels)] }),
        }
    }
    found
}

/// A row's name without its knobs, and where it stands on each.
fn placed<'a>(bench: &BenchInfo, sweep: &'a Sweep) -> (String, Vec<(&'a Knob, usize)>) {
    let (mut name, mut places) = (bench.name.clone(), Vec::new());
    for knob in &sweep.knobs {
        let found = match &knob.of {
            Turned::Layer(_) => None,
            Turned::Load if bench.load.is_empty() => None,
            Turned::Load => {
                let (stem, load) = name_and_load(&name);
                let level = knob.values.iter().position(|value| value.raw().parse() == Ok(load));
                level.map(|level| (stem.to_owned(), level))
            }
            Turned::Size(family) => of_size(&name, family.raw(), &knob.values),
        };
        if let Some((stem, level)) = found {
            name = stem;
            places.push((knob, level));
        }
    }
    (name, places)
}

/// `disk/read_64k@4` without the size, and which of `sizes` that is.
fn of_size(name: &str, family: &str, sizes: &[Untrusted]) -> Option<(String, usize)> {
    let (plain, load) =
        name.split_once('@').map_or((name, ""), |(plain, _)| (plain, &name[plain.len()..]));
    let (stem, size) = plain.strip_prefix(family)?.strip_prefix('/')?.rsplit_once('_')?;
    let level = sizes.iter().position(|own| own == size)?;
    Some((format!("{family}/{stem}{load}"), level))
}

/// `None` when no block has two settings.
fn grid(
    values: &Values,
    own: &[&Knob],
    layers: &[(usize, Vec<usize>)],
    family: &Family,
) -> Option<Grid> {
    let knobs: Vec<&Knob> = own.iter().chain(&family.knobs).copied().collect();
    let mut places: Vec<Place> = Vec::new();
    for (layer, levels) in layers {
        for (row, of_row) in &family.rows {
            let levels = [levels.as_slice(), of_row].concat();
            let sound = levels.len() == knobs.len()
                && levels.iter().zip(&knobs).all(|(level, knob)| *level < knob.values.len());
            if sound && mean(values, *layer, *row).is_some() {
                places.push(Place { layer: *layer, row: *row, levels });
            }
        }
    }
    places.sort_by(|a, b| a.levels.cmp(&b.levels));
    if places.len() < 2 || places.len() > MOST {
        return None;
    }
    let origin = places.iter().map(|place| place.row).min()?;
    let (blocks, logs, left_out) = logs(values, &places, origin);
    let first = mean(values, places[0].layer, places[0].row);
    let (places, mut points): (Vec<(usize, usize)>, Vec<Vec<usize>>) =
        places.into_iter().map(|place| ((place.layer, place.row), place.levels)).unzip();
    let knobs = factors(&knobs, &mut points);
    let benchmark = family.rows.first()?.0;
    (!logs.is_empty()).then(|| Grid {
        name: family.name.clone(),
        benchmark,
        knobs,
        points,
        places,
        blocks,
        logs,
        left_out,
        first,
    })
}

/// The geometric mean over the blocks, whose interval nobody asks for.
fn mean(values: &Values, layer: usize, row: usize) -> Option<f64> {
    mean_over_blocks(values, layer, row, 0.95).map(|mean| mean.mean)
}

/// The whole blocks and their logarithms, and how many blocks are not whole.
fn logs(values: &Values, places: &[Place], origin: usize) -> (Vec<u32>, Vec<Vec<f64>>, usize) {
    let mut left_out = 0;
    let (mut blocks, mut whole) = (Vec::new(), Vec::new());
    for &block in &values.blocks {
        let of = |place: &Place| log(values, block, place, origin);
        let found: Vec<Option<f64>> = places.iter().map(of).collect();
        match found.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(logs) => {
                blocks.push(block);
                whole.push(logs.iter().map(|log| log - logs[0]).collect());
            }
            None if found.iter().any(Option::is_some) => left_out += 1,
            None => {}
        }
    }
    (blocks, whole, left_out)
}

/// The logarithm of what a layer has in a row over what the baseline has in the row `origin`: the ratio to the baseline in the
/// same row, which turns make exact, times how far the baseline's own rows are apart.
fn log(values: &Values, block: u32, place: &Place, origin: usize) -> Option<f64> {
    let base = |row| Some(values.value(block, values.baseline?, row)?.ln());
    let ratio = match Some(place.layer) == values.baseline {
        true => 0.0,
        false => values.log_ratio(block, place.layer, place.row, Operation::Corrected)?,
    };
    Some(ratio + base(place.row)? - base(origin)?)
}

/// The knobs with the levels that are left, to which `points` are renumbered. A knob that is left with one has no effect, but
/// still says what was set.
fn factors(knobs: &[&Knob], points: &mut [Vec<usize>]) -> Vec<Factor> {
    let mut factors = Vec::new();
    for (at, knob) in knobs.iter().enumerate() {
        let mut used: Vec<usize> = points.iter().map(|point| point[at]).collect();
        used.sort_unstable();
        used.dedup();
        let place: BTreeMap<usize, usize> = used.iter().copied().zip(0..).collect();
        points.iter_mut().for_each(|point| point[at] = place[&point[at]]);
        let levels: Vec<Untrusted> = used.iter().map(|level| knob.values[*level].clone()).collect();
        let numbers = levels.iter().map(|level| number(level.raw())).collect();
        let ordered = knob.ordered;
        factors.push(Factor { name: knob.name.clone(), levels, numbers, ordered });
    }
    factors
}

/// A setting as a number: `32`, `0.5`, `64k`, `512M`.
fn number(text: &str) -> Option<f64> {
    const SIZES: [(char, f64); 4] =
        [('k', 1024.0), ('m', 1_048_576.0), ('g', 1_073_741_824.0), ('t', 1_099_511_627_776.0)];
    let last = text.chars().last()?.to_ascii_lowercase();
    let (digits, factor) = match SIZES.iter().find(|(name, _)| *name == last) {
        Some((_, factor)) => (&text[..text.len() - 1], *factor),
        None => (text, 1.0),
    };
    let plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let value = digits.parse::<f64>().ok().filter(|value| plain && value.is_finite())?;
    Some(value * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_numbers_where_they_look_like_it() {
        assert_eq!(
            ["0", "64k", "1.5", "2G"].map(number),
            [Some(0.0), Some(65536.0), Some(1.5), Some(2147483648.0)]
        );
        assert_eq!(["off", "", "-", "1e9", "nan", "inf", "k", "٣"].map(number), [None; 8]);
    }

    #[test]
    fn a_size_is_part_of_a_name_only_in_its_family() {
        let sizes = ["4k", "64k"].map(Untrusted::from);
        assert_eq!(of_size("disk/read_64k@4", "disk", &sizes), Some(("disk/read@4".into(), 1)));
        assert_eq!(of_size("disk/read_64k", "disk", &sizes), Some(("disk/read".into(), 1)));
        assert_eq!(of_size("net/read_64k", "disk", &sizes), None);
        assert_eq!(of_size("disk/read_1m", "disk", &sizes), None);
        assert_eq!(of_size("disk/plain", "disk", &sizes), None);
    }
}

//! Load curves: the rows of one benchmark at several loads, as throughput and as efficiency; of a service at several rates, as its
//! latency.

use crate::board::{Mean, Row, Scoreboard};
use crate::suite::service;
use tare_proto::{Better, Unit, name_and_load, throughput};

/// What one layer does under growing load.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCurve {
    /// Index of the layer in the campaign.
    pub layer: usize,
    /// What a point's value counts; nanoseconds are the latency at a rate.
    pub unit: Unit,
    /// By load, upwards.
    pub points: Vec<LoadPoint>,
}

/// A load and what was done under it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadPoint {
    /// Users, or copies that run at once.
    pub load: f64,
    /// What was done: throughput in the benchmark's unit, or for times operations of all copies a second; or the latency.
    pub value: f64,
    /// Its confidence interval, when there are blocks enough.
    pub ci: Option<(f64, f64)>,
}

/// The rows of one benchmark that was measured at two loads or more.
pub struct Family<'a> {
    /// The benchmark without a load.
    pub name: &'a str,
    /// By load, upwards: the load and the row's place on the board.
    pub rows: Vec<(u32, usize)>,
    /// The unit of its throughput, or of its latency.
    pub unit: Unit,
}

/// Every benchmark with a curve, in the board's order.
pub fn families(board: &Scoreboard) -> Vec<Family<'_>> {
    let mut found: Vec<Family> = Vec::new();
    for (at, row) in board.rows.iter().enumerate() {
        let (name, load) = name_and_load(row.benchmark.raw());
        let Some(unit) = unit(row) else { continue };
        match found.iter_mut().find(|family| family.name == name) {
            Some(family) => family.rows.push((load, at)),
            None => found.push(Family { name, rows: vec![(load, at)], unit }),
        }
    }
    found.retain(|family| family.rows.len() > 1);
    found.iter_mut().for_each(|family| family.rows.sort_unstable());
    found
}

/// By row: whether it is at the smallest load of its benchmark that was measured. Only these are in a geometric mean.
pub fn plain<'a>(names: impl Iterator<Item = &'a str>) -> Vec<bool> {
    let names: Vec<(&str, u32)> = names.map(name_and_load).collect();
    let least = |name: &str| names.iter().filter(|(n, _)| *n == name).map(|(_, load)| *load).min();
    names.iter().map(|(name, load)| least(name) == Some(*load)).collect()
}

/// What a row's throughput counts: its own unit where higher is better, operations of all copies a second for times. Requests at a rate
/// that is given have a latency.
fn unit(row: &Row) -> Option<Unit> {
    match (row.better, row.unit) {
        (Better::Higher, unit) => Some(unit),
        (Better::Lower, Unit::Nanoseconds) if service::is_row(row) => Some(Unit::Nanoseconds),
        (Better::Lower, Unit::Nanoseconds) if !row.by_host => Some(Unit::PerSecond),
        _ => None,
    }
}

/// A row's mean at a load, as a latency or as throughput.
fn point(row: &Row, load: u32, mean: &Mean) -> LoadPoint {
    let half = mean.ci_width_percent.map(|width| mean.mean * width / 200.0);
    if service::is_row(row) {
        let ci = half.map(|half| (mean.mean - half, mean.mean + half));
        return LoadPoint { load: f64::from(load), value: mean.mean, ci };
    }
    let done = |value: f64| throughput(row.better, load, value);
    let ends = half.map(|half| (done(mean.mean - half), done(mean.mean + half)));
    let ci = match row.better {
        Better::Higher => ends,
        Better::Lower => ends.map(|(most, least)| (least, most)).filter(|(_, most)| *most > 0.0),
    };
    LoadPoint { load: f64::from(load), value: done(mean.mean), ci }
}

/// The curve of `layer` (its place in the campaign), as far as it was measured.
pub fn curve(board: &Scoreboard, family: &Family, layer: usize) -> LoadCurve {
    let column = board.layers[..layer].iter().filter(|layer| !layer.baseline).count();
    let mean = |row: &Row| match board.layers[layer].baseline {
        true => row.baseline,
        false => row.cells.get(column).and_then(|cell| cell.mean),
    };
    let rows = family.rows.iter().map(|(load, at)| (*load, &board.rows[*at]));
    let points = rows.filter_map(|(load, row)| Some(point(row, load, &mean(row)?)));
    LoadCurve { layer, unit: family.unit, points: points.filter(|p| p.value.is_finite()).collect() }
}

impl LoadCurve {
    /// What was done at `point` as a part of as many times what was done at the smallest load.
    /// A latency has none.
    pub fn efficiency(&self, point: &LoadPoint) -> Option<f64> {
        let first = self.points.first().filter(|_| !self.is_latency())?;
        Some(point.value / first.value * first.load / point.load)
    }

    /// Whether its values are latencies at rates.
    pub fn is_latency(&self) -> bool {
        self.unit == Unit::Nanoseconds
    }

    /// The smallest load at which most was done.
    pub fn peak(&self) -> Option<f64> {
        if self.is_latency() {
            return None;
        }
        let most = self.points.iter().rev().max_by(|a, b| a.value.total_cmp(&b.value))?;
        Some(most.load)
    }

    /// AIM's crossover: the smallest load at which no more jobs a minute are done than there are users.
    pub fn crossover(&self, unit: Unit) -> Option<f64> {
        let crossed = self.points.iter().find(|point| point.value <= point.load);
        crossed.filter(|_| unit == Unit::PerMinute).map(|point| point.load)
    }
}

//! Whether a campaign of the simulated machine was repeated: every series and every boot of its record beside the same of a second run,
//! bit by bit.

use serde::Serialize;
use std::collections::HashMap;
use tare_proto::{Counter, Untrusted};
use tare_store::{Boot, Campaign, Role, SeriesRow};

/// What a record and its repetition have in common.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Repetition {
    /// Series of the record.
    pub series: usize,
    /// Those of them that are the same.
    pub same_series: usize,
    /// Boots of the record whose probe greeted, the last attempt of each.
    pub boots: usize,
    /// Those of them whose probe began at the same instant of the guest's clock, in the same attempt.
    pub same_boots: usize,
    /// The first difference of each boot and of each series that is not the same.
    pub differences: Vec<Unequal>,
}

/// The first difference of a boot, or of one of its series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unequal {
    /// Counted from 0.
    pub block: u32,
    /// The layer's name.
    pub layer: Untrusted,
    /// Why it was booted.
    pub role: Role,
    /// The benchmark; `None` of a boot.
    pub benchmark: Option<String>,
    /// What differs, as the database calls it: `samples[3]`, `counter kernel/instructions`, `main_ns`.
    pub what: String,
    /// What the record has: a number with all its digits, or `none`.
    pub recorded: String,
    /// What the repetition has.
    pub repeated: String,
}

impl Repetition {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.differences.is_empty()
    }
}

/// What an [`Unequal`] is made of: what differs, in the record, in the repetition.
type Apart = (String, String, String);

/// A boot within a campaign, whatever the order of its layers.
type Place<'a> = (u32, &'a str, Role);

/// Compares what `recorded` holds with `repeated`. What a second run has beyond that counts as a difference, unless the record's block was
/// cut off.
#[must_use]
pub fn repetition(recorded: &Campaign, repeated: &Campaign) -> Repetition {
    let mut found = Repetition::default();
    let [before, after] = [recorded, repeated].map(boots);
    for (place, boot) in &before {
        found.boots += 1;
        let apart = boot_apart(boot, after.get(place).copied());
        found.same_boots += usize::from(apart.is_none());
        found.differences.extend(apart.map(|apart| unequal(*place, None, apart)));
    }
    let [before, after] = [recorded, repeated].map(series);
    for (&(place, benchmark), row) in &before {
        found.series += 1;
        let apart = series_apart(row, after.get(&(place, benchmark)).copied());
        found.same_series += usize::from(apart.is_none());
        found.differences.extend(apart.map(|apart| unequal(place, Some(benchmark), apart)));
    }
    for (&(place, benchmark), row) in &after {
        if !before.contains_key(&(place, benchmark)) && !recorded.open_blocks.contains(&place.0) {
            let apart = ("series".into(), NONE.into(), format!("{:?}", row.outcome));
            found.differences.push(unequal(place, Some(benchmark), apart));
        }
    }
    let place = |one: &Unequal| (one.block, one.layer.clone(), one.role, one.benchmark.clone());
    found.differences.sort_by_key(place);
    found
}

/// What is not there.
const NONE: &str = "none";

/// The boots whose probe greeted, the last attempt of each.
fn boots(campaign: &Campaign) -> HashMap<Place<'_>, &Boot> {
    let greeted = campaign.boots.iter().filter(|boot| boot.hello.is_some());
    greeted.map(|boot| (place(campaign, boot), boot)).collect()
}

fn series(campaign: &Campaign) -> HashMap<(Place<'_>, &str), &SeriesRow> {
    let of = |row| (place_of(campaign, row), campaign.benchmarks[row.benchmark].name.as_str());
    campaign.series.iter().map(|row| (of(row), row)).collect()
}

fn place_of<'a>(campaign: &'a Campaign, row: &SeriesRow) -> Place<'a> {
    place(campaign, &campaign.boots[row.boot])
}

fn place<'a>(campaign: &'a Campaign, boot: &Boot) -> Place<'a> {
    (boot.block, campaign.layers[boot.layer].name.raw(), boot.role)
}

fn unequal((block, layer, role): Place, benchmark: Option<&str>, apart: Apart) -> Unequal {
    let (what, recorded, repeated) = apart;
    let benchmark = benchmark.map(str::to_owned);
    Unequal { block, layer: layer.into(), role, benchmark, what, recorded, repeated }
}

fn boot_apart(before: &Boot, after: Option<&Boot>) -> Option<Apart> {
    let Some(after) = after else {
        return Some(("boot".into(), "greeted".into(), NONE.into()));
    };
    let began = |boot: &Boot| boot.hello.as_ref().map(|hello| hello.main_ns).unwrap_or_default();
    numbers("attempt", before.attempt.into(), after.attempt.into())
        .or_else(|| numbers("main_ns", began(before), began(after)))
}

/// The first of the samples, the counters and the other figures that differs. What the host's clock says differs from run to run, and is not compared.
fn series_apart(before: &SeriesRow, after: Option<&SeriesRow>) -> Option<Apart> {
    let Some(after) = after else {
        return Some(("series".into(), format!("{:?}", before.outcome), NONE.into()));
    };
    let [outcome, again] = [before, after].map(|row| format!("{:?}", row.outcome));
    let why =
        |row: &SeriesRow| row.why.clone().map_or(NONE.into(), tare_proto::Untrusted::into_raw);
    texts("state", outcome, again)
        .or_else(|| texts("why", why(before), why(after)))
        .or_else(|| samples_apart(&before.samples, &after.samples))
        .or_else(|| counters_apart(&before.counters, &after.counters))
        .or_else(|| numbers("ops", before.ops, after.ops))
        .or_else(|| numbers("warmup", before.warmup.into(), after.warmup.into()))
        .or_else(|| numbers("probe_ns", before.probe_ns, after.probe_ns))
        .or_else(|| doubles("loop_ns", Some(before.loop_ns), Some(after.loop_ns)))
        .or_else(|| doubles("subtracted", Some(before.subtracted), Some(after.subtracted)))
}

fn samples_apart(before: &[f64], after: &[f64]) -> Option<Apart> {
    let mut all = 0..before.len().max(after.len());
    all.find_map(|at| {
        doubles(&format!("samples[{at}]"), before.get(at).copied(), after.get(at).copied())
    })
}

fn counters_apart(before: &[Counter], after: &[Counter]) -> Option<Apart> {
    let value = |all: &[Counter], name: &str| {
        all.iter().find(|counter| counter.name == name).map(|counter| counter.value)
    };
    before.iter().chain(after).find_map(|Counter { name, .. }| {
        doubles(&format!("counter {name}"), value(before, name), value(after, name))
    })
}

/// Doubles are the same when all their bits are.
fn doubles(what: &str, before: Option<f64>, after: Option<f64>) -> Option<Apart> {
    let told = |value: Option<f64>| value.map_or(NONE.into(), |value| format!("{value:?}"));
    let apart = before.map(f64::to_bits) != after.map(f64::to_bits);
    apart.then(|| (what.into(), told(before), told(after)))
}

fn numbers(what: &str, before: u64, after: u64) -> Option<Apart> {
    texts(what, before.to_string(), after.to_string())
}

fn texts(what: &str, before: String, after: String) -> Option<Apart> {
    (before != after).then(|| (what.into(), before, after))
}

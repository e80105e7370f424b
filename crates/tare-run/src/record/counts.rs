//! What a plugin has counted outside of a boot, beside the series that the probe sent.

use super::recorder::{Recorder, RunError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tare_layers::{Addresses, Counted, Plugin};
use tare_observe::Linked;
use tare_proto::Counter;
use tare_proto::counter::{ENTRY, FUNCTION, Place};

/// Most functions of a series that are kept apart.
const MOST: usize = 400;

/// All functions beyond those.
const OTHERS: &str = "(others)";

/// Where x86-64 Linux has its modules, with and without randomized addresses.
const MODULES: u64 = 0xffff_ffff_a000_0000;

/// Where the counts of the boot whose console is in `log` go; the layer's folder is another one.
pub(crate) fn file(log: &Path) -> PathBuf {
    let path = log.with_extension("counts");
    std::path::absolute(&path).unwrap_or(path)
}

/// Records the counts in `path` of boot `id`, which has measured `benches` and run these `images`. Series without counts are no failure: the
/// samples stand for themselves.
pub(crate) fn keep(
    recorder: &mut Recorder,
    id: i64,
    layer: usize,
    benches: &[usize],
    (path, images): (&Path, &[PathBuf]),
) -> Result<(), RunError> {
    let counts = match Plugin::read(path) {
        Ok(Some(counts)) => counts,
        Ok(None) => return Ok(()),
        Err(error) => return recorder.warn(Some(layer), &error.to_string()),
    };
    let linked = Linked::of(images);
    let all = &recorder.setup.benches;
    Ok(recorder.store.at_once(|store| {
        for (number, counted) in counts {
            // A request's number is its place in the boot, from 1.
            let place = (number as usize).checked_sub(1);
            if let Some(&bench) = place.and_then(|at| benches.get(at)) {
                store.add_counters(id, &all[bench].name, &counters(counted, &linked))?;
            }
        }
        Ok(())
    })?)
}

/// All that was counted by name.
fn counters(counted: Counted, linked: &Linked) -> Vec<Counter> {
    let Counted { counters, executed, entered } = counted;
    let counters = counters.into_iter().map(|(name, value)| Counter { name, value });
    let named =
        by_function(FUNCTION, &executed, linked).chain(by_function(ENTRY, &entered, linked));
    counters.chain(named).collect()
}

/// Counts of functions, of those that have the most of each place, and together of all others there.
fn by_function<'a>(
    prefix: &'a str,
    counts: &Addresses,
    linked: &Linked,
) -> impl Iterator<Item = Counter> + use<'a> {
    let mut sums: BTreeMap<(Place, &str), f64> = BTreeMap::new();
    for (&(place, address), value) in counts {
        let function = linked.function(address).unwrap_or_else(|| unnamed(place, address));
        *sums.entry((place, function)).or_default() += value;
    }
    let mut largest: Vec<_> = sums.into_iter().collect();
    largest.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    let mut kept: BTreeMap<String, f64> = BTreeMap::new();
    for (at, ((place, function), value)) in largest.into_iter().enumerate() {
        let function = if at < MOST { function } else { OTHERS };
        *kept.entry(format!("{prefix}{}/{function}", place.name())).or_default() += value;
    }
    kept.into_iter().map(|(name, value)| Counter { name, value })
}

/// What code is called whose function nobody says.
fn unnamed(place: Place, address: u64) -> &'static str {
    match address {
        0 => OTHERS,
        MODULES.. if place != Place::Probe => "(a module)",
        _ => "(unknown)",
    }
}

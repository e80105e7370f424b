//! What a plugin has counted outside of a boot, beside the series that the probe sent.

use super::functions::{Code, Named};
use super::recorder::{Recorder, RunError};
use std::path::{Path, PathBuf};
use tare_layers::Plugin;

/// Where the counts of the boot whose console is in `log` go; the layer's folder is another one.
pub(crate) fn file(log: &Path) -> PathBuf {
    let path = log.with_extension("counts");
    std::path::absolute(&path).unwrap_or(path)
}

/// Records the counts in `path` of boot `id`, which has measured `benches` and run this `code`. Series without counts are no failure: the
/// samples stand for themselves.
pub(crate) fn keep(
    recorder: &mut Recorder,
    id: i64,
    layer: usize,
    benches: &[usize],
    path: &Path,
    code: &Code,
) -> Result<(), RunError> {
    let counts = match Plugin::read(path) {
        Ok(Some(counts)) => counts,
        Ok(None) => return Ok(()),
        Err(error) => return recorder.warn(Some(layer), &error.to_string()),
    };
    let named = Named::of(&counts, code);
    let all = &recorder.setup.benches;
    Ok(recorder.store.at_once(|store| {
        for (number, counted) in &counts.requests {
            // A request's number is its place in the boot, from 1.
            let place = (*number as usize).checked_sub(1);
            if let Some(&bench) = place.and_then(|at| benches.get(at)) {
                store.add_counters(id, &all[bench].name, &named.counters(counted))?;
            }
        }
        Ok(())
    })?)
}

//! What a plugin has counted outside of a boot, beside the series that the probe sent.

use crate::runner::{RunError, Runner};
use crate::slot::Slot;
use std::path::{Path, PathBuf};
use tare_layers::Plugin;

/// Where the counts of the boot whose console is in `log` go; the layer's folder is another one.
pub(crate) fn file(log: &Path) -> PathBuf {
    let path = log.with_extension("counts");
    std::path::absolute(&path).unwrap_or(path)
}

impl Runner<'_> {
    /// Records the counts of boot `id`. Series without counts are no failure: the samples stand for themselves.
    pub(crate) fn keep_counts(
        &mut self,
        id: i64,
        slot: &Slot,
        benches: &[usize],
        path: &Path,
    ) -> Result<(), RunError> {
        let read = Plugin::read(path);
        let counts = match read {
            Ok(Some(counts)) => counts,
            Ok(None) => return Ok(()),
            Err(error) => return self.warn(Some(slot.layer), &error.to_string()),
        };
        let names: Vec<String> =
            benches.iter().map(|&bench| self.benches[bench].name.clone()).collect();
        self.store.at_once(|store| {
            for (number, counters) in &counts {
                // A request's number is its place in the boot, from 1.
                if let Some(name) = (*number as usize).checked_sub(1).and_then(|at| names.get(at)) {
                    store.add_counters(id, name, counters)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

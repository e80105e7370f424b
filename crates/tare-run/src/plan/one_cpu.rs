//! What a layer that is made for several CPUs is measured in once more, on one CPU: how much of its figures their number decides.

use super::setup::Setup;

/// What one process does alone: the baseline takes as long for it on one CPU as on several, so that one series of it serves both.
const ROWS: &[&str] = &[
    "lmbench/null_call",
    "lmbench/stat",
    "lmbench/open_close",
    "lmbench/sig_install",
    "lmbench/page_fault",
    "kernel/segv",
    "operations/null",
    "operations/descriptor",
    "operations/lookup",
    "operations/open",
    "operations/fault_anonymous",
    "unixbench/syscall",
];

/// Those of `benches`, by their index, that `layer` is measured in on one CPU, too; none where it has no more than the others.
pub(crate) fn rows(setup: &Setup, layer: usize, benches: &[usize]) -> Vec<usize> {
    if !setup.is_wide(layer) {
        return Vec::new();
    }
    let is_one = |bench: &usize| ROWS.contains(&&*setup.benches[*bench].name);
    benches.iter().copied().filter(is_one).collect()
}

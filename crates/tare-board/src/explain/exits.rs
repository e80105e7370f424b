//! Exits of a virtual machine by reason, as KVM itself counts them.

use super::counted::Counted;
use super::{Table, TableLine};

/// How the names begin that tare's monitor takes over from KVM.
const PREFIX: &str = "kvm/";

/// Whether either side ran under a monitor that counts.
pub(super) fn counted(counted: &Counted) -> bool {
    !counted.names(PREFIX).is_empty()
}

/// All that was counted, the largest first; `None` when nothing was.
pub(super) fn table(counted: &Counted) -> Option<Table> {
    let line = |full: &str| {
        let name = full.trim_start_matches(PREFIX).replace('_', " ");
        TableLine::new(&name, counted.both(full))
    };
    let mut lines: Vec<TableLine> = counted.names(PREFIX).into_iter().map(line).collect();
    lines.retain(TableLine::is_something);
    lines.sort_by(|a, b| b.layer.total_cmp(&a.layer));
    let title = "KVM's counts in a whole series, warm-up included";
    (!lines.is_empty()).then(|| Table::new(title, lines))
}

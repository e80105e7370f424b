//! What must be known before anything else of a report is read.

use crate::document::Ink;
use crate::enough::{all_imported, so_few, too_few};
use crate::words::{name, reason};
use tare_board::Scoreboard;
use tare_board::format::count;
use tare_proto::Machine;
use tare_store::Scratch;

/// All that there is, as sentences.
pub(crate) fn notices(board: &Scoreboard) -> Vec<String> {
    let nothing = (board.counts.series == 0).then(|| "Nothing was measured.".to_owned());
    let all = [busy(board), simulated(board), unfinished(board), limits(board), nothing];
    all.into_iter().flatten().collect()
}

/// What others on the machine did to the measurement.
fn busy(board: &Scoreboard) -> Option<String> {
    let busy = board.busy?;
    let waited = format!(
        "The machine was busy: layers waited for a CPU for {} of their time, on average over the series",
        share(busy.waited)
    );
    Some(match busy.withheld {
        0 => format!("{waited}. None waited for so long that it is withheld."),
        withheld => format!(
            "{waited}. {withheld} of {} series are withheld, since their layer waited for more than {}: repeat this on an idle \
             machine.",
            busy.of,
            share(busy.most_waited)
        ),
    })
}

/// `0.4%`, `31%`.
fn share(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 10.0 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// What limits every interval of the campaign, if anything does.
fn limits(board: &Scoreboard) -> Option<String> {
    let said = match (board.counts.series, board.counts.blocks, all_imported(board)) {
        (0, ..) => None,
        (_, 1, true) => Some(
            "Single figures give ratios but neither intervals nor verdicts; import repeated runs for those.",
        ),
        (_, _, false) if too_few(board) => {
            return Some(format!(
                "{}: too few to say what a layer costs; five are a good start. In the place of DIR with this campaign's folder, \
                 this measures what is missing: tare resume DIR --blocks 5",
                so_few(board, board.counts.blocks)
            ));
        }
        (_, _, true) => Some(
            "Imported runs are compared unpaired (Welch's interval on the logs). Differences between the \
             sessions in which they were measured affect every ratio and widen no interval.",
        ),
        _ => None,
    };
    said.map(str::to_owned)
}

/// What must be known of a board whose machine was simulated: its figures are no times.
pub(crate) fn simulated(board: &Scoreboard) -> Option<String> {
    if board.provenance.machine == Machine::Real {
        return None;
    }
    let emulator = match board.provenance.emulator.raw().split(" (").next() {
        Some("") | None => "QEMU".into(),
        Some(said) => name(said),
    };
    Some(format!(
        "Simulated machine ({emulator}, one clock tick per instruction): values are instruction counts, not times on real \
         hardware, and do not reflect caches or TLBs. They are repeatable; an interval is the spread over the blocks, \
         each with another perturbation (its date, and the time before a row)."
    ))
}

/// Where what programs have written lay, as a sentence.
pub(crate) fn written(board: &Scoreboard) -> Option<(Ink, String)> {
    Some(match board.provenance.scratch.as_ref()? {
        Scratch::Memory => (
            Ink::Dim,
            "Files are written to memory: these rows say nothing about disks ('--scratch disk' does).".into(),
        ),
        Scratch::Disk { folder, file_system } => (
            Ink::Plain,
            format!("Files are written to a disk: {} at {}.", name(file_system), reason(folder)),
        ),
    })
}

/// Whether the campaign ran to its end, as a notice when it did not.
fn unfinished(board: &Scoreboard) -> Option<String> {
    let counts = &board.counts;
    let blocks = match counts.planned_blocks {
        Some(planned) => format!("{} of {planned} blocks", counts.blocks),
        None => count(counts.blocks, "block"),
    };
    match board.state.as_str() {
        "finished" => None,
        "running" => Some(format!("This campaign is still running: {blocks} so far.")),
        "interrupted" => Some(format!("This campaign was interrupted: {blocks} begun.")),
        other => Some(format!("This campaign is {:?}: {blocks} begun.", name(other))),
    }
}

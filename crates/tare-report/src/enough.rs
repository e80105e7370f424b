//! Whether a campaign has enough blocks to say what a layer costs.

use tare_board::Scoreboard;
use tare_board::format::count;

/// Fewest blocks from which anything is said of a layer: with fewer, a burst is as likely as a difference.
pub(crate) const ENOUGH_BLOCKS: usize = 3;

/// Whether the campaign has fewer blocks than that.
pub(crate) fn too_few(board: &Scoreboard) -> bool {
    board.counts.blocks < ENOUGH_BLOCKS && !all_imported(board)
}

/// `1 block of at least 3`; where the campaign itself has enough, with the command that measures what is missing.
pub(crate) fn so_few(board: &Scoreboard, blocks: usize) -> String {
    let said = format!("{} of at least {ENOUGH_BLOCKS}", count(blocks, "block"));
    if too_few(board) {
        return said;
    }
    let all = board.counts.blocks + ENOUGH_BLOCKS.saturating_sub(blocks);
    format!("{said} (tare resume DIR --blocks {all} measures what is missing)")
}

/// Whether other tools took all of its figures.
pub(crate) fn all_imported(board: &Scoreboard) -> bool {
    board.layers.iter().all(|layer| layer.kind == tare_store::IMPORTED)
}

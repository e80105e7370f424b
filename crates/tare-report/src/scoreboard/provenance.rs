//! Where a scoreboard's figures come from, and how to repeat them.

use crate::clean::{clean, fit};
use crate::document::{Block, Ink, Place, Section, paragraphs};
use crate::words::{name, reason};
use tare_board::Scoreboard;
use tare_board::format::count;
use tare_proto::Machine;

/// Most characters of a command that are shown: it is to be copied whole.
const COMMAND: usize = 4000;

pub(super) fn section(board: &Scoreboard) -> Section {
    let mut texts = vec![machine(board), layers(board), counts(board), estimators(board)];
    texts.retain(|text| !text.is_empty());
    let mut blocks = paragraphs(Ink::Dim, texts);
    blocks.push(Block::Command(fit(&clean(&board.provenance.command), COMMAND)));
    Section::new(Place::Provenance, "", blocks)
}

fn machine(board: &Scoreboard) -> String {
    let from = &board.provenance;
    let cpus: Vec<String> = from.cpus.iter().map(u32::to_string).collect();
    let kernel = match name(&from.kernel) {
        kernel if kernel.is_empty() => kernel,
        kernel => format!("kernel {kernel}"),
    };
    let pinned = match cpus.len() {
        0 if from.machine == Machine::Sim => "simulated".into(),
        0 => "not pinned".into(),
        1 => format!("pinned to CPU {}", cpus[0]),
        _ => format!("pinned to CPUs {}", cpus.join(", ")),
    };
    let mut parts = vec![clean(&from.cpu_model), kernel, pinned];
    parts.retain(|part| !part.is_empty());
    reason(&parts.join(", "))
}

fn layers(board: &Scoreboard) -> String {
    let known = board.layers.iter().filter(|layer| layer.measured > 0 && !layer.what.is_empty());
    let known = known.map(|layer| format!("{}: {}", name(&layer.name), clean(&layer.what)));
    known.collect::<Vec<_>>().join(" · ")
}

fn counts(board: &Scoreboard) -> String {
    let from = &board.provenance;
    let counts = &board.counts;
    let cut = match counts.interrupted_boots {
        0 => String::new(),
        cut => format!(", {cut} interrupted"),
    };
    let hash: String = clean(&from.probe_sha256).chars().take(12).collect();
    format!(
        "seed {}, {}, {} ({} failed{cut}), {}; probe {hash}, tare {}, {}",
        from.seed,
        count(counts.blocks, "block"),
        count(counts.boots, "boot"),
        counts.failed_boots,
        count(counts.samples, "sample"),
        name(&from.tare_version),
        name(&from.created),
    )
}

fn estimators(board: &Scoreboard) -> String {
    let mut all: Vec<&str> = board.rows.iter().map(|row| row.estimator.raw()).collect();
    all.sort_unstable();
    all.dedup();
    match all.is_empty() {
        true => String::new(),
        false => reason(&format!("estimators: {}", all.join(", "))),
    }
}

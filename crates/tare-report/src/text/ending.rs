//! The part below the tables: the floor, the layers' notes, warnings, failures, provenance.

use super::page::Page;
use super::reason;
use crate::clean::clean;
use crate::document::{Ink, Item};
use crate::{trouble, words};
use tare_board::Scoreboard;
use tare_board::format::count;
use tare_proto::{Machine, Untrusted};

/// Last console lines that are shown of a failed boot, and boots that are shown of a campaign.
const CONSOLE_LINES: usize = 12;
const FAILED_BOOTS: usize = 8;
/// Most warnings that are shown.
const WARNINGS: usize = 20;

pub(super) fn floor(page: &mut Page, board: &Scoreboard) {
    if board.counts.series == 0 {
        return;
    }
    page.gap();
    page.paragraph(Ink::Plain, "", &crate::headline::floor(board));
}

/// How the layers differ from the baseline in what should be the same.
pub(super) fn notes(page: &mut Page, board: &Scoreboard) {
    listed(page, "What else differs", &trouble::notes(board));
}

pub(super) fn warnings(page: &mut Page, board: &Scoreboard) {
    listed(page, "Warnings", &trouble::warnings(board, WARNINGS));
    more(page, board.warnings.len(), WARNINGS);
}

fn listed(page: &mut Page, heading: &str, items: &[Item]) {
    if !items.is_empty() {
        page.heading(heading);
    }
    items.iter().for_each(|item| page.item(item));
}

pub(super) fn failed_boots(page: &mut Page, board: &Scoreboard) {
    if board.failed_boots.is_empty() {
        return;
    }
    page.heading(&format!("Failed boots: {} of {}", board.counts.failed_boots, board.counts.boots));
    for boot in board.failed_boots.iter().take(FAILED_BOOTS) {
        let label = format!("{}, ", words::name(&boot.layer));
        let text = format!("{}: {}", words::which(boot), reason(&boot.why));
        page.labelled(&label, Ink::Plain, &text);
        let lines: Vec<&str> = boot.console.as_ref().map_or("", Untrusted::raw).lines().collect();
        for line in &lines[lines.len().saturating_sub(CONSOLE_LINES)..] {
            page.verbatim(Ink::Dim, "    | ", &clean(line));
        }
    }
    more(page, board.failed_boots.len(), FAILED_BOOTS);
}

fn more(page: &mut Page, have: usize, shown: usize) {
    if have > shown {
        page.paragraph(Ink::Dim, "  ", &format!("and {} more", have - shown));
    }
}

pub(super) fn unavailable(page: &mut Page, board: &Scoreboard) {
    let mut missing =
        board.layers.iter().filter_map(|l| Some((l, l.unavailable.as_ref()?))).peekable();
    if missing.peek().is_some() {
        page.heading("Cannot run here");
    }
    for (layer, unavailable) in missing {
        page.labelled(
            &format!("{}: ", words::name(&layer.name)),
            Ink::Plain,
            &reason(&unavailable.why),
        );
        page.paragraph(Ink::Better, "  → ", &reason(&unavailable.remedy));
    }
}

pub(super) fn provenance(page: &mut Page, board: &Scoreboard) {
    let from = &board.provenance;
    let counts = &board.counts;
    page.gap();
    let cpus: Vec<String> = from.cpus.iter().map(u32::to_string).collect();
    let mut machine = vec![clean(&from.cpu_model)];
    machine.push(if from.kernel.is_empty() {
        String::new()
    } else {
        format!("kernel {}", words::name(&from.kernel))
    });
    machine.push(match cpus.len() {
        0 if from.machine == Machine::Sim => "simulated".into(),
        0 => "not pinned".into(),
        1 => format!("pinned to CPU {}", cpus[0]),
        _ => format!("pinned to CPUs {}", cpus.join(", ")),
    });
    machine.retain(|part| !part.is_empty());
    page.paragraph(Ink::Dim, "", &reason(&machine.join(", ")));
    let layers: Vec<String> = board
        .layers
        .iter()
        .filter(|layer| layer.measured > 0 && !layer.what.is_empty())
        .map(|layer| format!("{}: {}", words::name(&layer.name), clean(&layer.what)))
        .collect();
    if !layers.is_empty() {
        page.paragraph(Ink::Dim, "", &layers.join(" · "));
    }
    let hash: String = clean(&from.probe_sha256).chars().take(12).collect();
    page.paragraph(
        Ink::Dim,
        "",
        &format!(
            "seed {}, {}, {} ({} failed), {}; probe {hash}, tare {}, {}",
            from.seed,
            count(counts.blocks, "block"),
            count(counts.boots, "boot"),
            counts.failed_boots,
            count(counts.samples, "sample"),
            words::name(&from.tare_version),
            words::name(&from.created),
        ),
    );
    let mut estimators: Vec<&str> = board.rows.iter().map(|row| row.estimator.raw()).collect();
    estimators.sort_unstable();
    estimators.dedup();
    if !estimators.is_empty() {
        page.paragraph(Ink::Dim, "", &reason(&format!("estimators: {}", estimators.join(", "))));
    }
    page.paragraph(Ink::Dim, "", &format!("repeat: {}", reason(&from.command)));
}

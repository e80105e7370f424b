//! "Can I trust it?": what differs besides the layer, warnings, failed boots with their consoles, what could not run.

use super::document::item;
use crate::clean::{clean, fit};
use crate::{trouble, words};
use maud::{Markup, html};
use tare_board::{FailedBoot, Scoreboard};
use tare_proto::Untrusted;

/// Most failed boots and warnings that are shown, lines of a console, columns of a line and of a sentence.
const BOOTS: usize = 40;
const WARNINGS: usize = 100;
const CONSOLE: usize = 40;
const COLUMNS: usize = 200;
const SENTENCE: usize = 500;

pub(super) fn section(board: &Scoreboard) -> Markup {
    html! {
        section #trouble aria-labelledby="h-trouble" {
            h2 #h-trouble { "Can I trust it?" }
            p { (crate::headline::floor(board)) }
            (differences(board))
            (warnings(board))
            (failed(board))
            (unavailable(board))
        }
    }
}

fn differences(board: &Scoreboard) -> Markup {
    let notes = trouble::notes(board);
    html! {
        h3 { "What else differs between the layers" }
        @if notes.is_empty() { p.quiet { "No differences that the probes could see." } }
        ul { @for note in &notes { (item(note)) } }
    }
}

fn warnings(board: &Scoreboard) -> Markup {
    html! {
        h3 { "Warnings" }
        @if board.warnings.is_empty() { p.quiet { "None." } }
        ul { @for warning in trouble::warnings(board, WARNINGS) { (item(&warning)) } }
        @if board.warnings.len() > WARNINGS { p { "and " (board.warnings.len() - WARNINGS) " more" } }
    }
}

fn failed(board: &Scoreboard) -> Markup {
    html! {
        h3 { "Failed boots" }
        @if board.failed_boots.is_empty() { p.quiet { "None of " (board.counts.boots) "." } }
        @for boot in board.failed_boots.iter().take(BOOTS) { (one_boot(boot)) }
        @if board.failed_boots.len() > BOOTS { p { "and " (board.failed_boots.len() - BOOTS) " more" } }
    }
}

fn one_boot(boot: &FailedBoot) -> Markup {
    let lines: Vec<&str> = boot.console.as_ref().map_or("", Untrusted::raw).lines().collect();
    let tail: Vec<String> = lines[lines.len().saturating_sub(CONSOLE)..]
        .iter()
        .map(|line| fit(&clean(line), COLUMNS))
        .collect();
    html! {
        details {
            summary { strong { bdi { (words::name(&boot.layer)) } } ", " (words::which(boot)) ": " (fit(&clean(&boot.why), SENTENCE)) }
            @if tail.is_empty() { p.quiet { "Its console was empty." } }
            @else { pre tabindex="0" aria-label="Last console lines" { (tail.join("\n")) } }
        }
    }
}

fn unavailable(board: &Scoreboard) -> Markup {
    let missing: Vec<_> = board
        .layers
        .iter()
        .filter_map(|layer| Some((layer, layer.unavailable.as_ref()?)))
        .collect();
    html! {
        @if !missing.is_empty() {
            h3 { "Cannot run here" }
            ul {
                @for (layer, no) in missing {
                    li { strong { bdi { (words::name(&layer.name)) } } ": " (fit(&clean(&no.why), SENTENCE))
                        br; span.better { "→ " (fit(&clean(&no.remedy), SENTENCE)) } }
                }
            }
        }
    }
}

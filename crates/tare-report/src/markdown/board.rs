//! The scoreboard in Markdown: the matrix is visible, the rest is folded.

use super::{TEXT, code, code_of, item, line, prose, table};
use crate::certainty::equivalent;
use crate::clean::{clean, fit};
use crate::{headline, index, sweep, trouble, words};
use std::fmt::Write;
use tare_board::format::{
    count, pair, percent_above_one, quantity, ratio_and_interval, short_ratio,
};
use tare_board::{Cell, LayerSummary, Measure, Row, Scoreboard, Verdict};
use tare_proto::{Better, Untrusted};

/// Most warnings and failed boots that are shown, and console lines of each.
const WARNINGS: usize = 20;
const FAILED_BOOTS: usize = 5;
const CONSOLE_LINES: usize = 8;

/// Writes the scoreboard as GitHub's Markdown.
pub fn markdown(board: &Scoreboard) -> String {
    let mut out = String::new();
    summary(&mut out, board);
    let shown: Vec<(usize, &LayerSummary)> =
        board.others().enumerate().filter(|(_, layer)| layer.measured > 0).collect();
    if !shown.is_empty() {
        matrix(&mut out, board, &shown);
        indices(&mut out, board);
        line(&mut out, &format!("\n{}\n", prose(&headline::floor(board))));
        details(&mut out, board, &shown);
    }
    remarks(&mut out, board);
    let from = &board.provenance;
    line(&mut out, &format!("Seed {}, repeat with {}", from.seed, code_of(&from.command, TEXT)));
    out
}

fn summary(out: &mut String, board: &Scoreboard) {
    let baseline = code(&board.baseline);
    let rows = count(board.rows.len(), "benchmark");
    let blocks = headline::replicates(board);
    line(out, &format!("**What each layer costs against {baseline}** ({rows}, {blocks})\n"));
    for notice in headline::notices(board) {
        line(out, &format!("{}\n", prose(&notice)));
    }
    for (layer, text) in crate::sandbox::sentences(board) {
        line(out, &format!("- **{}** {}", prose(&layer), prose(&text)));
    }
    headline::headlines(board).iter().for_each(|layer| line(out, &item(layer)));
    for found in &board.sweeps {
        for response in &found.responses {
            let title = sweep::title(found);
            let text = sweep::heading(response);
            let said = prose(&sweep::sentence(response));
            line(out, &format!("- **{}**, {}: {said}", prose(&title), prose(&text)));
        }
    }
    for layer in &board.layers {
        if let Some(unavailable) = &layer.unavailable {
            line(
                out,
                &format!("- {} cannot run here: {}", code(&layer.name), prose(&unavailable.why)),
            );
        }
    }
    out.push('\n');
}

fn matrix(out: &mut String, board: &Scoreboard, shown: &[(usize, &LayerSummary)]) {
    let names: Vec<String> = shown.iter().map(|(_, layer)| code(&layer.name)).collect();
    line(
        out,
        &format!("| benchmark | {} | {} | floor |", code(&board.baseline), names.join(" | ")),
    );
    line(out, &format!("|:--|--:|{}--:|", "--:|".repeat(shown.len())));
    for row in &board.rows {
        let arrow = if row.better == Better::Higher { " ↑" } else { "" };
        let raw = row.baseline.map_or("–".into(), |mean| quantity(row.unit, mean.mean));
        let cells: Vec<String> = shown.iter().map(|(at, _)| cell(row, &row.cells[*at])).collect();
        let floor = row.floor.and_then(|floor| floor.bound).map_or("–".into(), percent_above_one);
        line(
            out,
            &format!(
                "| {}{arrow} | {raw} | {} | {floor} |",
                code(&row.benchmark),
                cells.join(" | ")
            ),
        );
    }
    let margin = words::percent_of(board.method.margin);
    line(
        out,
        format!(
            "\nRatios; ▲ costs more, ▼ costs less, = equivalent within {margin}, ? undecided, · no interval. {}",
            crate::legend::about_rows(board)
        )
        .trim_end(),
    );
    if let Some(text) = crate::legend::mostly_subtracted(board) {
        line(out, &format!("\n{}", prose(&text)));
    }
}

fn indices(out: &mut String, board: &Scoreboard) {
    for found in index::tables(board) {
        line(out, &format!("\n{}: {}", prose(&found.title), prose(&found.note)));
        table(out, &found);
    }
}

fn cell(row: &Row, cell: &Cell) -> String {
    match cell.ratio {
        Some(ratio) => format!("{} {}", short_ratio(ratio.value), words::mark(cell.verdict)),
        None => words::without_ratio(row, cell),
    }
}

fn details(out: &mut String, board: &Scoreboard, shown: &[(usize, &LayerSummary)]) {
    line(out, "<details><summary>Intervals, raw values and comments</summary>\n");
    let confidence = words::percent_of(board.method.confidence);
    for (at, layer) in shown {
        let name = code(&layer.name);
        let baseline = code(&board.baseline);
        line(
            out,
            &format!(
                "| {name} | ratio | {confidence} CI | [layer/{baseline}] | verdict | comment |"
            ),
        );
        line(out, "|:--|--:|:--|--:|:--|:--|");
        for row in &board.rows {
            line(out, &detail(row, &row.cells[*at], board.method.margin));
        }
        let what = Some(prose(&layer.what)).filter(|what| !what.is_empty());
        let notes: Vec<String> =
            what.into_iter().chain(layer.notes.iter().map(|note| prose(&note.text))).collect();
        let notes =
            if notes.is_empty() { String::new() } else { format!("{}\n", notes.join("; ")) };
        line(out, &format!("\n{notes}"));
    }
    line(out, "</details>\n");
}

fn detail(row: &Row, cell: &Cell, margin: f64) -> String {
    let Some(ratio) = &cell.ratio else {
        let why = cell.why.as_ref().map(|why| format!(": {}", prose(why))).unwrap_or_default();
        let what = words::absent_in_words(cell.presence);
        return format!("| {} | – | – | – | – | {what}{why} |", code(&row.benchmark));
    };
    let (ratio, interval) = ratio_and_interval(ratio);
    let raw = cell.pair.as_ref().map(|raw| pair(row.unit, raw)).unwrap_or_default();
    let verdict = match cell.verdict {
        Verdict::Equivalent => equivalent(cell.ratio.as_ref(), cell.shown.as_ref(), margin),
        verdict => words::word(verdict, Measure::of(row.unit)).into(),
    };
    let labels: Vec<String> = cell.comments.iter().map(|c| prose(&c.label())).collect();
    format!(
        "| {} | {ratio} | {} | {raw} | {} | {} |",
        code(&row.benchmark),
        interval.unwrap_or_else(|| "–".into()),
        verdict,
        labels.join("; "),
    )
}

/// Warnings and failed boots, folded away.
fn remarks(out: &mut String, board: &Scoreboard) {
    if board.warnings.is_empty() && board.failed_boots.is_empty() {
        return;
    }
    let warnings = board.warnings.len();
    let boots = board.failed_boots.len();
    let title = format!("{}, {}", count(warnings, "warning"), count(boots, "failed boot"));
    line(out, &format!("<details><summary>{title}</summary>\n"));
    trouble::warnings(board, WARNINGS).iter().for_each(|warning| line(out, &item(warning)));
    for boot in board.failed_boots.iter().take(FAILED_BOOTS) {
        line(
            out,
            &format!("- {} in {}: {}", code(&boot.layer), words::which(boot), prose(&boot.why)),
        );
        console(out, boot.console.as_ref().map_or("", Untrusted::raw));
    }
    if boots > FAILED_BOOTS {
        line(out, &format!("- and {} more", boots - FAILED_BOOTS));
    }
    line(out, "\n</details>\n");
}

fn console(out: &mut String, console: &str) {
    let lines: Vec<&str> = console.lines().collect();
    if lines.is_empty() {
        return;
    }
    line(out, "\n<pre>");
    for text in &lines[lines.len().saturating_sub(CONSOLE_LINES)..] {
        let text = fit(&clean(text), TEXT / 4);
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        // The first `<pre>` ends at `</pre>`, which cannot stand in escaped text.
        let _ = writeln!(out, "{text}");
    }
    line(out, "</pre>\n");
}

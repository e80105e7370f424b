//! The terminal form of a comparison.

use super::sentences::{columns, gate_lines, how, sentences, title};
use crate::TextStyle;
use crate::clean::{clean, fit};
use crate::text::{Ink, Page, Piece, Side, verdict_ink};
use crate::words::{name, percent_of};
use tare_board::Gate;
use tare_board::{ComparedLayer, ComparedRow, Comparison};

/// Fewest columns that a benchmark's name gets, and most.
const NAME: (usize, usize) = (12, 40);
/// The raw pair's column, and the narrowest page that has room for it.
const RAW: usize = 4;
const WITH_RAW: usize = 76;

/// Writes the comparison for a terminal.
#[must_use]
pub fn compare_text(comparison: &Comparison, style: &TextStyle) -> String {
    let mut page = Page::new(style.width.max(TextStyle::NARROWEST), style.paint);
    for line in title(comparison) {
        page.paragraph(Ink::Bold, "", &line);
    }
    page.gap();
    for line in how(comparison) {
        page.paragraph(Ink::Plain, "", &line);
    }
    page.gap();
    for layer in &comparison.layers {
        headline(&mut page, comparison, layer);
    }
    if style.details {
        for layer in &comparison.layers {
            table(&mut page, comparison, layer);
        }
    }
    differences(&mut page, comparison);
    if let Some(gate) = &comparison.gate {
        verdict_of_gate(&mut page, gate);
    }
    page.finish()
}

fn headline(page: &mut Page, comparison: &Comparison, layer: &ComparedLayer) {
    for (at, (verdict, sentence)) in sentences(comparison, layer).into_iter().enumerate() {
        let label = if at == 0 { format!("{}: ", name(&layer.name)) } else { "  ".into() };
        page.labelled(&label, verdict_ink(verdict), &sentence);
    }
}

fn table(page: &mut Page, comparison: &Comparison, layer: &ComparedLayer) {
    page.heading(&format!("{}, after / before", name(&layer.name)));
    for note in &layer.notes {
        page.paragraph(Ink::Caution, "", &fit(&clean(&note.text), 400));
    }
    let confidence = percent_of(comparison.method.confidence);
    let titles =
        ["benchmark", "ratio", &format!("{confidence} CI"), "floor", "[after/before]", "verdict"];
    let mut rows: Vec<(Vec<Piece>, String)> =
        vec![(titles.map(|title| Piece::new(Ink::Bold, title)).into(), String::new())];
    rows.extend(layer.rows.iter().map(|row| (line(row, comparison), remark(row))));
    let mut sides = vec![Side::Left, Side::Right, Side::Left, Side::Right, Side::Right, Side::Left];
    if page.width < WITH_RAW {
        rows.iter_mut().for_each(|(row, _)| drop(row.remove(RAW)));
        sides.remove(RAW);
    }
    page.remarked(&sides, &rows, NAME.0);
}

fn line(row: &ComparedRow, comparison: &Comparison) -> Vec<Piece> {
    let (by, margin) = (comparison.by, comparison.method.margin);
    let [ratio, interval, floor, raw, verdict] = columns(row, by, margin);
    let ink = verdict_ink(row.verdict);
    vec![
        Piece::new(Ink::Plain, fit(&clean(&row.benchmark), NAME.1)),
        Piece::new(ink, ratio),
        Piece::new(Ink::Plain, interval),
        Piece::new(Ink::Dim, floor),
        Piece::new(Ink::Dim, raw),
        Piece::new(ink, verdict),
    ]
}

fn remark(row: &ComparedRow) -> String {
    let labels: Vec<String> = row.comments.iter().map(|c| clean(&c.label())).collect();
    labels.join("; ")
}

fn differences(page: &mut Page, comparison: &Comparison) {
    if comparison.differences.is_empty() {
        return;
    }
    page.heading("What else differs");
    for difference in &comparison.differences {
        let label = difference.layer.as_ref().map_or("- ".into(), |l| format!("{}: ", name(l)));
        let ink = if difference.refuses { Ink::Worse } else { Ink::Plain };
        page.labelled(&label, ink, &fit(&clean(&difference.text), 400));
    }
}

fn verdict_of_gate(page: &mut Page, gate: &Gate) {
    page.heading("Gate");
    for (passed, line) in gate_lines(gate) {
        page.labelled("- ", if passed { Ink::Plain } else { Ink::Worse }, &line);
    }
}

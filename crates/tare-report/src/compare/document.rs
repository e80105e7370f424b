//! A comparison as a document.

use super::sentences::{columns, gate_lines, how, ratio_of, sentences, title};
use crate::clean::{clean, fit};
use crate::document::{
    Block, Column, Document, Ink, Item, Piece, Place, Row, Section, Table, paragraphs,
};
use crate::words::{mark, name, percent_of};
use tare_board::{ComparedLayer, ComparedRow, Comparison, Gate, Verdict};

/// Most columns of a benchmark's name and of a text from the campaigns; fewest of the name on a terminal.
const NAME: usize = 60;
const TEXT: usize = 400;
const LEAST: usize = 12;

/// The narrowest terminal that has room for the raw pairs.
const WITH_RAW: usize = 76;

pub(crate) fn document(comparison: &Comparison) -> Document {
    let all = comparison.layers.iter().enumerate();
    let summary = all.map(|(at, layer)| item(comparison, layer, at)).collect();
    let mut sections = vec![
        Section::new(Place::Title, "", paragraphs(Ink::Bold, title(comparison))),
        Section::new(Place::Method, "", paragraphs(Ink::Plain, how(comparison))),
        Section::new(Place::Summary, "", summary),
    ];
    sections.extend(comparison.layers.iter().map(|layer| rows(comparison, layer)));
    sections.extend(differences(comparison));
    sections.push(Section::new(Place::Decided, "", vec![decided(comparison)]));
    sections.extend(comparison.gate.as_ref().map(gate));
    Document { title: String::new(), sections }
}

fn item(comparison: &Comparison, layer: &ComparedLayer, at: usize) -> Block {
    let said = sentences(comparison, layer).into_iter();
    let said = said.map(|(verdict, text)| (verdict.into(), text)).collect();
    Block::Item(Item::of_series(name(&layer.name), at + 1, said))
}

fn rows(comparison: &Comparison, layer: &ComparedLayer) -> Section {
    let notes = layer.notes.iter().map(|note| fit(&clean(&note.text), TEXT));
    let mut blocks: Vec<Block> = notes.map(|text| Block::Paragraph(Ink::Caution, text)).collect();
    let confidence = percent_of(comparison.method.confidence);
    let columns = vec![
        Column::names("benchmark"),
        Column::numbers("ratio"),
        Column::words(format!("{confidence} CI")),
        Column::numbers("floor"),
        Column::numbers("[after/before]").spare_below(WITH_RAW),
        Column::words("verdict"),
    ];
    let lines = layer.rows.iter().map(|row| line(row, comparison)).collect();
    let table = Table::new(LEAST, columns, lines);
    blocks.push(Block::Table(Table { subject: name(&layer.name), ..table }));
    Section::new(Place::Rows, format!("{}, after / before", name(&layer.name)), blocks)
}

fn line(row: &ComparedRow, comparison: &Comparison) -> Row {
    let [ratio, interval, floor, raw, verdict] =
        columns(row, comparison.by, comparison.method.margin);
    let ink = row.verdict.into();
    let labels: Vec<String> = row.comments.iter().map(|c| clean(&c.label())).collect();
    Row {
        cells: vec![
            Piece::new(Ink::Plain, fit(&clean(&row.benchmark), NAME)),
            Piece::new(ink, ratio),
            Piece::new(Ink::Plain, interval),
            Piece::new(Ink::Dim, floor),
            Piece::new(Ink::Dim, raw),
            Piece::new(ink, verdict),
        ],
        remark: labels.join("; "),
        verdict: row.verdict,
    }
}

fn decided(comparison: &Comparison) -> Block {
    let called = |verdict: Verdict| matches!(verdict, Verdict::Worse | Verdict::Better);
    let rows = comparison.rows().filter(|(_, row)| called(row.verdict));
    let rows: Vec<Row> = rows
        .map(|(layer, row)| {
            let ratio = format!("{} {}", ratio_of(row.ratio), mark(row.verdict));
            vec![name(&layer.name), fit(&clean(&row.benchmark), NAME), ratio].into()
        })
        .collect();
    if rows.is_empty() {
        return Block::Paragraph(Ink::Plain, "No row is called different.".into());
    }
    let columns =
        vec![Column::names("layer"), Column::names("benchmark"), Column::numbers("after / before")];
    Block::Table(Table::new(LEAST, columns, rows))
}

fn differences(comparison: &Comparison) -> Option<Section> {
    let differences = comparison.differences.iter().map(|difference| {
        let ink = if difference.refuses { Ink::Failed } else { Ink::Plain };
        let about = difference.layer.as_ref().map(name);
        let said = vec![(ink, fit(&clean(&difference.text), TEXT))];
        Block::Item(Item::new(about, said))
    });
    let blocks: Vec<Block> = differences.collect();
    (!blocks.is_empty()).then(|| Section::new(Place::Differences, "What else differs", blocks))
}

fn gate(gate: &Gate) -> Section {
    let lines = gate_lines(gate).into_iter().map(|(passed, text)| {
        let ink = if passed { Ink::Plain } else { Ink::Failed };
        Block::Item(Item::new(None, vec![(ink, text)]))
    });
    Section::new(Place::Gate, "Gate", lines.collect())
}

//! The result of many hosts as a document.

use super::sentences::{columns, how, missing, outliers, sentences, title, titles};
use crate::clean::{clean, fit};
use crate::document::{
    Block, Column, Document, Ink, Item, Piece, Place, Row, Section, Table, paragraphs,
};
use crate::words::name;
use tare_board::{Fleet, FleetRow};

/// Most columns of a benchmark's name and of a warning; fewest of the name on a terminal.
const NAME: usize = 60;
const WARNING: usize = 1000;
const LEAST: usize = 12;

/// The narrowest terminal that has room for I² and the number of hosts.
const WITH_SPARE: usize = 92;

/// Hosts that are listed.
const HOSTS: usize = 40;

/// Everything that is said of many hosts.
pub(crate) fn document(fleet: &Fleet) -> Document {
    let mut sections = vec![
        Section::new(Place::Title, "", paragraphs(Ink::Bold, vec![title(fleet)])),
        Section::new(Place::Summary, "", notices(fleet)),
        Section::new(Place::Summary, "", summary(fleet)),
    ];
    sections.extend((0..fleet.layers.len()).map(|at| rows(fleet, at)));
    sections.push(hosts(fleet));
    sections.push(Section::new(Place::Method, "", paragraphs(Ink::Dim, how(fleet))));
    Document { title: String::new(), sections }
}

fn notices(fleet: &Fleet) -> Vec<Block> {
    let missing = missing(fleet).into_iter().map(|text| Block::Notice(Ink::Worse, text));
    let warnings = fleet.warnings.iter().map(|text| fit(&clean(text), WARNING));
    missing.chain(warnings.map(|text| Block::Notice(Ink::Caution, text))).collect()
}

/// A statement a layer, then the hosts that are unlike the others.
fn summary(fleet: &Fleet) -> Vec<Block> {
    let layers = fleet.layers.iter().enumerate().map(|(at, layer)| {
        let said = sentences(fleet, layer).into_iter();
        let said = said.map(|(verdict, text)| (verdict.into(), text)).collect();
        Block::Item(Item::of_series(name(&layer.name), at + 1, said))
    });
    layers.chain(paragraphs(Ink::Caution, outliers(fleet))).collect()
}

fn rows(fleet: &Fleet, at: usize) -> Section {
    let layer = name(&fleet.layers[at].name);
    let [ratio, interval, next, i_squared, hosts, verdict] = titles(fleet);
    let columns = vec![
        Column::names("benchmark"),
        Column::numbers(ratio),
        Column::words(interval),
        Column::words(next),
        Column::numbers(i_squared).spare_below(WITH_SPARE),
        Column::numbers(hosts).spare_below(WITH_SPARE),
        Column::words(verdict),
    ];
    let lines = fleet.rows.iter().map(|row| line(row, at, fleet.method.margin)).collect();
    let heading = format!("{layer} / {}", name(&fleet.baseline));
    let table = Table { subject: layer, ..Table::new(LEAST, columns, lines) };
    Section::new(Place::Rows, heading, vec![Block::Table(table)])
}

fn line(row: &FleetRow, at: usize, margin: f64) -> Row {
    let cell = &row.cells[at];
    let [ratio, interval, next, i_squared, hosts, verdict] = columns(row, cell, margin);
    let ink = cell.verdict.into();
    let cells = vec![
        Piece::new(Ink::Plain, fit(&clean(&row.benchmark), NAME)),
        Piece::new(ink, ratio),
        Piece::new(Ink::Plain, interval),
        Piece::new(Ink::Plain, next),
        Piece::new(Ink::Dim, i_squared),
        Piece::new(Ink::Dim, hosts),
        Piece::new(ink, verdict),
    ];
    Row { verdict: cell.verdict, ..cells.into() }
}

fn hosts(fleet: &Fleet) -> Section {
    let rows = fleet.hosts.iter().take(HOSTS).map(|host| {
        let cpu = fit(&clean(&host.cpu_model), 40);
        vec![name(&host.name), host.blocks.to_string(), name(&host.kernel), cpu].into()
    });
    let columns = vec![
        Column::names("host"),
        Column::numbers("blocks"),
        Column::words("kernel"),
        Column::words("processor"),
    ];
    let mut blocks = vec![Block::Table(Table::new(LEAST, columns, rows.collect()))];
    if let Some(more) = fleet.hosts.len().checked_sub(HOSTS + 1) {
        blocks.push(Block::Paragraph(Ink::Dim, format!("and {} more", more + 1)));
    }
    Section::new(Place::Rows, "Hosts", blocks)
}

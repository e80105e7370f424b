//! The terminal form of the result of many hosts.

use super::sentences::{columns, how, missing, outliers, sentences, title, titles};
use crate::TextStyle;
use crate::clean::{clean, fit};
use crate::text::{Ink, Page, Piece, Side, verdict_ink};
use crate::words::name;
use tare_board::{Fleet, FleetLayer, FleetRow};

/// Fewest columns that a benchmark's name gets, and most.
const NAME: (usize, usize) = (12, 40);

/// The columns of hosts and of I², and the narrowest page that has room for them.
const SPARE: [usize; 2] = [5, 4];
const WITH_SPARE: usize = 92;

/// Hosts that are listed.
const HOSTS: usize = 40;

/// Writes the result for a terminal.
#[must_use]
pub fn fleet_text(fleet: &Fleet, style: &TextStyle) -> String {
    let mut page = Page::new(style.width.max(TextStyle::NARROWEST), style.paint);
    page.paragraph(Ink::Bold, "", &title(fleet));
    page.gap();
    for line in missing(fleet) {
        page.paragraph(Ink::Worse, "", &line);
    }
    for warning in &fleet.warnings {
        page.paragraph(Ink::Caution, "", &fit(&clean(warning), 1000));
    }
    page.gap();
    for layer in &fleet.layers {
        headline(&mut page, fleet, layer);
    }
    for line in outliers(fleet) {
        page.paragraph(Ink::Caution, "", &line);
    }
    if style.details {
        (0..fleet.layers.len()).for_each(|at| table(&mut page, fleet, at));
        hosts(&mut page, fleet);
    }
    page.gap();
    for line in how(fleet) {
        page.paragraph(Ink::Dim, "", &line);
    }
    page.finish()
}

fn headline(page: &mut Page, fleet: &Fleet, layer: &FleetLayer) {
    for (at, (verdict, sentence)) in sentences(fleet, layer).into_iter().enumerate() {
        let label = if at == 0 { format!("{}: ", name(&layer.name)) } else { "  ".into() };
        page.labelled(&label, verdict_ink(verdict), &sentence);
    }
}

fn table(page: &mut Page, fleet: &Fleet, at: usize) {
    page.heading(&format!("{} / {}", name(&fleet.layers[at].name), name(&fleet.baseline)));
    let titles = std::iter::once("benchmark".to_owned()).chain(titles(fleet));
    let mut rows = vec![titles.map(|title| Piece::new(Ink::Bold, title)).collect()];
    rows.extend(fleet.rows.iter().map(|row| line(row, at, fleet.method.margin)));
    let mut sides = vec![Side::Left; 7];
    [1, 4, 5].into_iter().for_each(|column| sides[column] = Side::Right);
    if page.width < WITH_SPARE {
        for column in SPARE {
            rows.iter_mut().for_each(|row| drop(row.remove(column)));
            sides.remove(column);
        }
    }
    page.grid(&sides, &rows, NAME.0);
}

fn line(row: &FleetRow, at: usize, margin: f64) -> Vec<Piece> {
    let cell = &row.cells[at];
    let [ratio, interval, next, i_squared, hosts, verdict] = columns(row, cell, margin);
    let ink = verdict_ink(cell.verdict);
    vec![
        Piece::new(Ink::Plain, fit(&clean(&row.benchmark), NAME.1)),
        Piece::new(ink, ratio),
        Piece::new(Ink::Plain, interval),
        Piece::new(Ink::Plain, next),
        Piece::new(Ink::Dim, i_squared),
        Piece::new(Ink::Dim, hosts),
        Piece::new(ink, verdict),
    ]
}

fn hosts(page: &mut Page, fleet: &Fleet) {
    page.heading("Hosts");
    let titles = ["host", "blocks", "kernel", "processor"];
    let mut rows = vec![titles.map(|title| Piece::new(Ink::Bold, title)).into()];
    rows.extend(fleet.hosts.iter().take(HOSTS).map(|host| {
        let cells = [
            name(&host.name),
            host.blocks.to_string(),
            name(&host.kernel),
            fit(&clean(&host.cpu_model), 40),
        ];
        cells.map(|text| Piece::new(Ink::Plain, text)).into()
    }));
    page.grid(&[Side::Left, Side::Right, Side::Left, Side::Left], &rows, NAME.0);
    if let Some(more) = fleet.hosts.len().checked_sub(HOSTS + 1) {
        page.paragraph(Ink::Dim, "", &format!("and {} more", more + 1));
    }
}

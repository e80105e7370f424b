//! Benchmark × layer: the ratio and the verdict's mark, the baseline's raw value and the noise floor.

use crate::clean::clean;
use crate::document::{self, Block, Column, Ink, Piece, Place, Section, Table};
use crate::{enough, legend, words};
use tare_board::format::{percent_above_one, quantity, short_ratio};
use tare_board::load::plain;
use tare_board::{Geomean, LayerSummary, Measure, Row, Scoreboard, Verdict};
use tare_proto::{Better, Untrusted};

/// Columns that a layer takes in the matrix (`12.3 ▲*`), that the baseline's raw value and the floor do, and fewest of a name.
const CELL: usize = 8;
const BASELINE: usize = 9;
const FLOOR: usize = 6;
const NAME: usize = 16;

/// The mean of a suite in which more is better somewhere: there, what it costs is one over the ratio.
const COST: &str = "geometric mean cost";

/// The matrix and what is to be known when reading it. The baseline alone still has values and a floor.
pub(super) fn sections(board: &Scoreboard) -> Vec<Section> {
    let shown: Vec<usize> =
        board.others().enumerate().filter(|(_, l)| l.measured > 0).map(|(at, _)| at).collect();
    if shown.is_empty() && board.rows.iter().all(|row| row.baseline.is_none()) {
        return Vec::new();
    }
    let table = Table::new(NAME, columns(board, &shown), rows(board, &shown));
    let mut sections = vec![Section::new(Place::Board, "", vec![Block::Table(table)])];
    if shown.is_empty() {
        return sections;
    }
    let legend = Block::Paragraph(Ink::Dim, legend(board));
    sections.push(Section::new(Place::Board, "", vec![legend]));
    sections
        .extend(legend::mostly_subtracted(board).map(|text| {
            Section::new(Place::Board, "", vec![Block::Paragraph(Ink::Caution, text)])
        }));
    sections
}

fn columns(board: &Scoreboard, shown: &[usize]) -> Vec<Column> {
    let layers: Vec<&LayerSummary> = board.others().collect();
    let baseline = Column::numbers(clean(&board.baseline)).of(BASELINE);
    let benchmark = Column { loads: true, ..Column::names("benchmark") };
    let mut columns = vec![benchmark, baseline];
    columns.extend(shown.iter().map(|&at| Column::layer(clean(&layers[at].name), CELL)));
    columns.push(Column::numbers("floor").of(FLOOR));
    columns
}

/// Suite by suite: its benchmarks, their geometric means, and what the host measures around them.
fn rows(board: &Scoreboard, shown: &[usize]) -> Vec<document::Row> {
    let suites = words::suites(board);
    let shared: Vec<Vec<Untrusted>> = shown.iter().map(|&at| words::shared(board, at)).collect();
    let line = |row: &&Row| -> document::Row {
        let mut cells = vec![name(row), baseline(row)];
        cells.extend(shown.iter().zip(&shared).map(|(&at, shared)| cell(row, at, shared)));
        let floor = row.floor.and_then(|floor| floor.bound).map_or("–".into(), percent_above_one);
        cells.push(Piece::new(Ink::Dim, floor));
        cells.into()
    };
    let mut rows: Vec<document::Row> = Vec::new();
    for suite in &suites {
        if suites.len() > 1 {
            rows.push(vec![Piece::new(Ink::Dim, words::name(suite))].into());
        }
        let own = board.rows.iter().filter(|row| row.suite == *suite);
        let (host, probe): (Vec<&Row>, Vec<&Row>) = own.partition(|row| row.by_host);
        rows.extend(probe.iter().map(line));
        rows.extend(means(board, suite, shown));
        rows.extend(host.iter().map(line));
    }
    rows
}

fn name(row: &Row) -> Piece {
    let arrow = if row.better == Better::Higher { "↑" } else { "" };
    Piece { mark: arrow.into(), ..Piece::new(Ink::Plain, clean(&row.benchmark)) }
}

fn baseline(row: &Row) -> Piece {
    Piece::new(Ink::Dim, row.baseline.map_or("–".into(), |mean| quantity(row.unit, mean.mean)))
}

fn cell(row: &Row, at: usize, shared: &[Untrusted]) -> Piece {
    let cell = &row.cells[at];
    let star = if words::labels(cell, shared).is_empty() { "" } else { "*" };
    match cell.ratio {
        Some(ratio) => marked(ratio.value, cell.verdict, star),
        None => Piece::new(Ink::Dim, words::without_ratio(row, cell)),
    }
}

fn marked(ratio: f64, verdict: Verdict, star: &str) -> Piece {
    let mark = format!("{}{star}", words::mark(verdict));
    Piece { mark, ..Piece::new(verdict.into(), short_ratio(ratio)) }
}

/// The lines of geometric means below a suite.
fn means(board: &Scoreboard, suite: &str, shown: &[usize]) -> Vec<document::Row> {
    let layers: Vec<&LayerSummary> = board.others().collect();
    let of = |measure: Measure, at: usize| -> Option<&Geomean> {
        board.geomeans.iter().find(|mean| {
            mean.suite == suite && mean.measure == measure && mean.layer == layers[at].name
        })
    };
    let plain = plain(board.rows.iter().map(|row| row.benchmark.raw()));
    let size = |measure| {
        let rows = board.rows.iter().zip(&plain).filter(|(_, plain)| **plain).map(|(row, _)| row);
        let rows = rows.filter(|row| row.suite == suite && !row.by_host);
        rows.filter(|row| Measure::of(row.unit) == measure).count()
    };
    let rates = board.rows.iter().any(|row| row.suite == suite && row.better == Better::Higher);
    let title = if rates { COST } else { "geometric mean" };
    let single = board.rows.iter().all(|row| row.suite == suite);
    let floor = board.floor.bound.filter(|_| single).map_or(String::new(), percent_above_one);
    let measures = Measure::ALL.into_iter().filter(|m| size(*m) > 1 && !shown.is_empty());
    let line = |measure| -> document::Row {
        let mut line = vec![Piece::new(Ink::Bold, title), Piece::new(Ink::Plain, "")];
        line.extend(shown.iter().map(|&at| match of(measure, at) {
            Some(mean) => marked(mean.cost.value, mean.verdict, ""),
            None => Piece::new(Ink::Dim, "–"),
        }));
        line.push(Piece::new(Ink::Dim, &floor));
        line.into()
    };
    measures.map(line).collect()
}

fn legend(board: &Scoreboard) -> String {
    let baseline = words::name(&board.baseline);
    let present = |measure: &Measure| board.rows.iter().any(|r| Measure::of(r.unit) == *measure);
    let words = |verdict| {
        let all = Measure::ALL.into_iter().filter(present).map(|m| words::word(verdict, m));
        all.collect::<Vec<_>>().join(" or ")
    };
    let worse = words(Verdict::Worse);
    let better = words(Verdict::Better);
    let margin = words::percent_of(board.method.margin);
    let mut text = format!(
        "Ratios to {baseline}. ▲ {worse}, ▼ {better}, = equivalent within {margin}, \
         ? undecided, · no interval, * see details. "
    );
    if board.rows.iter().any(|row| row.better == Better::Higher) {
        text += "↑ higher is better: there ▲ is below 1, though above 1 in a mean cost. ";
    }
    text += &legend::about_rows(board);
    if !enough::all_imported(board) {
        text += &format!("floor: {baseline} against itself; smaller differences do not count. ");
    }
    if board.method.comparisons > 0 {
        text += &format!(
            "Verdicts: {} confidence for all {} together ({}).",
            words::percent_of(board.method.confidence),
            board.method.comparisons,
            words::correction(board.method.correction),
        );
    }
    text
}

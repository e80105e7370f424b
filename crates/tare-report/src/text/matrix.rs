//! Benchmark × layer: the ratio and the verdict's mark, the baseline's raw value and the noise floor.

use super::page::{GAP, Page};
use crate::clean::{clean, stack, width};
use crate::document::{Ink, Piece, Side};
use crate::words;
use tare_board::format::{percent_above_one, quantity, short_ratio};
use tare_board::load::plain;
use tare_board::{Geomean, LayerSummary, Measure, Row, Scoreboard, Verdict};
use tare_proto::{Better, Untrusted, name_and_load};

/// Columns that a layer takes in the matrix: `12.3 ▲*`.
const CELL: usize = 8;
/// Columns of the number in it.
const NUMBER: usize = 5;
/// Columns of the baseline's raw value and of the floor.
const BASELINE: usize = 9;
const FLOOR: usize = 6;
/// Fewest columns that a benchmark's name gets, and most.
const NAME: (usize, usize) = (16, 40);
/// Where a load stands at most.
const LOAD_AT: usize = 24;
/// The mean of a suite in which more is better somewhere: there, what it costs is one over the ratio.
const COST: &str = "geometric mean cost";
/// Most lines that a layer's name may take above its column.
const HEADER_LINES: usize = 3;

/// Writes the matrix, in several parts when the layers do not fit side by side.
pub(super) fn matrix(page: &mut Page, board: &Scoreboard) {
    let shown: Vec<usize> =
        board.others().enumerate().filter(|(_, l)| l.measured > 0).map(|(at, _)| at).collect();
    if shown.is_empty() {
        // The baseline alone still has values and a floor.
        if board.rows.iter().any(|row| row.baseline.is_some()) {
            page.gap();
            one(page, board, &[]);
        }
        return;
    }
    let fixed = NAME.0 + 2 * GAP + BASELINE + FLOOR;
    let fit = (page.width.saturating_sub(fixed) / (CELL + GAP)).max(1);
    let parts = shown.len().div_ceil(fit);
    for part in shown.chunks(shown.len().div_ceil(parts)) {
        page.gap();
        one(page, board, part);
    }
    legend(page, board);
}

fn one(page: &mut Page, board: &Scoreboard, columns: &[usize]) {
    let mut sides = vec![Side::Left, Side::Right];
    sides.extend(columns.iter().map(|_| Side::Left));
    sides.push(Side::Right);
    let mut rows = header(board, columns);
    let mut suites: Vec<&str> = Vec::new();
    for row in &board.rows {
        if !suites.contains(&row.suite.raw()) {
            suites.push(row.suite.raw());
        }
    }
    for suite in &suites {
        if suites.len() > 1 {
            rows.push(vec![Piece::new(Ink::Dim, words::name(suite))]);
        }
        let own = || board.rows.iter().filter(|row| row.suite == *suite);
        let (host, probe): (Vec<&Row>, Vec<&Row>) = own().partition(|row| row.by_host);
        let mut above = "";
        for row in probe {
            rows.push(benchmark(board, row, columns, above));
            above = name_and_load(row.benchmark.raw()).0;
        }
        rows.extend(means(board, suite, columns));
        rows.extend(host.into_iter().map(|row| benchmark(board, row, columns, "")));
    }
    let rows: Vec<_> = rows.into_iter().map(Into::into).collect();
    page.grid(&sides, &rows, NAME.0);
}

fn header(board: &Scoreboard, columns: &[usize]) -> Vec<Vec<Piece>> {
    let layers: Vec<&LayerSummary> = board.others().collect();
    let lines = |text: &str, columns: usize| {
        let mut lines = stack(&clean(text), columns);
        lines.truncate(HEADER_LINES);
        lines
    };
    // A short name stands over its numbers, not left of them.
    let over_numbers = |text: &str| {
        let lines = lines(text, CELL);
        lines.into_iter().map(|line| format!("{line:>NUMBER$}")).collect()
    };
    let mut names = vec![vec!["benchmark".to_owned()], lines(board.baseline.raw(), BASELINE)];
    names.extend(columns.iter().map(|&at| over_numbers(layers[at].name.raw())));
    names.push(vec!["floor".into()]);
    let height = names.iter().map(Vec::len).max().unwrap_or(1);
    let line = |y: usize| {
        // Names stand on the line above the numbers.
        let word = |lines: &Vec<String>| {
            let from = height - lines.len();
            y.checked_sub(from).and_then(|at| lines.get(at)).cloned().unwrap_or_default()
        };
        names.iter().map(|lines| Piece::new(Ink::Bold, word(lines))).collect()
    };
    (0..height).map(line).collect()
}

/// A row's line; below a row of the same benchmark, `above`, only its load stands there, where its name would end.
fn benchmark(board: &Scoreboard, row: &Row, columns: &[usize], above: &str) -> Vec<Piece> {
    let arrow = if row.better == Better::Higher { " ↑" } else { "" };
    let (base, load) = name_and_load(row.benchmark.raw());
    let full = match base == above && load != 1 {
        true => format!("{:>1$}@{load}", "", width(&clean(base)).min(LOAD_AT)),
        false => clean(&row.benchmark),
    };
    let name = crate::clean::fit(&full, NAME.1 - width(arrow));
    let raw = row.baseline.map_or("–".into(), |mean| quantity(row.unit, mean.mean));
    let mut pieces = vec![Piece::new(Ink::Plain, name + arrow), Piece::new(Ink::Dim, raw)];
    pieces.extend(columns.iter().map(|&at| cell(row, at, &words::shared(board, at))));
    let floor = row.floor.and_then(|floor| floor.bound).map_or("–".into(), percent_above_one);
    pieces.push(Piece::new(Ink::Dim, floor));
    pieces
}

fn cell(row: &Row, at: usize, shared: &[Untrusted]) -> Piece {
    let cell = &row.cells[at];
    let Some(ratio) = cell.ratio else {
        return Piece::new(Ink::Dim, format!("{:>NUMBER$}", words::without_ratio(row, cell)));
    };
    let star = if words::labels(cell, shared).is_empty() { "" } else { "*" };
    marked(ratio.value, cell.verdict, star)
}

fn marked(ratio: f64, verdict: Verdict, star: &str) -> Piece {
    let text = format!("{:>NUMBER$} {}{star}", short_ratio(ratio), words::mark(verdict));
    Piece::new(verdict.into(), text)
}

fn means(board: &Scoreboard, suite: &str, columns: &[usize]) -> Vec<Vec<Piece>> {
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
    let mut lines = Vec::new();
    let measures = Measure::ALL.into_iter().filter(|m| size(*m) > 1);
    for measure in measures.filter(|_| !columns.is_empty()) {
        let rates = board.rows.iter().any(|row| row.suite == suite && row.better == Better::Higher);
        let name = if rates { COST } else { "geometric mean" };
        let mut line = vec![Piece::new(Ink::Bold, name), Piece::new(Ink::Plain, "")];
        line.extend(columns.iter().map(|&at| {
            of(measure, at).map_or_else(
                || Piece::new(Ink::Dim, "    –"),
                |mean| marked(mean.cost.value, mean.verdict, ""),
            )
        }));
        let single = board.rows.iter().all(|row| row.suite == suite);
        let floor = board.floor.bound.filter(|_| single).map_or(String::new(), percent_above_one);
        line.push(Piece::new(Ink::Dim, floor));
        lines.push(line);
    }
    lines
}

fn legend(page: &mut Page, board: &Scoreboard) {
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
    text += &crate::legend::about_rows(board);
    if !crate::headline::all_imported(board) {
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
    page.gap();
    page.paragraph(Ink::Dim, "", &text);
    if let Some(text) = crate::legend::mostly_subtracted(board) {
        page.gap();
        page.paragraph(Ink::Caution, "", &text);
    }
}

//! A table as grids of cells for a terminal: as many columns as there is room for, below their titles.

use crate::clean::{fit, stack, width};
use crate::document::{Column, Ink, Piece, Row, Side, Table};
use tare_proto::name_and_load;

/// Two columns between cells.
pub(super) const GAP: usize = 2;

/// Most columns of a name in a table, and where the load behind it stands at most in a row below one of the same name.
const NAME: usize = 40;
const LOAD_AT: usize = 24;

/// Fewest columns that figures with marks take: `12.3 ▲*`.
const FIGURE: usize = 5;

/// Most lines of a column's title.
const TITLE_LINES: usize = 4;

/// The grids that `table` becomes on a page of `width` columns: their cells' sides, and their rows.
pub(super) fn grids(table: &Table, width: usize) -> Vec<(Vec<Side>, Vec<Row>)> {
    let grid = |shown: &Vec<usize>| {
        let sides = shown.iter().map(|&at| table.columns[at].side).collect();
        (sides, rows(table, shown))
    };
    parts(table, width).iter().map(grid).collect()
}

/// The titles of the `shown` columns, and their cells.
fn rows(table: &Table, shown: &[usize]) -> Vec<Row> {
    let columns: Vec<&Column> = shown.iter().map(|&at| &table.columns[at]).collect();
    let figures: Vec<[usize; 3]> = shown.iter().map(|&at| figures(table, at)).collect();
    let mut rows = titles(&columns, &figures);
    let mut above = "";
    for row in &table.rows {
        let cell =
            |(place, &at): (usize, &usize)| cell(columns[place], &row.cells[at], figures[place]);
        let mut cells: Vec<Piece> = match row.cells.len() {
            1 => row.cells.clone(),
            _ => shown.iter().enumerate().map(cell).collect(),
        };
        if let (true, Some(name)) = (columns[0].loads, row.cells.first()) {
            let (base, load) = name_and_load(&name.text);
            if base == above && load != 1 {
                let behind = width(base).min(LOAD_AT);
                cells[0].text = format!("{:behind$}@{load} {}", "", name.mark);
            }
            above = base;
        }
        rows.push(Row { cells, remark: row.remark.clone(), verdict: row.verdict });
    }
    rows
}

/// The columns of each table that `table` becomes on a page of `width` columns.
fn parts(table: &Table, width: usize) -> Vec<Vec<usize>> {
    let columns = &table.columns;
    let shown: Vec<usize> =
        (0..columns.len()).filter(|&at| columns[at].narrowest <= width).collect();
    let (spread, fixed): (Vec<usize>, Vec<usize>) =
        shown.iter().partition(|&&at| columns[at].spread);
    let room = |at: &usize| match columns[*at].room {
        0 => self::width(&columns[*at].title) + GAP,
        room => room + GAP,
    };
    let taken = table.least + fixed.iter().skip(1).map(room).sum::<usize>();
    let widest = spread.iter().map(room).max().unwrap_or(1);
    let beside = (width.saturating_sub(taken) / widest).max(1);
    let tables = spread.len().div_ceil(beside);
    if tables < 2 {
        return vec![shown];
    }
    let part = |part: &[usize]| {
        let own = |at: &usize| !columns[*at].spread || part.contains(at);
        shown.iter().copied().filter(own).collect()
    };
    spread.chunks(spread.len().div_ceil(tables)).map(part).collect()
}

/// Widths of the figures, marks and second figures in column `at`.
fn figures(table: &Table, at: usize) -> [usize; 3] {
    let cells = || table.rows.iter().filter(|row| row.cells.len() > 1).map(|row| &row.cells[at]);
    let of = |part: fn(&Piece) -> &str| cells().map(|cell| width(part(cell))).max().unwrap_or(0);
    let marked = cells().filter(|cell| !cell.mark.is_empty() || !cell.also.is_empty());
    let figure = marked.map(|cell| width(&cell.text)).max().unwrap_or(0).max(FIGURE);
    [figure, of(|cell| &cell.mark), of(|cell| &cell.also)]
}

/// A cell as a terminal shows it.
fn cell(column: &Column, piece: &Piece, [figure, mark, also]: [usize; 3]) -> Piece {
    let text = match column.side {
        Side::Figures => {
            let mut text = format!("{:>figure$}", piece.text);
            if mark > 0 {
                text += &format!(" {:mark$}", piece.mark);
            }
            if also > 0 {
                text += &format!(" {:>also$}", piece.also);
            }
            text.trim_end().to_owned()
        }
        _ if column.names => {
            let behind = if piece.mark.is_empty() { 0 } else { 1 + width(&piece.mark) };
            Piece { text: fit(&piece.text, NAME - behind), ..piece.clone() }.whole()
        }
        _ => piece.whole(),
    };
    Piece::new(piece.ink, text)
}

/// The columns' titles, those that need several lines stacked; each stands on the line above the rows.
fn titles(columns: &[&Column], figures: &[[usize; 3]]) -> Vec<Row> {
    let lines = |(column, [figure, mark, also]): (&&Column, &[usize; 3])| {
        let mut lines = match column.room {
            0 => vec![column.title.clone()],
            room => stack(&column.title, room, TITLE_LINES),
        };
        if column.side == Side::Figures {
            // A short name stands over its numbers, not left of them.
            let over = if *also > 0 { figure + mark + 1 + also } else { *figure };
            lines.iter_mut().for_each(|line| *line = format!("{line:>over$}"));
        }
        lines
    };
    let stacked: Vec<Vec<String>> = columns.iter().zip(figures).map(lines).collect();
    let height = stacked.iter().map(Vec::len).max().unwrap_or(0);
    let row = |y: usize| {
        let word = |lines: &Vec<String>| {
            let line = (y + lines.len()).checked_sub(height).and_then(|at| lines.get(at));
            Piece::new(Ink::Bold, line.cloned().unwrap_or_default())
        };
        stacked.iter().map(word).collect::<Vec<_>>().into()
    };
    (0..height).map(row).collect()
}

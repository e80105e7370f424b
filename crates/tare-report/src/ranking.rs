//! Where to optimise: what a layer adds to the tests of a weighted suite, for every written form.

use crate::clean::{clean, fit};
use crate::document::{Column, Row, Table};
use crate::words;
use tare_board::format::{count, digits, percent, quantity};
use tare_board::ranking::{Added, ranking, sum};
use tare_board::{LayerSummary, Scoreboard};
use tare_proto::Unit;

/// Most columns of a test's name, and fewest on a terminal.
const NAME: usize = 32;
const LEAST: usize = 12;

/// What the tables show.
pub(crate) const NOTE: &str = "What a layer adds to each test of a mix, multiplied by how often the mix runs it, largest first. \
                               ▲ significant, ? not significant.";

/// The layers that add something to a test, with their places among the others.
pub(crate) fn rankings<'a>(
    board: &'a Scoreboard,
) -> impl Iterator<Item = (usize, &'a LayerSummary, Vec<Added<'a>>)> {
    let all = board.others().enumerate();
    let all = all.map(|(at, layer)| (at, layer, ranking(board, at)));
    all.filter(|(.., added)| !added.is_empty())
}

/// What the whole mix takes longer.
pub(crate) fn sentence(all: &[Added]) -> String {
    let (total, baseline) = sum(all);
    format!(
        "{} on top of the {} that the mix takes ({})",
        signed(total),
        quantity(Unit::Nanoseconds, baseline),
        count(all.len(), "test")
    )
}

/// The tests to which most is added, so many at most.
pub(crate) fn table(all: &[Added], most: usize) -> Table {
    let numbers = ["runs", "adds per run", "adds in total", "share of total"];
    let numbers = numbers.into_iter().map(Column::numbers);
    let columns = [Column::words("test")].into_iter().chain(numbers).chain([Column::words("")]);
    let positive: f64 = all.iter().map(|one| one.total().max(0.0)).sum();
    let row = |one: &Added| -> Row {
        let cells = vec![
            fit(&clean(&one.row.benchmark), NAME),
            digits(one.weight).trim_end_matches(".00").to_owned(),
            signed(one.layer - one.baseline),
            signed(one.total()),
            percent(100.0 * one.total() / positive),
            words::mark(one.verdict).to_string(),
        ];
        cells.into()
    };
    let rows = all.iter().filter(|one| one.total() > 0.0).take(most).map(row);
    Table::new(LEAST, columns.collect(), rows.collect())
}

/// A time with its sign.
fn signed(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "−" } else { "+" }, quantity(Unit::Nanoseconds, ns.abs()))
}

//! Cells and tables of starts: quantiles with their intervals, and what so few starts cannot tell.

use crate::document::{Column, Table};
use tare_board::Tails;
use tare_board::format::{count, quantity, quantity_and_ends};
use tare_proto::Unit;
use tare_stats::QuantileInterval;

/// What stands where nothing is known.
pub(crate) const NONE: &str = "–";

/// Fewest columns of a layer's name on a terminal.
const LEAST: usize = 8;

/// Starts from which on a quantile is more than a name for the slowest one.
const OF_95: usize = 21;
const OF_99: usize = 101;

/// The slow end: `p99 171 ms of 240 starts`, or `slowest of 60 starts 171 ms` where that is what the quantile is.
pub(crate) fn slow(start: &Tails) -> String {
    match start.starts < OF_99 {
        true => format!("slowest of {} {}", count(start.starts, "start"), time(start.slowest)),
        false => format!("p99 {} of {} starts", time(start.p99.value), start.starts),
    }
}

/// A line a layer, with numbers below `titles`.
pub(crate) fn table(title: &str, note: &str, titles: &[&str], rows: Vec<Vec<String>>) -> Table {
    let numbers = titles.iter().map(|title| Column::numbers(*title));
    let columns = [Column::names("layer")].into_iter().chain(numbers).collect();
    let rows = rows.into_iter().map(Into::into).collect();
    Table { title: title.into(), note: note.into(), ..Table::new(LEAST, columns, rows) }
}

pub(crate) fn tails(tails: Option<Tails>) -> Vec<String> {
    let Some(Tails { starts, p50, p95, p99, slowest }) = tails else { return Vec::new() };
    let known = |found: &QuantileInterval, least: usize| match starts < least {
        true => NONE.into(),
        false => interval(found),
    };
    vec![interval(&p50), known(&p95, OF_95), known(&p99, OF_99), time(slowest), starts.to_string()]
}

fn interval(found: &QuantileInterval) -> String {
    quantity_and_ends(Unit::Nanoseconds, found.value, (found.low, found.high))
}

pub(crate) fn time(ns: f64) -> String {
    quantity(Unit::Nanoseconds, ns)
}

pub(crate) fn bytes(bytes: f64) -> String {
    quantity(Unit::Bytes, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_that_so_few_starts_cannot_tell_is_called_the_slowest() {
        let at = |p, value| QuantileInterval { p, value, low: None, high: None };
        let (p50, p95, p99) = (at(0.5, 1e8), at(0.95, 1.6e8), at(0.99, 1.69e8));
        let few = Tails { starts: 17, p50, p95, p99, slowest: 1.7e8 };
        assert_eq!(slow(&few), "slowest of 17 starts 170 ms");
        assert_eq!(tails(Some(few))[1..], ["–", "–", "170 ms", "17"]);
        let many = Tails { starts: 240, ..few };
        assert_eq!(slow(&many), "p99 169 ms of 240 starts");
        assert!(tails(Some(many))[2].starts_with("169 ms"));
    }
}

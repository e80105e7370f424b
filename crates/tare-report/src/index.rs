//! Indices as tables, for every written form.

use crate::document::{Column, Table};
use crate::words;
use tare_board::{Index, Score, Scoreboard};

/// What is to be known when reading an index.
const NOTE: &str = "10 × result / published baseline, and the geometric mean of these; not a score of the \
                    original program, which a compiler and a C library go into.";

/// Fewest columns of a benchmark's name on a terminal.
const LEAST: usize = 12;

/// A table an index: benchmarks and the score below each other, layers side by side.
pub(crate) fn tables(board: &Scoreboard) -> impl Iterator<Item = Table> {
    board.indices.iter().map(table)
}

fn table(index: &Index) -> Table {
    let absent = || "–".to_owned();
    let at = if index.load == 1 { String::new() } else { format!(", at load {}", index.load) };
    let layers = index.layers.iter().map(|layer| Column::numbers(words::name(layer)));
    let line = |name: String, cells: Vec<String>| [vec![name], cells].concat().into();
    let row = |row: &tare_board::IndexRow| {
        let values = row.values.iter();
        let values = values.map(|value| value.map_or_else(absent, |v| format!("{v:.1}")));
        line(words::name(&row.benchmark), values.collect())
    };
    let score = |score: &Option<Score>| match score {
        Some(score) if score.left_out > 0 => {
            format!("{:.1} ({} of {})", score.value, score.rows, score.rows + score.left_out)
        }
        Some(score) => format!("{:.1}", score.value),
        None => absent(),
    };
    let scores = line("score".into(), index.scores.iter().map(score).collect());
    let columns = [Column::words("index")].into_iter().chain(layers).collect();
    let rows = index.rows.iter().map(row).chain([scores]).collect();
    Table {
        title: format!("Index of {}{at} (tare's implementation)", words::name(&index.suite)),
        note: NOTE.into(),
        ..Table::new(LEAST, columns, rows)
    }
}

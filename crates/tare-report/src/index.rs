//! Indices as a grid of words, for every written form.

use crate::words;
use tare_board::{Index, Score};

/// What stands above an index.
pub(crate) fn title(index: &Index) -> String {
    let at = if index.load == 1 { String::new() } else { format!(", at load {}", index.load) };
    format!("Index of {}{at} (tare's implementation)", words::name(&index.suite))
}

/// What is to be known when reading it.
pub(crate) const NOTE: &str = "10 × result / published baseline, and the geometric mean of these; not a score of the \
                               original program, which a compiler and a C library go into.";

/// The index as a grid of words: layers, benchmarks, the score.
pub(crate) fn grid(index: &Index) -> Vec<Vec<String>> {
    let absent = || "–".to_owned();
    let mut lines = vec![vec!["index".to_owned()]];
    lines[0].extend(index.layers.iter().map(|layer| words::name(layer)));
    for row in &index.rows {
        let values =
            row.values.iter().map(|value| value.map_or_else(absent, |v| format!("{v:.1}")));
        lines.push(std::iter::once(words::name(&row.benchmark)).chain(values).collect());
    }
    let score = |score: &Option<Score>| match score {
        Some(score) if score.left_out > 0 => {
            format!("{:.1} ({} of {})", score.value, score.rows, score.rows + score.left_out)
        }
        Some(score) => format!("{:.1}", score.value),
        None => absent(),
    };
    lines.push(std::iter::once("score".to_owned()).chain(index.scores.iter().map(score)).collect());
    lines
}

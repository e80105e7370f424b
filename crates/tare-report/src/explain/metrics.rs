//! The tables of reports 001 and 002 for a terminal: the metrics of one benchmark, the factors of one layer.

use super::text::{count, cut, wrapped};
use crate::clean::clean;
use crate::words;
use std::fmt::Write;
use tare_board::format::{digits, short_ratio};
use tare_board::{FactorRow, Factors, Metrics};

/// Columns of a line's name.
const NAME: usize = 32;

/// Layers beside the baseline that have room in 80 columns.
const ABREAST: usize = 2;

/// The table of one benchmark for a terminal, 80 columns.
pub fn metrics_text(metrics: &Metrics) -> String {
    let others: Vec<usize> = (1..metrics.layers.len()).collect();
    let mut text = String::new();
    let alone: &[usize] = &[];
    for some in others.chunks(ABREAST).chain(others.is_empty().then_some(alone)) {
        let _ = write!(
            text,
            "{:NAME$} {:>9}",
            clean(&metrics.benchmark),
            cut(&words::name(&metrics.layers[0]))
        );
        for &at in some {
            let _ = write!(text, " {:>9} {:>7}", cut(&words::name(&metrics.layers[at])), "");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        for line in &metrics.metrics {
            let shown = |at: usize| line.values[at].map_or("-".into(), count);
            let mut one = format!("  {:width$} {:>9}", line.name, shown(0), width = NAME - 2);
            for &at in some {
                let ratio = line.values[at].zip(line.values[0]).filter(|(_, base)| *base != 0.0);
                let ratio = ratio
                    .map_or("-".into(), |(value, base)| format!("×{}", short_ratio(value / base)));
                let _ = write!(one, " {:>9} {ratio:>7}", shown(at));
            }
            let _ = writeln!(text, "{one}");
        }
    }
    wrapped(&mut text, "  ", &metrics.note);
    text
}

/// The table of one layer for a terminal, 80 columns.
pub fn factors_text(factors: &Factors) -> String {
    let layer = words::name(&factors.layer);
    let baseline = words::name(&factors.baseline);
    let mut text = format!("{layer} / {baseline}, per operation\n{:27}", "");
    for column in &factors.columns {
        let _ = write!(text, " {column:>6}");
    }
    text.push('\n');
    for FactorRow { benchmark, ratios } in &factors.rows {
        let _ = write!(text, "  {:25}", clean(benchmark));
        for ratio in ratios {
            let _ = write!(text, " {:>6}", ratio.map_or("-".into(), digits));
        }
        text.push('\n');
    }
    text
}

//! The CSV form: one line per benchmark and layer. Columns never change their meaning; new ones come last.

use crate::words;
use tare_board::Scoreboard;
use tare_board::{Cell, Row};
use tare_proto::{Better, Foreign, Untrusted};

/// The columns. New ones come last; none changes its meaning.
const COLUMNS: &str = "suite,benchmark,unit,better,estimator,baseline,layer,status,ratio,ratio_low,ratio_high,blocks,\
    verdict,cost,layer_mean,baseline_mean,layer_ci_width_percent,baseline_ci_width_percent,floor,p_difference,\
    p_equivalence,remarks,subtracted_share,whole_ratio,whole_ratio_low,whole_ratio_high";

/// Writes the scoreboard as CSV (RFC 4180), with a header. Numbers are plain; what is not known is empty. Means are in
/// the row's unit; `cost` is the ratio, inverted where higher is better.
pub fn csv(board: &Scoreboard) -> String {
    let mut out = String::from(COLUMNS);
    out.push_str("\r\n");
    for row in &board.rows {
        for cell in &row.cells {
            out.push_str(&line(board, row, cell).join(","));
            out.push_str("\r\n");
        }
    }
    out
}

fn line(board: &Scoreboard, row: &Row, cell: &Cell) -> Vec<String> {
    let better = if row.better == Better::Lower { "lower" } else { "higher" };
    let labels = cell.comments.iter().map(|c| c.label());
    let remarks: Vec<String> = labels.chain(cell.why.clone()).map(Untrusted::into_raw).collect();
    let status = format!("{:?}", cell.presence).to_lowercase();
    let verdict = format!("{:?}", cell.verdict).to_lowercase();
    vec![
        csv_field(&row.suite),
        csv_field(&row.benchmark),
        row.unit.name().into(),
        better.into(),
        csv_field(&row.estimator),
        csv_field(&board.baseline),
        csv_field(&cell.layer),
        status,
        number(cell.ratio.map(|ratio| ratio.value)),
        number(cell.ratio.and_then(|ratio| ratio.low)),
        number(cell.ratio.and_then(|ratio| ratio.high)),
        cell.ratio.map_or(String::new(), |ratio| ratio.blocks.to_string()),
        verdict,
        number(words::cost(row, cell).map(|cost| cost.value)),
        number(cell.pair.map(|pair| pair.layer)),
        number(cell.pair.map(|pair| pair.baseline)),
        number(cell.mean.and_then(|mean| mean.ci_width_percent)),
        number(row.baseline.and_then(|mean| mean.ci_width_percent)),
        number(row.floor.and_then(|floor| floor.bound)),
        number(cell.p_difference),
        number(cell.p_equivalence),
        csv_field(&remarks.join("; ")),
        number(cell.subtracted.map(|s| s.layer.max(s.baseline))),
        number(cell.subtracted.map(|s| s.whole.value)),
        number(cell.subtracted.and_then(|s| s.whole.low)),
        number(cell.subtracted.and_then(|s| s.whole.high)),
    ]
}

/// As many digits as tell the number again, but no more than ten.
pub(crate) fn number(value: Option<f64>) -> String {
    match value {
        Some(v) if v.is_finite() => {
            let rounded: f64 = format!("{v:.9e}").parse().unwrap_or(v);
            format!("{rounded}")
        }
        _ => String::new(),
    }
}

/// A field: cleaned, quoted where needed, and never a formula to a spreadsheet.
pub fn csv_field(text: &(impl Foreign + ?Sized)) -> String {
    let mut text = crate::clean(text);
    if text.starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_and_formulas_are_not_run() {
        assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_field("=1+1"), "'=1+1");
        assert_eq!(number(Some(0.1 + 0.2)), "0.3");
        assert_eq!(number(Some(f64::NAN)), "");
    }
}

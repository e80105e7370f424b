//! What follows from a paper's figures, and where its own arithmetic does not hold.

use super::finding::{PaperFinding, half_digit};
use super::{Paper, Row, Table, claims};
use crate::index::{self, Printed};
use tare_stats::{Work, decompose};

/// Everything recomputed from `paper`.
pub fn findings(paper: &Paper) -> Vec<PaperFinding> {
    let mut all = Vec::new();
    for table in &paper.table {
        all.extend(ratios(table));
        all.extend(outside(table));
        all.extend(table.rows.iter().filter_map(|row| stated_outside(table, row)));
        all.extend(table.rows.iter().filter_map(|row| best(table, row)));
        all.extend(indices(table));
        all.extend(decomposition(table));
    }
    all.extend(paper.sum.iter().filter_map(|sum| {
        let table = paper.table(&sum.table)?;
        sums(table, &sum.total, &sum.parts)
    }));
    all.extend(paper.claim.iter().map(|claim| claims::claimed(paper, claim)));
    all.extend(paper.twice.iter().filter_map(|twice| claims::twice(paper, twice)));
    all.extend(paper.gap.iter().filter_map(|gap| claims::gap(paper, gap)));
    all
}

/// Printed ratios that the printed values cannot give, even before they were rounded.
fn ratios(table: &Table) -> Vec<PaperFinding> {
    let printed: Vec<_> = table.rows.iter().filter(|row| row.ratio.is_some()).collect();
    if printed.is_empty() {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    for row in &printed {
        let (Some(ratio), [base, value, ..]) = (row.ratio, &row.values[..]) else { continue };
        if !follows(ratio, *base, *value) {
            let computed = value / base;
            wrong.push(format!("{} {ratio:.2} (the values give {computed:.3})", row.name));
        }
    }
    let text = match wrong.len() {
        0 => format!("{}: all {} printed ratios follow from the values", table.name, printed.len()),
        n => format!(
            "{}: {n} of {} printed ratios do not follow from the values: {}",
            table.name,
            printed.len(),
            wrong.join(", ")
        ),
    };
    vec![PaperFinding::new(wrong.is_empty(), text)]
}

/// Whether a ratio printed to two decimals can come from values that were rounded to their last digits.
fn follows(printed: f64, base: f64, value: f64) -> bool {
    let computed = value / base;
    let hidden = computed * (half_digit(value) / value + half_digit(base) / base);
    (computed - printed).abs() <= 0.005 + hidden + 1e-9
}

/// What rounding may hide of two values and of their widths, in favour of the paper.
fn hidden(a: f64, b: f64, share: f64) -> f64 {
    half_digit(a) + half_digit(b) + share * 0.05 * (a + b) / 100.0 + 1e-9
}

/// Rows whose two intervals have no value in common, against what the text says. Widths are whole widths.
fn outside(table: &Table) -> Vec<PaperFinding> {
    if table.rows.iter().all(|row| row.width.len() != 2) {
        return Vec::new();
    }
    let beyond = |share: f64| -> Vec<&str> {
        let apart = |row: &&Row| {
            let ([a, b, ..], [wa, wb]) = (&row.values[..], &row.width[..]) else { return false };
            (a - b).abs() > share * (a * wa + b * wb) / 100.0 + hidden(*a, *b, share)
        };
        table.rows.iter().filter(apart).map(|row| row.name.as_str()).collect()
    };
    let rows = beyond(0.5);
    let claimed = &table.claimed_outside;
    let unsaid: Vec<&str> =
        rows.iter().copied().filter(|row| !claimed.iter().any(|c| c == row)).collect();
    let wide = beyond(1.0);
    let still: Vec<&str> = unsaid.iter().copied().filter(|row| wide.contains(row)).collect();
    let missing: Vec<&str> =
        claimed.iter().map(String::as_str).filter(|c| !rows.contains(c)).collect();
    let mut text = format!(
        "{}: {} rows lie outside their intervals ({}); the text names {} ({})",
        table.name,
        rows.len(),
        rows.join(", "),
        claimed.len(),
        claimed.join(", ")
    );
    if !unsaid.is_empty() {
        text += &format!("; not named: {}", unsaid.join(", "));
        text +=
            &format!("; of these, outside even if the widths are half widths: {}", or_none(&still));
    }
    if !missing.is_empty() {
        text += &format!("; named but inside: {}", missing.join(", "));
    }
    vec![PaperFinding::new(unsaid.is_empty() && missing.is_empty(), text)]
}

/// A row that is said to lie outside by so many percent: in which reading of the widths it does.
fn stated_outside(table: &Table, row: &Row) -> Option<PaperFinding> {
    let (stated, [a, b, ..], [wa, wb]) = (row.outside?, &row.values[..], &row.width[..]) else {
        return None;
    };
    let beyond = |share: f64| {
        let gap = (a - b).abs() - share * (a * wa + b * wb) / 100.0;
        100.0 * gap / a
    };
    let whole = beyond(0.5);
    let half = beyond(1.0);
    let near = |found: f64| (found - stated).abs() <= 0.5;
    let text = format!(
        "{}: {} is said to lie {stated}% outside; it is {whole:.1}% if the widths are whole widths, {half:.1}% if \
         they are half widths",
        table.name, row.name
    );
    Some(PaperFinding::new(near(whole) || near(half), text))
}

/// The ratio of the best values.
fn best(table: &Table, row: &Row) -> Option<PaperFinding> {
    let (printed, [a, b]) = (row.best_ratio?, &row.best[..]) else { return None };
    let computed = b / a;
    let text = format!(
        "{}: {}, ratio of the best printed {printed:.2}, the values give {computed:.3}",
        table.name, row.name
    );
    Some(PaperFinding::new(follows(printed, *a, *b), text))
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn indices(table: &Table) -> Vec<PaperFinding> {
    let finding = |(column, printed): (usize, &f64)| {
        let mut rows = Vec::new();
        let mut rounded = Vec::new();
        let mut wrong = Vec::new();
        for row in &table.rows {
            let (Some(baseline), Some(&result), Some(&index)) =
                (row.baseline, row.values.get(column), row.index.get(column))
            else {
                continue;
            };
            rows.push((result, baseline));
            match index::printed(index, result, baseline) {
                Printed::Follows => {}
                Printed::Rounded => rounded.push(row.name.as_str()),
                Printed::Differs => wrong.push(row.name.as_str()),
            }
        }
        let score = index::score(&rows);
        let text = format!(
            "{}, {}: the score from the results is {:.2}, printed {printed}; indices that do not follow: {}; \
             last digit lost in the printed result: {}",
            table.name,
            table.columns[column],
            score.value,
            or_none(&wrong),
            or_none(&rounded)
        );
        PaperFinding::new(wrong.is_empty() && score.is(*printed), text)
    };
    table.score.iter().enumerate().map(finding).collect()
}

/// The throughput ratio as the product of its factors.
fn decomposition(table: &Table) -> Option<PaperFinding> {
    let work = |column: usize| {
        let value = |role: &str| {
            let row = table.rows.iter().find(|row| row.role.as_deref() == Some(role))?;
            row.values.get(column).copied()
        };
        let throughput = value("throughput")?;
        let cpu = value("cpu_percent")?;
        Some(Work { throughput, cpu, path_length: value("path_length")?, cpi: value("cpi")? })
    };
    let d = decompose(&work(0)?, &work(1)?).ok()?;
    let share = |factor: tare_stats::Factor| {
        format!("{:.3} ({:.0}%)", factor.factor, factor.share.unwrap_or(0.0))
    };
    let text = format!(
        "{}: throughput {:.3}, its factors' product {:.3}: CPU {}, path length {}, CPI {}, residual {} of the log ratio",
        table.name,
        d.ratio,
        d.product,
        share(d.cpu),
        share(d.path_length),
        share(d.cpi),
        share(d.residual)
    );
    Some(PaperFinding::new((d.residual.factor - 1.0).abs() < 0.02, text))
}

fn sums(table: &Table, total: &str, parts: &[String]) -> Option<PaperFinding> {
    let whole = table.row(total)?;
    let mut wrong = Vec::new();
    for (column, value) in whole.values.iter().enumerate() {
        let sum: f64 = parts.iter().filter_map(|part| table.row(part)?.values.get(column)).sum();
        // Every figure is rounded to a whole one.
        if (sum - value).abs() > 0.5 * (parts.len() + 1) as f64 {
            wrong.push(format!("{}: {sum} for {value}", table.columns[column]));
        }
    }
    let text = match &wrong[..] {
        [] => format!("{}: {total} is the sum of {}", table.name, parts.join(" and ")),
        wrong => format!(
            "{}: {} do not add up to {total} ({})",
            table.name,
            parts.join(" and "),
            wrong.join("; ")
        ),
    };
    Some(PaperFinding::new(wrong.is_empty(), text))
}

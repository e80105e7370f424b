//! The result as text.

use super::Row;
use std::fmt::Write;
use tare_stats::RatioInterval;

/// Blocks below which an interval may be as wide as everything.
const ENOUGH: usize = 3;

const HEAD: [&str; 9] = [
    "row",
    "MB/s",
    "ratio",
    "CPU ms/GB front",
    "back",
    "CPU ratio",
    "in the ring",
    "p50 µs",
    "p99 µs",
];

/// A Markdown table for each experiment.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut experiment = "";
    for row in rows {
        if row.experiment != experiment {
            experiment = row.experiment;
            let _ = writeln!(text, "\n**{experiment}**\n\n| {} |", HEAD.join(" | "));
            let _ = writeln!(text, "|---{}|", "|---:".repeat(HEAD.len() - 1));
        }
        let _ = writeln!(text, "| {} |", cells(row).join(" | "));
    }
    text
}

fn cells(row: &Row) -> [String; 9] {
    let back = row.outcomes.iter().all(|one| one.back_cpu_s_per_gb.is_some());
    let back_ms = row.mean_of(|one| one.back_cpu_s_per_gb.unwrap_or(0.0)) * 1e3;
    [
        row.name.clone(),
        format!("{:.0}", row.mean_of(|one| one.bandwidth) / 1e6),
        interval(row.bandwidth_ratio.as_ref()),
        format!("{:.1}", row.mean_of(|one| one.front_cpu_s_per_gb) * 1e3),
        if back { format!("{back_ms:.1}") } else { "–".into() },
        interval(row.cpu_ratio.as_ref()),
        format!("{:.2}", row.mean_of(|one| one.sent_per_request)),
        format!("{:.0}", row.mean_of(|one| one.latency_us[0])),
        format!("{:.0}", row.mean_of(|one| one.latency_us[2])),
    ]
}

fn interval(ratio: Option<&RatioInterval>) -> String {
    match ratio {
        None => "–".into(),
        Some(ratio) if ratio.blocks < ENOUGH => format!("{:.2} (too few blocks)", ratio.ratio),
        Some(ratio) => format!("{:.2} ({:.2}–{:.2})", ratio.ratio, ratio.low, ratio.high),
    }
}

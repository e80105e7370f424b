//! `tare explain`: attributes a throughput ratio to CPU use, path length and CPI.

use crate::cli::ExplainArgs;
use crate::output;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;
use tare_stats::{Factor, Work, decompose};

/// What a metrics file holds: two layers, the baseline first by name.
#[derive(Deserialize)]
struct Metrics {
    baseline: String,
    layer: BTreeMap<String, Measured>,
}

/// One layer's metrics.
#[derive(Deserialize)]
struct Measured {
    throughput: f64,
    cpu_percent: f64,
    path_length: f64,
    cpi: f64,
    /// Misses per 1000 instructions, by cache.
    #[serde(default)]
    mpki: BTreeMap<String, f64>,
}

/// Explains every layer of the file, or of a paper's table.
pub fn explain(args: &ExplainArgs) -> Result<ExitCode> {
    let metrics = match args.from.strip_prefix("paper:") {
        Some(id) => from_paper(id)?,
        None => {
            let text = std::fs::read_to_string(&args.from)
                .with_context(|| format!("cannot read {}", args.from))?;
            toml::from_str(&text).with_context(|| format!("{} holds no metrics", args.from))?
        }
    };
    let base = metrics.layer.get(&metrics.baseline);
    let base =
        base.with_context(|| format!("no metrics of the baseline '{}'", metrics.baseline))?;
    for (name, layer) in metrics.layer.iter().filter(|(name, _)| **name != metrics.baseline) {
        let title = format!("{name} against {}", metrics.baseline);
        output::print(&one(&title, base, layer).with_context(|| title.clone())?);
    }
    Ok(ExitCode::SUCCESS)
}

/// The table of a paper that holds all four metrics.
fn from_paper(id: &str) -> Result<Metrics> {
    let all = tare_import::papers().context("the papers that tare carries")?;
    let paper = all.iter().find(|paper| paper.id == id);
    let paper = paper.with_context(|| format!("no paper '{id}'; 'tare papers list'"))?;
    for table in &paper.table {
        let measured = |at: usize| {
            let value = |role: &str| {
                table.rows.iter().find(|r| r.role.as_deref() == Some(role))?.values.get(at).copied()
            };
            let misses = table.rows.iter().filter(|row| row.name.ends_with("MPKI"));
            Some(Measured {
                throughput: value("throughput")?,
                cpu_percent: value("cpu_percent")?,
                path_length: value("path_length")?,
                cpi: value("cpi")?,
                mpki: misses.filter_map(|r| Some((r.name.clone(), *r.values.get(at)?))).collect(),
            })
        };
        let columns = table.columns.iter().enumerate();
        let layer: Option<BTreeMap<String, Measured>> =
            columns.map(|(at, name)| Some((name.clone(), measured(at)?))).collect();
        if let Some(layer) = layer {
            return Ok(Metrics { baseline: table.columns[0].clone(), layer });
        }
    }
    bail!("paper {id} has no table with throughput, CPU use, path length and CPI");
}

fn one(title: &str, base: &Measured, layer: &Measured) -> Result<String> {
    let work = |m: &Measured| Work {
        throughput: m.throughput,
        cpu: m.cpu_percent,
        path_length: m.path_length,
        cpi: m.cpi,
    };
    let d = decompose(&work(base), &work(layer))?;
    let mut text = format!("{title}: throughput × {:.3}\n", d.ratio);
    let mut line = |name: &str, factor: &Factor| {
        let share = factor.share.map_or("–".into(), |share| format!("{share:.1}%"));
        let _ = writeln!(text, "  {name:44} × {:.3} {share:>8}", factor.factor);
    };
    line("CPU in use", &d.cpu);
    line("instructions per transaction, fewer", &d.path_length);
    line("cycles per instruction, fewer", &d.cpi);
    line("not explained", &d.residual);
    let _ =
        writeln!(text, "  the factors' product is {:.3}; shares are of the log ratio", d.product);
    for (name, misses) in &layer.mpki {
        if let Some(before) = base.mpki.get(name) {
            let _ = writeln!(text, "  {name:44} {before} → {misses} (× {:.2})", misses / before);
        }
    }
    Ok(text)
}

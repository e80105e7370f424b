//! `tare explain`: breaks a campaign's ratios down, or a throughput ratio into CPU use, path length and CPI.

mod imported;
mod tried;

use crate::cli::{CountTable, ExplainArgs};
use crate::commands::explained::{explanations, of_one_layer};
use crate::usage::wrong_usage;
use crate::{input, newest, output};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use tare_board::{Options, PRICES, Scoreboard, factors, has_prices, metrics, scoreboard};
use tare_layers::suggestion;
use tare_report::{
    alone_stacks_text, alone_text, explanations_text, factors_text, json_text, metrics_text,
    stacks_text,
};
use tare_stats::{Factor, Work, decompose};
use tare_store::Campaign;

/// What a metrics file holds: two layers, the baseline first by name.
#[derive(Deserialize)]
struct Metrics {
    baseline: String,
    layer: BTreeMap<String, Measured>,
}

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

/// Explains a campaign's ratios, or every layer of a file or of a paper's table.
pub fn explain(args: &ExplainArgs) -> Result<ExitCode> {
    match (&args.dir, &args.from) {
        (None, Some(from)) => of_metrics(from, args.throughput.as_deref()),
        (dir, _) => of_campaign(&newest::campaign(dir.as_deref())?, args),
    }
}

fn of_campaign(dir: &Path, args: &ExplainArgs) -> Result<ExitCode> {
    let campaign = tare_store::load(dir)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let all: Vec<&str> = campaign.benchmarks.iter().map(|bench| bench.name.as_str()).collect();
    let layers: Vec<&str> = board.others().map(|layer| layer.name.raw()).collect();
    known("benchmark", args.benchmark.as_deref(), &all)?;
    known("layer", args.layer.as_deref(), &layers)?;
    if let Some(change) = &args.try_change {
        return tried::try_change(dir, &campaign, args, change);
    }
    let wanted = |name: &str, of: &Option<String>| of.as_deref().is_none_or(|of| of == name);
    let benches = all.iter().enumerate().filter(|(_, name)| wanted(name, &args.benchmark));
    let layers = || layers.iter().filter(|name| wanted(name, &args.layer));
    match args.table {
        Some(CountTable::Metrics) => {
            let benches = benches.filter_map(|(at, _)| metrics(&campaign, &board, at));
            let found = benches
                .map(|one| one.of(|name| name == board.baseline || wanted(name, &args.layer)));
            return told(dir, args.json, &found.collect::<Vec<_>>(), each(metrics_text));
        }
        Some(CountTable::Tests) => {
            let found = layers().filter_map(|name| factors(&campaign, &board, name));
            let found = found.map(|one| one.of(|name| wanted(name, &args.benchmark)));
            return told(dir, args.json, &found.collect::<Vec<_>>(), each(factors_text));
        }
        Some(CountTable::Stacks) | None => {}
    }
    let alone = of_one_layer(&campaign, &board, |name| wanted(name, &args.benchmark));
    if let Some(found) = alone {
        return match args.table {
            Some(_) => told(dir, args.json, &found, alone_stacks_text),
            None => told(dir, args.json, &found, alone_text),
        };
    }
    let prices = args.prices.as_deref().map(prices).transpose()?;
    let prices = prices.as_ref().map(|(campaign, board)| (campaign, board));
    let mut found = explanations(&campaign, &board, prices, |bench, layer| {
        wanted(bench, &args.benchmark) && wanted(layer, &args.layer)
    });
    if args.table.is_some() {
        found.retain(|one| !one.stacks().is_empty());
        return told(dir, args.json, &found, stacks_text);
    }
    tried::mark(dir, &campaign, &mut found);
    if found.is_empty() {
        bail!("{} has no such ratio to explain; 'tare show' says why", dir.display());
    }
    told(dir, args.json, &found, explanations_text)
}

/// The campaign with the costs of operations.
fn prices(dir: &Path) -> Result<(Campaign, Scoreboard)> {
    let campaign = tare_store::load(dir)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    if !has_prices(&board) {
        bail!(
            "{} has no costs of operations; 'tare run --suite {PRICES}' measures them",
            dir.display()
        );
    }
    Ok((campaign, board))
}

/// Every text, with a line between them.
fn each<T>(text: fn(&T) -> String) -> impl Fn(&[T]) -> String {
    move |all| all.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Prints what there is, or says that nothing was counted.
fn told<T: Serialize>(
    dir: &Path,
    json: bool,
    found: &[T],
    text: impl Fn(&[T]) -> String,
) -> Result<ExitCode> {
    if found.is_empty() {
        bail!("nothing was counted in {}; tare run --explain counts", dir.display());
    }
    if json {
        output::print(&json_text(&found))?;
    } else {
        output::print(&text(found))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn known(what: &str, name: Option<&str>, all: &[&str]) -> Result<()> {
    match name {
        Some(name) if !all.contains(&name) => {
            wrong_usage!(
                "no {what} '{name}' to explain in this campaign; {}",
                suggestion(name, all)
            )
        }
        _ => Ok(()),
    }
}

/// The largest file of metrics that is read, in bytes.
const LONGEST: u64 = 1 << 20;

fn of_metrics(from: &str, throughput: Option<&str>) -> Result<ExitCode> {
    let folder = Path::new(from);
    let metrics = match from.strip_prefix("paper:") {
        Some(id) => from_paper(id)?,
        None if folder.is_dir() => imported::metrics(folder, throughput)?,
        None => {
            let text = input::text(folder, LONGEST)?;
            toml::from_str(&text).with_context(|| format!("{from} holds no metrics"))?
        }
    };
    let base = metrics.layer.get(&metrics.baseline);
    let base =
        base.with_context(|| format!("no metrics of the baseline '{}'", metrics.baseline))?;
    for (name, layer) in metrics.layer.iter().filter(|(name, _)| **name != metrics.baseline) {
        let title = format!("{name} against {}", metrics.baseline);
        output::print(&one(&title, base, layer).with_context(|| title.clone())?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn from_paper(id: &str) -> Result<Metrics> {
    let all = tare_import::papers().context("the papers that tare carries")?;
    let paper = all.iter().find(|paper| paper.id == id);
    let Some(paper) = paper else {
        wrong_usage!("no paper '{id}'; 'tare lab papers list' lists them");
    };
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
    wrong_usage!("paper {id} has no table with throughput, CPU use, path length and CPI");
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
        let _ = writeln!(text, "  {name:52} × {:.3} {share:>8}", factor.factor);
    };
    line("CPU in use", &d.cpu);
    line("instructions per transaction, fewer", &d.path_length);
    line("cycles per instruction, fewer", &d.cpi);
    line("not explained (CPU frequency, other tasks, rounding)", &d.residual);
    let _ =
        writeln!(text, "  the factors' product is {:.3}; shares are of the log ratio", d.product);
    for (name, misses) in &layer.mpki {
        if let Some(before) = base.mpki.get(name) {
            let _ =
                writeln!(text, "  {name:52} {before:.2} → {misses:.2} (× {:.2})", misses / before);
        }
    }
    Ok(text)
}

//! `tare papers`: published results, what follows from their figures, and a campaign beside them.

use crate::cli::{PapersArgs, PapersVerb};
use crate::output;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use tare_import::{Paper, Table, findings, papers};
use tare_report::{Options, Scoreboard, clean, scoreboard};
use tare_stats::rank_correlation;

/// Lists, shows or compares.
pub fn run(args: &PapersArgs) -> Result<ExitCode> {
    let all = papers().context("the papers that tare carries")?;
    let text = match &args.verb {
        PapersVerb::List => list(&all),
        PapersVerb::Show { id } => show(named(&all, id)?),
        PapersVerb::Compare { id, dir } => compare(named(&all, id)?, dir)?,
    };
    output::print(&text);
    Ok(ExitCode::SUCCESS)
}

fn named<'a>(all: &'a [Paper], id: &str) -> Result<&'a Paper> {
    let ids: Vec<&str> = all.iter().map(|paper| paper.id.as_str()).collect();
    all.iter()
        .find(|paper| paper.id == id)
        .with_context(|| format!("no paper '{id}'; there are {}", ids.join(", ")))
}

fn list(all: &[Paper]) -> String {
    all.iter().map(|paper| format!("{}  {} ({})\n", paper.id, paper.title, paper.year)).collect()
}

fn show(paper: &Paper) -> String {
    let mut text = format!("{}\n{}\n\n", paper.title, paper.source);
    for line in &paper.configuration {
        let _ = writeln!(text, "  {line}");
    }
    if !paper.tests.is_empty() {
        let _ = writeln!(text, "\n{} tests: {}", paper.tests.len(), paper.tests.join(" "));
    }
    for table in &paper.table {
        text += &one_table(table);
    }
    if !paper.claim.is_empty() {
        text += "\nstated\n";
    }
    for claim in &paper.claim {
        let [low, high] = claim.percent;
        let percent = if low == high { format!("{low}%") } else { format!("{low} to {high}%") };
        let _ = writeln!(text, "  {}: {percent}", claim.about);
    }
    let found = findings(paper);
    if !found.is_empty() {
        text += "\nrecomputed\n";
    }
    for finding in found {
        let mark = if finding.holds { "holds" } else { "DOES NOT HOLD" };
        let _ = writeln!(text, "  {mark}: {}", finding.text);
    }
    text
}

fn one_table(table: &Table) -> String {
    let mut text = format!("\n{}\n{:46}", table.name, "");
    for column in &table.columns {
        let _ = write!(text, " {column:>13}");
    }
    text += "\n";
    for row in &table.rows {
        let name = format!("{} {}", row.name, row.unit);
        let _ = write!(text, "  {name:44}");
        for value in &row.values {
            let _ = write!(text, " {value:>13}");
        }
        if let [base, value] = row.values[..] {
            let _ = write!(text, "  {:.3}", value / base);
        }
        if let [base, value] = row.width[..] {
            let _ = write!(text, "  widths {base}% {value}%");
        }
        text += "\n";
    }
    text
}

/// The paper's ratios beside the campaign's, for every table and layer that share benchmarks.
fn compare(paper: &Paper, dir: &Path) -> Result<String> {
    let campaign = tare_store::load(dir)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let mut text = format!("{} beside {}\n", paper.title, dir.display());
    let mut shared = 0;
    for table in &paper.table {
        for (at, layer) in board.others().enumerate() {
            let Some(column) = column(table, &layer.name) else { continue };
            let base = table.column(&board.baseline).filter(|base| *base != column).unwrap_or(0);
            let rows = rows(table, (base, column), &board, at);
            if !rows.is_empty() && base != column {
                shared += rows.len();
                let (over, under) = (&table.columns[column], &table.columns[base]);
                let _ = writeln!(
                    text,
                    "\n{}: {over}/{under}, and {}/{}",
                    table.name,
                    clean(&layer.name),
                    clean(&board.baseline)
                );
                text += &beside(&rows);
            }
        }
    }
    if shared == 0 {
        bail!("{} and paper {} have no benchmark in common", dir.display(), paper.id);
    }
    Ok(text)
}

/// The paper's column for a layer: the one of its name, or the only one besides the baseline's.
fn column(table: &Table, layer: &str) -> Option<usize> {
    table.column(layer).or((table.columns.len() == 2).then_some(1))
}

/// A benchmark with the paper's ratio, the campaign's, and its interval if there is one.
type Pair = (String, f64, f64, Option<(f64, f64)>);

fn rows(table: &Table, (base, column): (usize, usize), board: &Scoreboard, at: usize) -> Vec<Pair> {
    let pair = |row: &tare_import::Row| {
        let own = board.rows.iter().find(|own| Some(&own.benchmark) == row.own.as_ref())?;
        let ratio = own.cells[at].ratio?;
        let published = row.values.get(column)? / row.values.get(base)?;
        Some((own.benchmark.clone(), published, ratio.value, ratio.low.zip(ratio.high)))
    };
    table.rows.iter().filter_map(pair).collect()
}

fn beside(rows: &[Pair]) -> String {
    let mut text = format!("  {:42} {:>8} {:>8}  {}\n", "benchmark", "paper", "here", "95% CI");
    let mut moved = Vec::new();
    for (name, published, here, interval) in rows {
        let name = clean(name);
        let interval = match interval {
            Some((low, high)) => {
                // The paper's ratio is printed with two digits after the point.
                if *published < low - 0.005 || *published > high + 0.005 {
                    moved.push(name.clone());
                }
                format!("{low:.3}–{high:.3}")
            }
            None => "single figure".into(),
        };
        let _ = writeln!(text, "  {name:42} {published:>8.3} {here:>8.3}  {interval}");
    }
    let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().map(|(_, x, y, _)| (*x, *y)).unzip();
    let _ = match rank_correlation(&x, &y) {
        Ok(r) => writeln!(
            text,
            "  rank correlation over {}: Spearman {:.2}, Kendall {:.2}",
            r.count, r.spearman, r.kendall
        ),
        Err(why) => writeln!(text, "  no rank correlation: {why}"),
    };
    let judged = rows.iter().filter(|row| row.3.is_some()).count();
    let named = if moved.is_empty() { String::new() } else { format!(": {}", moved.join(", ")) };
    let _ = writeln!(
        text,
        "  moved (the paper's ratio lies outside the interval): {} of {judged} with an interval{named}",
        moved.len()
    );
    text
}

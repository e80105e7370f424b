//! Compares a campaign with a paper's ratios, benchmark by benchmark.

use super::{added, stated};
use anyhow::{Result, bail};
use std::fmt::Write;
use std::path::Path;
use tare_board::{Options, Scoreboard, scoreboard};
use tare_import::{Paper, Table};
use tare_proto::Better;
use tare_report::clean;
use tare_stats::rank_correlation;

/// The paper's ratios beside the campaign's, for every table and layer that share benchmarks.
pub(super) fn compare(paper: &Paper, dir: &Path) -> Result<String> {
    let campaign = tare_store::load(dir)?;
    let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
    let mut text = format!("{} beside {}\n", paper.title, dir.display());
    let mut shared = false;
    for table in paper.table.iter().filter(|table| table.added) {
        for (at, layer) in board.others().enumerate() {
            let rows = added::rows(table, &board, at);
            shared |= !rows.is_empty();
            text += &added::table(table, &clean(&layer.name), &clean(&board.baseline), &rows);
        }
    }
    for table in paper.table.iter().filter(|table| !table.added) {
        let base = base(table, board.baseline.raw());
        for (at, layer) in board.others().enumerate() {
            let columns = columns(table, base, layer.name.raw());
            let rows = rows(table, base, &columns, &board, at);
            if columns.is_empty() || rows.is_empty() {
                continue;
            }
            shared = true;
            let ours = clean(&layer.name);
            let below = clean(&board.baseline);
            let _ = writeln!(text, "\n{}: {ours}/{below} here", table.name);
            let names: Vec<&str> = columns.iter().map(|at| table.columns[*at].as_str()).collect();
            text += &beside(&names, &table.columns[base], &rows);
        }
    }
    let named = stated::beside(paper, &board) + &added::named(paper, &board);
    if !shared && named.is_empty() {
        bail!(
            "{} and paper {} have no benchmark in common{}",
            dir.display(),
            paper.id,
            remedy(paper)
        );
    }
    text += &named;
    without_counterpart(&mut text, paper);
    Ok(text)
}

/// A command whose rows the paper has, too.
fn remedy(paper: &Paper) -> String {
    let commands = paper.question.iter().filter_map(|question| question.by.as_deref());
    let mut measuring = commands.filter(|by| by.starts_with("tare run ") && !by.contains("FILE"));
    measuring.next().map_or(String::new(), |by| format!("; this measures some: {by}"))
}

/// The paper's rows that nothing can be put beside, here or in any campaign.
fn without_counterpart(text: &mut String, paper: &Paper) {
    let of = |table: &Table| {
        let names: Vec<&str> = table.without_counterpart().map(|row| row.name.as_str()).collect();
        (!names.is_empty()).then(|| format!("{} ({})", table.name, names.join(", ")))
    };
    let lacking: Vec<String> = paper.table.iter().filter_map(of).collect();
    if !lacking.is_empty() {
        text.push('\n');
        super::paragraph(text, "", &format!("Without a counterpart: {}", lacking.join("; ")));
    }
}

/// The column that the others are divided by: the one called as the campaign's baseline, or the table's own.
fn base(table: &Table, baseline: &str) -> usize {
    let own = table.base.as_deref().and_then(|base| table.column(base));
    table.column(baseline).or(own).unwrap_or(0)
}

/// The columns to put a layer beside: the one of its name, or else all but the base.
fn columns(table: &Table, base: usize, layer: &str) -> Vec<usize> {
    match table.column(layer).filter(|column| *column != base) {
        Some(column) => vec![column],
        None => (0..table.columns.len()).filter(|column| *column != base).collect(),
    }
}

/// A benchmark with the paper's ratios, the campaign's, and its interval if there is one.
struct Pair {
    name: String,
    published: Vec<f64>,
    here: f64,
    interval: Option<(f64, f64)>,
}

impl Pair {
    /// The paper's ratio, printed with two digits after the point, lies outside the interval.
    fn moved(&self, column: usize) -> bool {
        let published = self.published[column];
        self.interval.is_some_and(|(low, high)| published < low - 0.005 || published > high + 0.005)
    }
}

fn rows(table: &Table, base: usize, columns: &[usize], board: &Scoreboard, at: usize) -> Vec<Pair> {
    let pair = |row: &tare_import::Row| {
        let names = board.rows.iter().map(|own| own.benchmark.raw());
        let own = &board.rows[row.found_in(names)?];
        let ratio = own.cells[at].ratio?;
        let below = row.values.get(base)?;
        // A rate beside a time: the paper's ratio is turned over.
        let same = (row.better == "higher") == (own.better == Better::Higher);
        let published = |column: &usize| {
            let ratio = row.values[*column] / below;
            if same { ratio } else { 1.0 / ratio }
        };
        Some(Pair {
            name: clean(
                own.benchmark.raw().split_once('/').map_or(own.benchmark.raw(), |(_, name)| name),
            ),
            published: columns.iter().map(published).collect(),
            here: ratio.value,
            interval: ratio.low.zip(ratio.high),
        })
    };
    table.rows.iter().filter_map(pair).collect()
}

fn beside(columns: &[&str], base: &str, rows: &[Pair]) -> String {
    let width = columns.iter().map(|name| name.len()).max().unwrap_or(0).max(7) + 1;
    let name = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let name = name.clamp(9, 80_usize.saturating_sub(25 + width * columns.len()).max(20));
    let mut text = format!("  {:name$}", format!("over {base}"));
    for column in columns {
        let _ = write!(text, "{column:>width$}");
    }
    text += "    here  95% CI\n";
    for row in rows {
        let _ = write!(text, "  {:name$.name$}", row.name);
        for published in &row.published {
            let _ = write!(text, "{published:>width$.3}");
        }
        let interval = match row.interval {
            Some((low, high)) => format!("{low:.3}–{high:.3}"),
            None => "single".into(),
        };
        let _ = writeln!(text, " {:>7.3}  {interval}", row.here);
    }
    for (column, name) in columns.iter().enumerate() {
        text += &summary(column, name, rows);
    }
    text
}

/// Fewer rows than these are in the same order by chance alone too often: three are in one of six.
const RANKED: usize = 4;

/// How like the paper's column the campaign is: ranks, and which benchmarks moved.
fn summary(column: usize, name: &str, rows: &[Pair]) -> String {
    let mut text = String::new();
    let changed = changed(column, rows);
    if rows.len() < RANKED {
        super::paragraph(&mut text, "  ", &format!("{name}: {changed}"));
        return text;
    }
    text += &format!("  {name}: ");
    let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().map(|p| (p.published[column], p.here)).unzip();
    let _ = match rank_correlation(&x, &y) {
        Ok(r) => writeln!(
            text,
            "rank correlation over {}: Spearman {:.2}, Kendall {:.2}",
            r.count, r.spearman, r.kendall
        ),
        Err(why) => writeln!(text, "no rank correlation: {why}"),
    };
    super::paragraph(&mut text, "    ", &changed);
    text
}

/// The benchmarks whose ratio is another one than the paper's.
fn changed(column: usize, rows: &[Pair]) -> String {
    let judged = rows.iter().filter(|row| row.interval.is_some()).count();
    let moved: Vec<&str> =
        rows.iter().filter(|row| row.moved(column)).map(|row| row.name.as_str()).collect();
    let list = if moved.is_empty() { String::new() } else { format!(": {}", moved.join(", ")) };
    format!(
        "changed (the paper's ratio lies outside the interval): {} of {judged} with an interval{list}",
        moved.len()
    )
}

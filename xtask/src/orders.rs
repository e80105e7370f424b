//! The gain of turns, and that they shift nothing: the same campaign in every order, several times, in turns.
//!
//! `cargo xtask orders [--campaigns N] [FLAGS of tare run...]` prints two tables in Markdown: how precise each order is
//! (medians of the campaigns), and how many ratios differ between layers that take turns and layers that are booted one
//! after the other. `--orders rounds` repeats one order alone.

use crate::{release, shell};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tare_stats::unpaired_ratio;

const CAMPAIGNS: usize = 5;

/// What is weighed unless the flags say so.
const FLAGS: [&str; 4] = ["--layers", "native,runc", "--budget", "60s"];

/// Chance that any ratio of two unbiased orders is called apart.
const FALSE: f64 = 0.05;

/// Runs the campaigns and prints the tables.
pub fn orders(args: &[String]) -> Result<()> {
    let mut flags: Vec<String> = args.to_vec();
    let campaigns = taken(&mut flags, "--campaigns").map_or(Ok(CAMPAIGNS), |n| n.parse())?;
    let orders = taken(&mut flags, "--orders").unwrap_or_else(|| "rounds,series,boots".into());
    let orders: Vec<&str> = orders.split(',').collect();
    let flags = release::flags(&flags, &FLAGS);
    let folder = release::build_with_folder("orders")?;
    let mut all: BTreeMap<&str, Vec<Campaign>> = BTreeMap::new();
    for number in 1..=campaigns {
        for order in &orders {
            eprintln!("{order} {number}/{campaigns}");
            let campaign = Campaign::run(&folder, order, number, &flags)?;
            all.entry(order).or_default().push(campaign);
        }
    }
    println!(
        "`tare run {} --order ORDER`, medians of {campaigns} campaigns each:\n",
        flags.join(" ")
    );
    precision(&orders, &all);
    if let (Some(rounds), Some(boots)) = (all.get("rounds"), all.get("boots")) {
        apart(rounds, boots);
    }
    Ok(())
}

/// The value behind `flag`, which is taken out.
fn taken(flags: &mut Vec<String>, flag: &str) -> Option<String> {
    let at = flags.iter().position(|word| word == flag).filter(|at| at + 1 < flags.len())?;
    flags.drain(at..at + 2).nth(1)
}

struct Campaign {
    board: Value,
    /// What tare used of a CPU while layers measured, in percent.
    own: f64,
}

impl Campaign {
    fn run(folder: &Path, order: &str, number: usize, flags: &[String]) -> Result<Campaign> {
        let out: PathBuf = folder.join(format!("{order}-{number}"));
        let mut command = Command::new(release::tare());
        command.arg("run").args(flags).args(["--order", order, "--out"]).arg(&out);
        let said = shell::text(&shell::output(&mut command)?.stderr);
        let own = said.split("itself used ").nth(1).and_then(|rest| rest.split('%').next());
        let own = own.and_then(|own| own.parse().ok()).context("tare does not say what it used")?;
        let text = fs::read_to_string(out.join("scoreboard.json"))?;
        Ok(Campaign { board: serde_json::from_str(&text)?, own })
    }

    /// Rows of the probe: what only the host measures has no order.
    fn rows(&self) -> impl Iterator<Item = &Value> {
        let rows = self.board["rows"].as_array().into_iter().flatten();
        rows.filter(|row| row["by_host"] == false)
    }

    fn layers(&self) -> Vec<&str> {
        let layers = self.board["layers"].as_array().into_iter().flatten();
        layers
            .filter(|layer| layer["baseline"] == false)
            .filter_map(|l| l["name"].as_str())
            .collect()
    }

    fn cells<'a>(&'a self, layer: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let cells = self.rows().flat_map(|row| {
            let name = row["benchmark"].as_str().unwrap_or_default();
            row["cells"].as_array().into_iter().flatten().map(move |cell| (name, cell))
        });
        cells.filter(move |(_, cell)| cell["layer"] == layer)
    }

    /// Half the width of a ratio's interval, in percent.
    fn half_width(ratio: &Value) -> Option<f64> {
        let low = ratio["low"].as_f64()?;
        let high = ratio["high"].as_f64()?;
        Some(50.0 * (high / low).ln())
    }

    fn floor(&self) -> f64 {
        let bounds = self.rows().filter_map(|row| row["floor"]["bound"].as_f64());
        median(bounds.map(|bound| 100.0 * (bound - 1.0)))
    }

    fn blocks(&self) -> f64 {
        let blocks = self.rows().filter_map(|row| row["floor"]["ratio"]["blocks"].as_f64());
        blocks.fold(0.0, f64::max)
    }
}

fn precision(orders: &[&str], all: &BTreeMap<&str, Vec<Campaign>>) {
    println!(
        "| order | blocks | layer | rows called different | equivalent | of | half-width | noise floor | A/A, false of all | tare's CPU |"
    );
    println!("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    for order in orders {
        let campaigns = &all[order];
        let of = |value: &dyn Fn(&Campaign) -> f64| median(campaigns.iter().map(value));
        let wrong =
            |c: &Campaign| c.rows().filter(|row| row["floor"]["called_different"] == true).count();
        let (wrong, rows) = campaigns.iter().fold((0, 0), |(wrongs, rows), campaign| {
            (wrongs + wrong(campaign), rows + campaign.rows().count())
        });
        for layer in campaigns[0].layers() {
            let verdicts = |c: &Campaign, these: &[&str]| {
                let verdict =
                    |cell: &Value| cell["verdict"].as_str().is_some_and(|v| these.contains(&v));
                c.cells(layer).filter(|(_, cell)| verdict(cell)).count() as f64
            };
            let width = |c: &Campaign| {
                median(c.cells(layer).filter_map(|(_, cell)| Campaign::half_width(&cell["ratio"])))
            };
            println!(
                "| {order} | {:.0} | {layer} | {:.0} | {:.0} | {} | {:.2}% | {:.2}% | {wrong} of {rows} | {:.1}% |",
                of(&Campaign::blocks),
                of(&|c| verdicts(c, &["slower", "faster"])),
                of(&|c| verdicts(c, &["equivalent"])),
                campaigns[0].cells(layer).count(),
                of(&width),
                of(&Campaign::floor),
                of(&|c| c.own),
            );
        }
    }
}

/// Whether ratios by rounds and by boots differ by more than chance allows, over all rows and layers together.
fn apart(rounds: &[Campaign], boots: &[Campaign]) {
    let ratios = |campaigns: &[Campaign]| {
        let mut found: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        for campaign in campaigns {
            for layer in campaign.layers() {
                for (row, cell) in campaign.cells(layer) {
                    let Some(ratio) = cell["ratio"]["value"].as_f64() else { continue };
                    found.entry((layer.to_owned(), row.to_owned())).or_default().push(ratio);
                }
            }
        }
        found
    };
    let turns = ratios(rounds);
    let boots = ratios(boots);
    let compared: Vec<_> =
        turns.iter().filter_map(|(key, a)| Some((key, a, boots.get(key)?))).collect();
    let confidence = 1.0 - FALSE / compared.len().max(1) as f64;
    println!(
        "\n| layer | rows compared | apart | rounds against boots, geometric mean | typical difference |"
    );
    println!("|---|---:|---:|---:|---:|");
    let layers: std::collections::BTreeSet<&String> =
        compared.iter().map(|(key, ..)| &key.0).collect();
    let mut named = Vec::new();
    for layer in layers {
        let own = compared.iter().filter(|(key, ..)| key.0 == *layer);
        let mut rows = 0;
        let mut logs = Vec::new();
        for (key, turns, boots) in own {
            let Ok(ratio) = unpaired_ratio(boots, turns, confidence) else { continue };
            rows += 1;
            logs.push(ratio.ratio.ln());
            if ratio.low > 1.0 || ratio.high < 1.0 {
                named.push(format!(
                    "{layer} {}: {:.3} ({:.3}–{:.3})",
                    key.1, ratio.ratio, ratio.low, ratio.high
                ));
            }
        }
        let apart = named.iter().filter(|name| name.starts_with(&format!("{layer} "))).count();
        let mean = (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp();
        let typical = 100.0 * median(logs.iter().map(|log| log.abs()));
        println!("| {layer} | {rows} | {apart} | {mean:.3} | {typical:.1}% |");
    }
    println!(
        "\nApart at {:.0}% for all together (Bonferroni, Welch over campaigns): {}",
        100.0 * FALSE,
        or_none(&named)
    );
}

fn or_none(named: &[String]) -> String {
    if named.is_empty() { "none.".into() } else { named.join("; ") + "." }
}

/// The middle of `values`; NaN where there are none.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    tare_stats::median(&values.collect::<Vec<_>>()).unwrap_or(f64::NAN)
}

//! How good predictions are: what operations cost is measured on every layer, the programs of `docs/predict/*.toml` are measured and
//! predicted from that alone, and the tables go to `docs/predict.md`.
//!
//! `cargo xtask predict [FLAGS of tare run...]`; the figures are worth something only on a machine that does nothing else.

use crate::shell::{self, root};
use crate::{release, weigh};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What is measured unless the flags say so.
const FLAGS: [&str; 4] = ["--blocks", "2", "--pin", "auto"];

/// Between these lines of the page stands what was measured.
const BEGIN: &str = "<!-- measured: cargo xtask predict -->";
const END: &str = "<!-- end of what was measured -->";

/// The programs that the model was made with, those by which it was changed later, and those that it was not made for.
const PROGRAMS: [(&str, &str); 3] = [
    ("tare.toml", "Programs that the model knows"),
    ("former.toml", "Programs that it did not know once"),
    ("unseen.toml", "Programs that it does not"),
];

pub fn predict(args: &[String]) -> Result<()> {
    let folder = release::build_with_folder("predict")?;
    let prices = folder.join("prices");
    measure(&["--suite", "operations"], args, &prices)?;
    let mut text = String::new();
    for (file, title) in PROGRAMS {
        let config = root().join("docs/predict").join(file);
        let campaign = folder.join(file);
        let words = ["--config", config.to_str().context("a path that is text")?];
        measure(&words, args, &campaign)?;
        let all = compared(&config, &campaign, &prices)?;
        write!(text, "**{title}**\n\n{}\n\n", table(&all))?;
    }
    println!("{text}");
    let page = root().join("docs/predict.md");
    let former = fs::read_to_string(&page)?;
    let place = between(&former, &text).context("docs/predict.md has no place for the tables")?;
    Ok(fs::write(&page, place)?)
}

/// Measures what `words` name on the layers, gVisor on one CPU: on two its speed has modes, and a price is of one of them.
fn measure(words: &[&str], args: &[String], out: &Path) -> Result<()> {
    let layers = weigh::layers().into_iter().map(|word| match word.strip_prefix("name=gvisor") {
        Some(settings) => format!("name=gvisor,cpus=1{settings}"),
        // What translates every instruction is not predicted.
        None => word.replace(",qemu", ""),
    });
    let mut run = Command::new(release::tare());
    run.arg("run").args(words).args(layers).args(release::flags(args, &FLAGS));
    match run.arg("--out").arg(out).status()?.success() {
        true => Ok(()),
        false => bail!("{words:?} could not be measured"),
    }
}

/// A program on a layer.
struct Compared {
    program: String,
    layer: String,
    measured: f64,
    predicted: f64,
    interval: (f64, f64),
}

impl Compared {
    fn off(&self) -> f64 {
        (self.measured / self.predicted).max(self.predicted / self.measured)
    }

    fn holds(&self) -> bool {
        (self.interval.0..=self.interval.1).contains(&self.measured)
    }
}

/// Every program of `config` as `campaign` has measured it and as the campaign `prices` predicts it; not on a layer where it has no ratio.
fn compared(config: &Path, campaign: &Path, prices: &Path) -> Result<Vec<Compared>> {
    let config: toml::Table = fs::read_to_string(config)?.parse()?;
    let board: Value = serde_json::from_slice(&fs::read(campaign.join("scoreboard.json"))?)?;
    let programs = config["program"].as_array().context("programs")?;
    let mut all = Vec::new();
    for program in programs {
        let name = program["name"].as_str().context("a name")?;
        let words: Vec<&str> = match &program["command"] {
            toml::Value::String(command) => vec!["sh", "-c", command],
            command => {
                command.as_array().into_iter().flatten().filter_map(|word| word.as_str()).collect()
            }
        };
        let mut predict = Command::new(release::tare());
        predict.args(["predict", "--json", "--from"]).arg(prices).arg("--").args(words);
        let found: Value = serde_json::from_slice(&shell::output(&mut predict)?.stdout)?;
        let row = format!("program/{name}");
        let layers = found["layers"].as_array().context("layers")?;
        let one = |layer: &Value| {
            let name = layer["layer"].as_str()?;
            let number = |key: &str| layer[key].as_f64();
            Some(Compared {
                program: row.clone(),
                layer: name.to_owned(),
                measured: measured(&board, &row, name)?,
                predicted: number("ratio")?,
                interval: (number("low")?, number("high")?),
            })
        };
        all.extend(layers.iter().filter_map(one));
    }
    Ok(all)
}

/// The ratio of `layer` in row `row` of a scoreboard.
fn measured(board: &Value, row: &str, layer: &str) -> Option<f64> {
    let row = board["rows"].as_array()?.iter().find(|own| own["benchmark"] == row)?;
    let cell = row["cells"].as_array()?.iter().find(|cell| cell["layer"] == layer)?;
    cell["ratio"]["value"].as_f64()
}

/// A table of all, a program a line, and a line for each layer of how far predictions are off.
fn table(all: &[Compared]) -> String {
    let mut layers: Vec<&str> = Vec::new();
    let mut programs: Vec<&str> = Vec::new();
    for one in all {
        if !layers.contains(&one.layer.as_str()) {
            layers.push(&one.layer);
        }
        if !programs.contains(&one.program.as_str()) {
            programs.push(&one.program);
        }
    }
    let head: String =
        layers.iter().map(|layer| format!(" {layer} | predicted | off by |")).collect();
    let rule = "---|".repeat(3 * layers.len());
    let mut text = format!("| program |{head}\n|---|{rule}");
    for program in programs {
        write!(text, "\n| {program} |").expect("text takes it");
        for layer in &layers {
            let one = all.iter().find(|one| one.program == program && one.layer == *layer);
            let cells = one.map_or(" | | |".to_owned(), |one| {
                let misses = if one.holds() { "" } else { " (misses)" };
                let (measured, predicted) = (figure(one.measured), figure(one.predicted));
                format!(" {measured} | {predicted}{misses} | × {:.2} |", one.off())
            });
            text.push_str(&cells);
        }
    }
    text.push('\n');
    for layer in layers {
        let own: Vec<&Compared> = all.iter().filter(|one| one.layer == layer).collect();
        let off: Vec<f64> = own.iter().map(|one| one.off()).collect();
        let held = own.iter().filter(|one| one.holds()).count();
        let median = tare_stats::median(&off).unwrap_or(f64::NAN);
        let worst = off.iter().copied().fold(1.0, f64::max);
        write!(
            text,
            "\n- {layer}: off by a factor of {median:.2} in the middle and {worst:.2} at worst; {held} of {} intervals hold.",
            own.len()
        )
        .expect("text takes it");
    }
    text
}

/// A ratio with three digits.
fn figure(ratio: f64) -> String {
    match ratio {
        10.0.. => format!("{ratio:.1}"),
        _ => format!("{ratio:.2}"),
    }
}

/// `text` with `table` in the place for it.
fn between(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_place_for_the_table_and_only_that_changes() {
        let page = fs::read_to_string(root().join("docs/predict.md")).unwrap();
        let once = between(&page, "| a |").unwrap();
        assert!(once.contains("| a |") && once.starts_with(page.split(BEGIN).next().unwrap()));
        assert_eq!(between(&once, "| a |").unwrap(), once);
    }

    #[test]
    fn a_table_has_a_line_a_program_and_says_what_misses() {
        let one = |program: &str, measured, predicted| Compared {
            program: program.into(),
            layer: "uml".into(),
            measured,
            predicted,
            interval: (predicted / 1.5, predicted * 1.5),
        };
        let text = table(&[one("a", 2.0, 2.2), one("b", 12.0, 6.0), one("c", 3.0, 3.0)]);
        assert!(text.contains("\n| b | 12.0 | 6.00 (misses) | × 2.00 |"), "{text}");
        assert!(text.contains("1.10 in the middle and 2.00 at worst; 2 of 3 intervals"), "{text}");
    }
}

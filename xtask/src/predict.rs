//! How good predictions are: the programs of `docs/predict/tare.toml` are measured on every layer beside what operations cost
//! there, each is predicted from the others, and the table goes to `docs/predict.md`.
//!
//! `cargo xtask predict [FLAGS of tare run...]`; the figures are worth something only on a machine that does nothing else.

use crate::shell::{self, root};
use crate::{release, weigh};
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::Command;

/// What is measured unless the flags say so.
const FLAGS: [&str; 4] = ["--blocks", "3", "--pin", "auto"];

/// Between these lines of the page stands what was measured.
const BEGIN: &str = "<!-- measured: cargo xtask predict -->";
const END: &str = "<!-- end of what was measured -->";

pub fn predict(args: &[String]) -> Result<()> {
    let mut layers = weigh::layers();
    // What translates every instruction is not predicted.
    layers.iter_mut().for_each(|word| *word = word.replace(",qemu", ""));
    let folder = release::build_with_folder("predict")?;
    let mut run = Command::new(release::tare());
    run.args(["run", "--config"]).arg(root().join("docs/predict/tare.toml"));
    run.args(layers).args(release::flags(args, &FLAGS));
    if !run.arg("--out").arg(&folder).status()?.success() {
        bail!("the programs could not be measured");
    }
    let mut predict = Command::new(release::tare());
    let table =
        shell::text(&shell::output(predict.args(["predict", "--from"]).arg(&folder))?.stdout);
    println!("{table}");
    let page = root().join("docs/predict.md");
    let text = fs::read_to_string(&page)?;
    fs::write(
        &page,
        between(&text, &table).context("docs/predict.md has no place for the table")?,
    )?;
    Ok(())
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
}

//! The proof of the statistics by simulation, in full: writes docs/calibration.md.

use crate::shell::root;
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::{Command, Stdio};

/// Where the tables are kept.
const FILE: &str = "docs/calibration.md";

/// Simulated campaigns per figure, and the seed, when nothing is said.
const USUAL: (u64, u64) = (4000, 2);

/// The programs that make the tables, as `cargo run` is told of them.
const MAKERS: [&[&str]; 2] = [
    &["--package", "tare-calibrate"],
    &["--package", "tare-board", "--example", "calibrate_compare"],
];

/// Simulates campaigns and pairs of campaigns, and writes what share of them was judged rightly.
pub fn calibrate(args: &[String]) -> Result<()> {
    let (repeats, seed) = options(args)?;
    let mut text = header(repeats, seed);
    for maker in MAKERS {
        text.push_str(&table(maker, repeats, seed)?);
    }
    let path = root().join(FILE);
    fs::create_dir_all(root().join("docs"))?;
    fs::write(&path, text.trim_end().to_owned() + "\n")
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("{FILE} is written");
    Ok(())
}

/// `--repeats N` and `--seed S`.
fn options(args: &[String]) -> Result<(u64, u64)> {
    let (mut repeats, mut seed) = USUAL;
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let number = args.next().and_then(|text| text.parse().ok());
        match (name.as_str(), number) {
            ("--repeats", Some(number)) if number > 0 => repeats = number,
            ("--seed", Some(number)) => seed = number,
            _ => bail!("cargo xtask calibrate [--repeats N] [--seed S]"),
        }
    }
    Ok((repeats, seed))
}

fn header(repeats: u64, seed: u64) -> String {
    let worst = 100.0 * (0.25 / repeats as f64).sqrt();
    let rare = 100.0 * (0.05 * 0.95 / repeats as f64).sqrt();
    format!(
        "# Calibration, as measured\n\n\
         Made by `cargo xtask calibrate --repeats {repeats} --seed {seed}`; do not edit.\n\n\
         Every figure is over {repeats} simulated campaigns, or pairs of them; the simulation's own standard error is at\n\
         most {worst:.1} points, and {rare:.1} points near 5%. A bold figure misses its goal by more than twice its standard error. The\n\
         noise models are in `crates/tare-calibrate/src/noise.rs`, the pairs of campaigns in\n\
         `crates/tare-board/examples/calibrate_compare.rs`; what follows from the figures is in `docs/statistics.md`.\n\n"
    )
}

fn table(maker: &[&str], repeats: u64, seed: u64) -> Result<String> {
    eprintln!("+ {} -- {repeats} {seed}", maker.join(" "));
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--release", "--quiet"])
        .args(maker)
        .args(["--".to_owned(), repeats.to_string(), seed.to_string()])
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cargo run {} failed ({})", maker.join(" "), output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_name_the_command_that_makes_them() {
        let text = fs::read_to_string(root().join(FILE)).expect(FILE);
        let line = text.lines().find(|line| line.starts_with("Made by ")).expect("a header");
        let command = line.split('`').nth(1).expect("a command");
        let args = command.strip_prefix("cargo xtask calibrate ").expect("this chore");
        let args: Vec<String> = args.split(' ').map(str::to_owned).collect();
        let (repeats, seed) = options(&args).expect("its options");
        assert!(text.starts_with(&header(repeats, seed)), "another header than today's");
    }

    #[test]
    fn options_are_numbers_with_names() {
        let of =
            |line: &str| options(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("").expect("the usual"), USUAL);
        assert_eq!(of("--seed 7 --repeats 10").expect("both"), (10, 7));
        for wrong in ["--repeats", "--repeats 0", "--repeats many", "10"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}

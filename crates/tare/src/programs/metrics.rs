//! Rows that are numbers in what a program prints (`--metric`).

use super::{Row, names, units};
use crate::cli::ProgramArgs;
use anyhow::{Result, bail};
use tare_proto::BenchInfo;
use tare_store::ProgramValue;

/// The rows of the metrics that were `asked` for, beside `base`.
pub fn rows(asked: &ProgramArgs, base: &BenchInfo) -> Result<Vec<Row>> {
    let metrics = asked.metric.len();
    for (what, given) in [("unit", asked.unit.len()), ("better", asked.better.len())] {
        if given > 1 && given != metrics {
            bail!(
                "--{what} is given {given} times for {metrics} metrics: give one for all, or one each"
            );
        }
    }
    let nth = |list: &[String], at: usize| list.get(at).or(list.first()).cloned();
    let mut rows: Vec<Row> = Vec::new();
    for (at, regex) in asked.metric.iter().enumerate() {
        let unit = nth(&asked.unit, at).unwrap_or_else(|| units::PLAIN.into());
        let (unit, factor) = units::read(&unit)?;
        let said = asked.better.get(at).or(asked.better.first()).copied();
        let Some(better) = said.or(units::usual_end(unit)) else {
            bail!(
                "is more of '{regex}' good or bad? Say --better higher or --better lower, or give its --unit"
            );
        };
        let name = names::metric(regex, at, metrics);
        let name = name.map_or(base.name.clone(), |name| format!("{}.{name}", base.name));
        if rows.iter().any(|(row, _)| row.name == name) {
            bail!("two metrics are called {name}: name their groups, as in '(?<rate>[0-9.]+)'");
        }
        let value = ProgramValue::Found { regex: regex.clone(), factor };
        rows.push((BenchInfo { name, unit, better, ..base.clone() }, value));
    }
    Ok(rows)
}

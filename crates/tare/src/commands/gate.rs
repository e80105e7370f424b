//! `--fail-if` in every command that has it: refuses conditions that can never be met, and prints the result.

use crate::cli::GateArgs;
use crate::output;
use crate::usage::OrUsage;
use anyhow::{Result, bail};
use tare_board::Gate;
use tare_proto::Unit;
use tare_report::gate_lines;

/// Refuses conditions that no row of these units can ever meet.
pub fn check(args: &GateArgs, units: impl Iterator<Item = Unit> + Clone) -> Result<()> {
    for condition in &args.fail_if {
        condition.check(units.clone()).or_usage()?;
    }
    Ok(())
}

/// Whether `gate` is passed; `told` says what came of it elsewhere, so that only what failed is noted.
pub fn passes(gate: &Gate, told: bool) -> Result<bool> {
    if let Some(judged) = gate.conditions.iter().find(|judged| judged.rows == 0) {
        bail!(
            "--fail-if '{}' cannot be tested: none of its rows has two values on each side (two blocks; of many hosts, two hosts)",
            judged.condition
        );
    }
    for (fine, line) in gate_lines(gate) {
        if !(fine && told) {
            output::note(&format!("--fail-if: {line}"));
        }
    }
    Ok(gate.passed)
}

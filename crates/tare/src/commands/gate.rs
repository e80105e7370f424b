//! `--fail-if` in every command that has it: refuses conditions that can never be met, and prints the result.

use crate::cli::GateArgs;
use crate::output;
use crate::usage::OrUsage;
use anyhow::{Result, bail};
use tare_board::Gate;
use tare_proto::{BenchInfo, Unit};
use tare_report::gate_lines;

/// Refuses conditions that none of these `benchmarks`, with their units, can ever meet.
pub fn check(args: &GateArgs, benchmarks: &[(&str, Unit)]) -> Result<()> {
    for condition in &args.fail_if {
        condition.check(benchmarks.iter().copied()).or_usage()?;
    }
    Ok(())
}

/// Refuses conditions on a layer that is none of these.
pub fn check_layers<'a>(
    args: &GateArgs,
    layers: impl Iterator<Item = &'a str> + Clone,
) -> Result<()> {
    args.fail_if.iter().try_for_each(|it| it.check_layer(layers.clone()).or_usage())
}

/// The names of `benches`, with their units.
pub fn units(benches: &[BenchInfo]) -> Vec<(&str, Unit)> {
    benches.iter().map(|bench| (&*bench.name, bench.unit)).collect()
}

/// Whether `gate` is passed; `told` says what came of it elsewhere, so that only what failed is noted. What fails one condition
/// fails the gate, whatever the others are.
pub fn passes(gate: &Gate, told: bool) -> Result<bool> {
    let open = gate.fail_undecided && gate.undecided > 0;
    let failed = open || gate.conditions.iter().any(|judged| !judged.failing.is_empty());
    if let Some(judged) = gate.conditions.iter().find(|judged| judged.rows == 0 && !failed) {
        bail!("--fail-if '{}' {}", judged.condition, tare_report::UNTESTABLE);
    }
    for (fine, line) in gate_lines(gate) {
        if !(fine && told) {
            output::note(&format!("--fail-if: {line}"));
        }
    }
    Ok(gate.passed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tare_board::{Failing, Judged};

    fn judged(condition: &str, rows: usize, fails: bool) -> Judged {
        let row = Failing { layer: "x".into(), benchmark: "b".into(), cost: 1.5, p: 0.001 };
        Judged {
            condition: condition.into(),
            rows,
            undecided: 0,
            least_seen: None,
            least_seen_at_worst: None,
            failing: if fails { vec![row] } else { Vec::new() },
        }
    }

    fn gate(conditions: Vec<Judged>) -> Gate {
        let passed = conditions.iter().all(|judged| judged.failing.is_empty());
        Gate { passed, fail_undecided: false, tested: 3, untested: 1, undecided: 0, conditions }
    }

    #[test]
    fn a_condition_that_cannot_be_tested_hides_none_that_failed() {
        let untestable = || judged("heavier > 1%", 0, false);
        let both = gate(vec![untestable(), judged("slower > 3%", 3, true)]);
        assert!(!passes(&both, false).unwrap());
        let lines = gate_lines(&both);
        assert!(!lines[0].0 && lines[0].1.contains("heavier > 1% cannot be tested"), "{lines:?}");
        let alone = gate(vec![judged("slower > 3%", 3, false), untestable()]);
        let error = passes(&alone, false).unwrap_err().to_string();
        assert!(error.contains("'heavier > 1%' cannot be tested"), "{error}");
    }
}

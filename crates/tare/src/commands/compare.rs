//! `tare compare`: two campaigns, before and after, and a gate for CI.

use super::{gate, style};
use crate::cli::values::one_of;
use crate::cli::{self, CompareArgs, CompareBy, Correct, GateArgs};
use crate::output;
use crate::usage::wrong_usage;
use anyhow::{Context, Result, bail};
use std::process::ExitCode;
use tare_board::{By, CompareOptions, Comparison, Options};
use tare_proto::Unit;
use tare_report::{FORMS, clean};
use tare_stats::Correction;
use tare_store::{Campaign, load};

/// Compares the campaign in `args.after` with the one in `args.before`.
pub fn compare(args: &CompareArgs) -> Result<ExitCode> {
    let before = load(&args.before)?;
    let after = load(&args.after)?;
    let names = (args.before.display().to_string(), args.after.display().to_string());
    same_machine(args, &before, &after)?;
    gate::check(&args.gate, &both(&before, &after).collect::<Vec<_>>())?;
    let options = options(args, &before, &after);
    let comparison = tare_board::compare((&names.0, &before), (&names.1, &after), &options)
        .with_context(|| format!("cannot compare {} with {}", names.1, names.0))?;
    refuse(args, &comparison)?;
    print(args, &comparison)?;
    let Some(judged) = &comparison.gate else { return Ok(ExitCode::SUCCESS) };
    Ok(if gate::passes(judged, true)? { ExitCode::SUCCESS } else { cli::GATE.into() })
}

/// The benchmarks of both, with their units.
fn both<'a>(before: &'a Campaign, after: &Campaign) -> impl Iterator<Item = (&'a str, Unit)> {
    let also = |one: &(&str, Unit)| after.benchmarks.iter().any(|b| (&*b.name, b.unit) == *one);
    before.benchmarks.iter().map(|bench| (&*bench.name, bench.unit)).filter(also)
}

/// Instructions and times are nothing to compare.
fn same_machine(args: &CompareArgs, before: &Campaign, after: &Campaign) -> Result<()> {
    let a = before.plan.machine;
    let b = after.plan.machine;
    if a != b && !args.force {
        bail!(
            "{} is of the {a} machine and {} of the {b} one: a simulated machine counts instructions, a real one takes \
             time; --force compares what is left",
            args.before.display(),
            args.after.display()
        );
    }
    Ok(())
}

fn options(args: &CompareArgs, before: &Campaign, after: &Campaign) -> CompareOptions {
    let planned = before.plan.margin.max(after.plan.margin);
    let margin = args.margin.map_or(planned, |percent| percent / 100.0);
    let by = args.by.map(|by| match by {
        CompareBy::Cost => By::Cost,
        CompareBy::Value => By::Value,
    });
    let correction = match args.correction {
        Correct::Holm => Correction::Holm,
        Correct::Bh => Correction::BenjaminiHochberg,
        Correct::None => Correction::None,
    };
    let estimator = args.format.estimator;
    let options = Options { margin, correction, estimator, ..Options::from_plan(&before.plan) };
    let GateArgs { fail_if, fail_undecided } = args.gate.clone();
    CompareOptions { options, by, fail_if, fail_undecided }
}

/// Without `--force`, what makes figures incomparable ends the comparison.
fn refuse(args: &CompareArgs, comparison: &Comparison) -> Result<()> {
    let reasons: Vec<String> = comparison
        .refusals()
        .map(|d| {
            d.layer.iter().map(|layer| format!("{}: ", layer.raw())).collect::<String>()
                + d.text.raw()
        })
        .map(|reason| clean(&reason))
        .collect();
    if args.force || reasons.is_empty() {
        return Ok(());
    }
    bail!("{}; --force compares them anyway", reasons.join("; "))
}

fn print(args: &CompareArgs, comparison: &Comparison) -> Result<()> {
    let Some(write) = args.format.format.comparison else {
        let able = FORMS.iter().filter(|form| form.comparison.is_some()).map(|form| form.name);
        let name = args.format.format.name;
        wrong_usage!("a comparison cannot be printed as {name}; use {}", one_of(able));
    };
    output::print(&write(comparison, &style::on_terminal(&args.format)))
}

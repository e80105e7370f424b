//! `tare verify`: runs a simulated campaign once more from its record, and compares what was measured bit by bit.

mod files;
mod settings;
mod told;

use crate::carried::PROBE;
use crate::cli::{self, VerifyArgs};
use crate::commands::run::hold_roots;
use crate::commands::run::plan::plugin_sha256;
use crate::commands::run::{Prepared, check_place};
use crate::config::Asked;
use crate::progress::Progress;
use crate::usage::wrong_usage;
use crate::{host, interrupt, output, shell};
use anyhow::{Context, Result};
use files::Files;
use std::path::Path;
use std::process::ExitCode;
use tare_layers::{Host, Unavailable};
use tare_proto::Machine;
use tare_run::{CampaignLayer, History};
use tare_store::{Campaign, LayerRow, Plan, Store, load};

/// Repeats the campaign in `args.dir`; fails where anything differs.
pub fn verify(args: &VerifyArgs) -> Result<ExitCode> {
    let recorded = load(&args.dir)?;
    refuse(&recorded, &args.dir)?;
    let layers = settings::layers(&recorded, &args.set)?;
    if let Some(out) = &args.out {
        check_place(out)?;
    }
    interrupt::listen()?;
    let host = host::counting_host(recorded.plan.counting)?;
    host::remove_leftovers(&host);
    let asked = || layers.iter().zip(&recorded.layers).filter(|(_, row)| runs(row));
    let _roots =
        hold_roots(asked().map(|(asked, _)| (&*asked.name, &asked.settings)), &host.cache)?;
    let lacking: Vec<(&str, Unavailable)> = asked()
        .filter_map(|(asked, _)| Some((asked.name.as_str(), asked.layer.check(&host).err()?)))
        .collect();
    for (name, Unavailable { why, remedy, .. }) in &lacking {
        output::note(&format!("{name} cannot run here: {why}\n  remedy: {remedy}"));
    }
    if !lacking.is_empty() {
        return Ok(cli::LAYER_MISSING.into());
    }
    let files = Files::look(&recorded, asked().map(|(asked, _)| asked), &host)?;
    if files.differ() && !args.anyway {
        told::print(args, &files, None)?;
        return Ok(cli::FAILED.into());
    }
    let temporary = tempfile::tempdir().context("cannot make a temporary folder (TMPDIR)")?;
    let fresh = temporary.path().join("again");
    let out = args.out.as_deref().unwrap_or(&fresh);
    let ended = repeat(&recorded, layers, &files, &host, out)?;
    if ended != ExitCode::SUCCESS {
        output::note("Interrupted: nothing was compared.");
        return Ok(ended);
    }
    let found = tare_board::repetition(&recorded, &load(out)?);
    told::print(args, &files, Some(&found))?;
    Ok(if found.is_exact() { ExitCode::SUCCESS } else { cli::FAILED.into() })
}

/// Refuses what cannot repeat to the last bit, or has nothing to repeat.
fn refuse(recorded: &Campaign, dir: &Path) -> Result<()> {
    let dir = dir.display();
    if recorded.plan.machine != Machine::Sim {
        wrong_usage!(
            "{dir} was not measured with --machine sim: its values are times, which differ from run to run; measure it once more and \
             use 'tare compare {dir} OTHER'"
        );
    }
    if recorded.boots.is_empty() {
        wrong_usage!("{dir} has no boot that could be repeated");
    }
    Ok(())
}

fn runs(row: &LayerRow) -> bool {
    row.unavailable.is_none()
}

/// Runs the blocks of `recorded` from the beginning; how that ended.
fn repeat(
    recorded: &Campaign,
    layers: Vec<Asked>,
    files: &Files,
    host: &Host,
    out: &Path,
) -> Result<ExitCode> {
    let row = |(asked, row): (&Asked, &LayerRow)| LayerRow {
        settings: asked.settings.to_string().into(),
        artifacts: files.of_layer(&asked.name),
        ..row.clone()
    };
    let rows: Vec<LayerRow> = layers.iter().zip(&recorded.layers).map(row).collect();
    let weighed =
        layers.into_iter().zip(&recorded.layers).map(|(Asked { name, layer, .. }, row)| {
            CampaignLayer { name, layer, trial_s: runs(row).then_some(0.0) }
        });
    let layers = weighed.collect();
    let plan = plan(recorded, files);
    let benches = recorded.benchmarks.clone();
    let mut store = Store::create(out, &plan, &rows, &benches)?;
    for row in &rows {
        row.artifacts.iter().try_for_each(|file| store.add_artifact(row.name.raw(), file))?;
    }
    let prepared = Prepared { store, plan, layers, benches, history: History::default() };
    prepared.run(host, &host::keeper()?, &mut Progress::new(), out, None)
}

/// The record's plan for so many blocks as were begun, by this tare.
fn plan(recorded: &Campaign, files: &Files) -> Plan {
    Plan {
        blocks: recorded.boots.iter().map(|boot| boot.block + 1).max(),
        budget_s: None,
        cpus: Vec::new(),
        wide: Vec::new(),
        created: tare_run::now().into(),
        tare_version: env!("CARGO_PKG_VERSION").into(),
        probe_sha256: PROBE.sha256().into(),
        plugin_sha256: plugin_sha256(recorded.plan.counting),
        initramfs: files.initramfs(),
        command: shell::own_command().into(),
        ..recorded.plan.clone()
    }
}

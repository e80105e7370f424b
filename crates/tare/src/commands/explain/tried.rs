//! `tare explain DIR ROW --layer NAME --try KEY=VALUE`: changes a setting of the layer, measures the row again, and says whether it moved by
//! what its causes moved. What was tried is kept below the campaign's folder.

use crate::cli::ExplainArgs;
use crate::commands::run::changed::Changed;
use crate::shell::quote;
use crate::usage::{OrUsage, wrong_usage};
use crate::{output, trust};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tare_board::{Explanation, Tried};
use tare_layers::Settings;
use tare_proto::Machine;
use tare_report::{json_text, tried_text};
use tare_store::Campaign;

/// The folder of what was tried, below a campaign's.
const FOLDER: &str = "tried";

/// Most campaigns of that folder that are read.
const MOST: usize = 64;

/// Blocks of a try, where nothing else is said.
const BLOCKS: u32 = 5;

/// Settings by which causes come and go, by the kind of layer: what a reader may try.
const WORTH: &[(&str, &[(&str, &str)])] = &[
    ("runsc", &[("cpus", "2"), ("platform", "ptrace"), ("args", "--directfs=false")]),
    ("qemu", &[("accel", "kvm"), ("thp", "always")]),
];

/// Changes a setting as `change` says, unless that was done before, and prints what follows.
pub(super) fn try_change(
    dir: &Path,
    campaign: &Campaign,
    args: &ExplainArgs,
    change: &str,
) -> Result<ExitCode> {
    let Some(bench) = &args.benchmark else {
        wrong_usage!(
            "--try measures one row: name it, as in 'tare explain DIR kernel/getppid --layer runsc --try platform=ptrace'"
        );
    };
    if campaign.plan.machine != Machine::Real {
        wrong_usage!(
            "--try measures again on this machine, and the campaign is of a simulated one"
        );
    }
    let baseline = campaign.plan.baseline.raw();
    let mut others = campaign.layers.iter().filter(|row| {
        row.name != baseline && args.layer.as_deref().is_none_or(|name| row.name == name)
    });
    let (Some(layer), None) = (others.next(), others.next()) else {
        wrong_usage!("of which layer is {change} to be tried? Name it with --layer");
    };
    let asked = Settings::parse(change).or_usage()?;
    if asked.get("name").is_some() {
        wrong_usage!("--try {change}: write KEY=VALUE, as in --try cpus=2");
    }
    let settings = new_ones(&Settings::parse(layer.settings.raw())?, &asked);
    if settings == Settings::default() {
        wrong_usage!("{} has {change} already: name another value", layer.name.raw());
    }
    let text = settings.to_string();
    let blocks = args.blocks.unwrap_or(BLOCKS);
    let changed = Changed { campaign, layer, bench, change: settings, blocks };
    let out = dir.join(FOLDER).join(folder(bench, &changed.name()));
    let place = quote(&out.display().to_string()).into_owned();
    if tare_store::load(&out).is_ok_and(|before| before.state == "finished") {
        output::note(&format!(
            "{place}: what was tried before is told; remove that folder to measure it again."
        ));
    } else {
        if out.join(tare_store::FILE).exists() {
            bail!(
                "{place} is not finished: 'tare resume {place}' goes on with it; then run this again"
            );
        }
        trust::own_campaign(dir)?;
        let code = changed.run(&out)?;
        if code != ExitCode::SUCCESS {
            if out.join(tare_store::FILE).exists() {
                output::note(&format!(
                    "Interrupted; 'tare resume {place}' continues. Then run this again."
                ));
            }
            return Ok(code);
        }
    }
    let told = read(&out, bench)?
        .with_context(|| format!("{bench} has no value there: 'tare show {place}' says why"))?;
    if told.change != text {
        bail!(
            "{place} holds a try of {}: remove that folder, or give it another name, and run this again",
            told.change
        );
    }
    output::print(&if args.json { json_text(&told) } else { tried_text(&told) })?;
    Ok(ExitCode::SUCCESS)
}

/// The folder of a row's try on a changed layer; both names may be anything.
fn folder(bench: &str, changed: &str) -> String {
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || "-_.+".contains(c));
    format!("{bench}--{changed}").replace(is_other, "-")
}

/// What the campaign in `out` says of row `bench`.
fn read(out: &Path, bench: &str) -> Result<Option<Tried>> {
    let campaign = tare_store::load(out)?;
    let Some(at) = campaign.benchmarks.iter().position(|one| one.name == bench) else {
        return Ok(None);
    };
    let [_, layer, changed] = &campaign.layers[..] else { return Ok(None) };
    let before = Settings::parse(layer.settings.raw())?;
    let after = Settings::parse(changed.settings.raw())?;
    Ok(tare_board::tried(&campaign, at, &new_ones(&before, &after).to_string()))
}

/// What `after` sets otherwise than `before`, but for the name.
fn new_ones(before: &Settings, after: &Settings) -> Settings {
    let mut change = Settings::default();
    let new = after.iter().filter(|(key, value)| *key != "name" && before.get(key) != Some(value));
    new.for_each(|(key, value)| change.replace(key, value));
    change
}

/// Tells each explanation what was tried of it in the campaign in `dir`, and a single one what could be.
pub(super) fn mark(dir: &Path, campaign: &Campaign, found: &mut [Explanation]) {
    if let [one] = found {
        one.notes.extend(proposal(dir, campaign, one));
    }
    let mut dirs: Vec<PathBuf> = fs::read_dir(dir.join(FOLDER))
        .map(|all| all.flatten().map(|one| one.path()).collect())
        .unwrap_or_default();
    dirs.sort();
    dirs.truncate(MOST);
    for one in found {
        let own = folder(one.benchmark.raw(), &format!("{}+", one.layer.raw()));
        let is_of = |dir: &&PathBuf| {
            dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&own))
        };
        for dir in dirs.iter().filter(is_of) {
            if let Ok(Some(tried)) = read(dir, one.benchmark.raw())
                && tried.layer == one.layer
            {
                one.notes.insert(0, format!("Tried by a change: {}", tried.sentence));
            }
        }
    }
}

/// What could be tried of an explanation with causes, where its kind of layer has such settings.
fn proposal(dir: &Path, campaign: &Campaign, one: &Explanation) -> Option<String> {
    one.outside.as_ref().filter(|seen| !seen.causes.is_empty())?;
    let row = campaign.layers.iter().find(|row| row.name == one.layer)?;
    let (_, worth) = WORTH.iter().find(|(kind, _)| row.kind == *kind)?;
    let settings = Settings::parse(row.settings.raw()).ok()?;
    let other = worth.iter().filter(|(key, value)| settings.get(key) != Some(value));
    let changes: Vec<String> = other.map(|(key, value)| format!("{key}={value}")).collect();
    let (first, more) = changes.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!(" (or {})", more.join(", ")) };
    Some(format!(
        "To try it by a change: tare explain {} {} --layer {} --try {first}{more}",
        quote(&dir.display().to_string()),
        one.benchmark.raw(),
        one.layer.raw()
    ))
}

//! `tare resume`: continues an interrupted or killed campaign, or a finished one that is to get more blocks or time.

use crate::carried::PROBE;
use crate::cli::ResumeArgs;
use crate::commands::run::{Prepared, compared, hold_roots};
use crate::commands::show;
use crate::config::{Asked, layers};
use crate::progress::Progress;
use crate::{host, interrupt, newest, output, trust};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use tare_layers::{HeldRoot, Settings};
use tare_run::{CampaignLayer, History};
use tare_store::{Campaign, Store, load};

/// Goes on with the campaign in `args.dir`.
pub fn resume(args: &ResumeArgs) -> Result<ExitCode> {
    let dir = &newest::campaign(args.dir.as_deref())?;
    if let Some(blocks) = finished(args, dir)? {
        return as_it_is(args, dir, blocks);
    }
    trust::own_campaign(dir)?;
    let mut store = Store::open(dir)?;
    let campaign = load(dir)?;
    if campaign.plan.probe_sha256 != PROBE.sha256() {
        bail!(
            "{} was begun with another probe, whose figures must not be mixed with this one's; \
             go on with the tare that began it (version {})",
            dir.display(),
            campaign.plan.tare_version.raw()
        );
    }
    tare_run::check_space(dir)?;
    interrupt::listen()?;
    let mut host = host::counting_host(campaign.plan.counting)?;
    let keeper = host::keeper()?;
    host.destroy_disks = args.destroy_disk_contents;
    host::remove_leftovers(&host);
    let history = History::of(&campaign);
    let _roots = roots(&campaign, &host.cache)?;
    let layers = again(&campaign)?;
    let Campaign { mut plan, benchmarks: benches, .. } = campaign;
    if args.blocks.is_some() || args.budget.is_some() {
        plan.blocks = args.blocks;
        plan.budget_s = args.budget.map(|budget| budget.as_secs_f64());
        store.set_plan(&plan)?;
    }
    let prepared = Prepared { store, plan, layers, benches, history };
    let code = prepared.run(&host, &keeper, &mut Progress::new(), dir, Some(&args.format))?;
    if code == ExitCode::SUCCESS { compared::code(dir, false) } else { Ok(code) }
}

/// The whole blocks of a campaign that has finished, unless more of it is asked for.
fn finished(args: &ResumeArgs, dir: &Path) -> Result<Option<u32>> {
    let campaign = load(dir)?;
    let blocks = History::of(&campaign).whole();
    let more = args.budget.is_some() || args.blocks.is_some_and(|asked| asked > blocks);
    Ok((campaign.state == "finished" && !more).then_some(blocks))
}

/// Prints the scoreboard of a finished campaign, and how to ask for more.
fn as_it_is(args: &ResumeArgs, dir: &Path, blocks: u32) -> Result<ExitCode> {
    show::print(dir, &args.format)?;
    let text = "is finished, so nothing is measured; for more, give a larger --blocks or --budget";
    output::note(&format!("{} ({blocks} blocks) {text}.", dir.display()));
    compared::code(dir, false)
}

/// The roots of its layers' programs, which stay in the cache meanwhile.
fn roots(campaign: &Campaign, cache: &Path) -> Result<Vec<HeldRoot>> {
    let here = campaign.layers.iter().filter(|row| row.unavailable.is_none());
    let settings = here.map(|row| Ok((row.name.raw(), Settings::parse(row.settings.raw())?)));
    let settings: Vec<(&str, Settings)> = settings.collect::<Result<_>>()?;
    hold_roots(settings.iter().map(|(name, settings)| (*name, settings)), cache)
}

/// The campaign's layers as they were; those that could not run are left out still.
fn again(campaign: &Campaign) -> Result<Vec<CampaignLayer>> {
    let rows = &campaign.layers;
    let asked: Vec<Settings> =
        rows.iter().map(|row| Settings::parse(row.settings.raw())).collect::<Result<_, _>>()?;
    let made = layers(campaign.plan.machine, &asked)?.into_iter().zip(rows);
    let weighed = made.map(|(Asked { name, layer, .. }, row)| {
        let trial_s = row.unavailable.is_none().then_some(0.0);
        CampaignLayer { name, layer, trial_s }
    });
    Ok(weighed.collect())
}

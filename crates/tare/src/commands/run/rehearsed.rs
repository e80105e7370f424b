//! Programs before a campaign: each is run once on the baseline.

use super::{TrialBoots, Tried};
use crate::interrupt;
use crate::programs::{WantedProgram, is_program};
use crate::progress::Progress;
use anyhow::{Result, bail};
use tare_proto::BenchInfo;
use tare_run::{CampaignLayer, Event, Observer, SearchError};

/// The rows of a campaign of `benches` and `programs`, which are rehearsed on the layer `base`: programs come first.
pub fn rows(
    mut benches: Vec<BenchInfo>,
    programs: &mut [WantedProgram],
    base: Option<&Tried>,
    on: &TrialBoots,
    progress: &mut Progress,
) -> Result<Vec<BenchInfo>> {
    if let Some(base) = base.filter(|_| !programs.is_empty()) {
        all(programs, &base.weighed, on, progress)?;
        benches.retain(|bench| !is_program(bench));
        benches.splice(0..0, programs.iter().flat_map(|program| program.benches.clone()));
    }
    Ok(benches)
}

/// Rehearses every one of `programs` on `base`. One that cannot run there ends the campaign before it begins.
fn all(
    programs: &mut [WantedProgram],
    base: &CampaignLayer,
    on: &TrialBoots,
    progress: &mut Progress,
) -> Result<()> {
    let search = on.search(base);
    let name = base.name.as_str();
    for program in programs {
        let row = program.benches[0].name.clone();
        progress.event(Event::Rehearsing { name: &row, layer: name });
        match search.rehearse(&program.planned, program.parse.as_deref()) {
            Ok(found) => {
                program.rehearsed(&found)?;
                program.on(on.machine);
            }
            Err(SearchError::Session(_)) if interrupt::interrupted() => return Ok(()),
            Err(SearchError::Refused(why)) => {
                bail!("{row} fails on {name}, and nothing was measured: {why}")
            }
            Err(why) => bail!("{row} cannot be tried on {name}: {why}"),
        }
    }
    Ok(())
}

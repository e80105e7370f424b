//! Runs a campaign to its end, whether new or resumed.

use crate::commands::{report, show};
use crate::policy::Policy;
use crate::progress::Progress;
use crate::shell::quote;
use crate::{cli, interrupt, output};
use anyhow::{Error, Result};
use std::path::Path;
use std::process::ExitCode;
use tare_layers::{Host, Keeper};
use tare_proto::BenchInfo;
use tare_run::{CampaignLayer, ENOUGH_BLOCKS, Ending, History, RunError, Setup};
use tare_store::{Plan, Store};

/// A campaign that is ready to run or to go on.
pub struct Prepared {
    pub store: Store,
    pub plan: Plan,
    pub layers: Vec<CampaignLayer>,
    pub benches: Vec<BenchInfo>,
    pub history: History,
}

impl Prepared {
    /// Runs it to its end; in a form that is to be `shown`, prints the scoreboard and says where everything is.
    pub fn run(
        self,
        host: &Host,
        keeper: &Keeper,
        progress: &mut Progress,
        out: &Path,
        shown: Option<&cli::FormatArgs>,
    ) -> Result<ExitCode> {
        let Prepared { mut store, plan, layers, benches, history } = self;
        tare_run::stay_off(&plan.cpus);
        tare_run::stay_off(&plan.wide);
        if Policy::for_machine(plan.machine).host_matters
            && let Some(busy) = crate::environment::record(&mut store, &plan.cpus)?
        {
            output::note(&busy);
        }
        let interrupted = interrupt::interrupted;
        let setup = Setup { plan, layers, benches, host, keeper, interrupted };
        let ended = tare_run::run(&setup, store, history, progress);
        progress.finish();
        let (ending, own) = ended.map_err(|error| stopped(error, out, shown))?;
        let Some(format) = shown else {
            let done = if ending == Ending::Finished { 0 } else { cli::INTERRUPTED };
            return Ok(done.into());
        };
        let shown = show::print(out, format);
        let page = report::leave_in(out);
        let out_text = out.display().to_string();
        let dir = quote(&out_text);
        let code = match ending {
            Ending::Finished => {
                say_what_is_missing(out, &dir);
                output::note(&format!(
                    "Kept in {dir}; 'tare show {dir}' prints it again, --long with a table for each layer. \
                     While measuring, tare itself used {:.2}% of a CPU.",
                    own.percent()
                ));
                if let Some(page) = page {
                    output::note(&format!("'tare open {dir}' shows the page: {}", page.display()));
                }
                ExitCode::SUCCESS
            }
            Ending::Interrupted => {
                output::note(&format!("Interrupted; 'tare resume {dir}' continues."));
                cli::INTERRUPTED.into()
            }
        };
        shown.map(|()| code)
    }
}

/// Says how to go on with a campaign of too few blocks.
fn say_what_is_missing(out: &Path, dir: &str) {
    let Ok(campaign) = tare_store::load(out) else { return };
    let blocks = History::of(&campaign).whole();
    if blocks < ENOUGH_BLOCKS {
        let have = tare_board::format::count(blocks as usize, "block");
        output::note(&format!(
            "{have} of at least {ENOUGH_BLOCKS}: no verdicts yet; 'tare resume {dir} --blocks 5' measures what is missing."
        ));
    }
}

/// Shows what there is of a campaign that could not go on; the error says why, and where that is.
fn stopped(error: RunError, out: &Path, shown: Option<&cli::FormatArgs>) -> Error {
    let error = Error::new(error);
    if !tare_store::load(out).is_ok_and(|campaign| !campaign.boots.is_empty()) {
        return error;
    }
    // Why the campaign stopped matters more than what becomes of this.
    if let Some(format) = shown {
        let _ = show::print(out, format);
        report::leave_in(out);
    }
    error.context(format!("the campaign stopped; what it has measured is in {}", out.display()))
}

//! `tare open`: shows a campaign's page in a browser where there is one. Its path is printed in any case.

use super::{merged_result, report};
use crate::cli::OpenArgs;
use crate::{newest, output};
use anyhow::Result;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tare_board::{Options, scoreboard};
use tare_store::load;

/// A browser that fails says so within this time; one that goes on has taken the page.
const PATIENCE: Duration = Duration::from_secs(2);

/// Writes the page anew, so that it also shows a campaign that still runs, and opens it.
pub fn open(args: &OpenArgs) -> Result<ExitCode> {
    let dir = newest::campaign(args.dir.as_deref())?;
    let page = match merged_result::is_in(&dir) {
        true => merged_result::page(&dir, &merged_result::load(&dir)?)?,
        false => {
            let campaign = load(&dir)?;
            let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
            report::page(&dir, &campaign, &board)?
        }
    };
    output::print(&format!("{}\n", page.display()))?;
    output::note(&match browser() {
        Some(browser) => shown(&browser, &page),
        None => {
            "There is no desktop here, so no browser was started: open this file in one.".into()
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// The program that shows pages: the first that `$BROWSER` names, or the desktop's usual one.
fn browser() -> Option<OsString> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let named = set("BROWSER").and_then(|names| env::split_paths(&names).next());
    let desktop = || set("DISPLAY").or_else(|| set("WAYLAND_DISPLAY")).map(|_| "xdg-open".into());
    named.map(OsString::from).or_else(desktop)
}

/// Starts `browser` with `page`; what came of it, for people.
fn shown(browser: &OsStr, page: &Path) -> String {
    let name = browser.to_string_lossy();
    let mut command = Command::new(browser);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            return format!("{name} cannot be started ({error}): open this file yourself.");
        }
    };
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if !status.success() => {
                return format!("{name} failed ({status}): open this file yourself.");
            }
            Ok(None) if Instant::now() < end => sleep(Duration::from_millis(20)),
            _ => return format!("Shown by {name}."),
        }
    }
}

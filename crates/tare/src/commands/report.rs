//! `tare report`: writes a campaign's report as one HTML file, or as text, Markdown, CSV, SVG or PNG; the history of
//! several campaigns as HTML. `tare run` leaves the same files beside its campaign.

use super::style::{COLUMNS, PAGE};
use super::{merged_result, style};
use crate::cli::{ReportArgs, ReportFormat};
use crate::usage::wrong_usage;
use crate::{files, output};
use anyhow::{Result, bail};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tare_board::{Extras, Options, Scoreboard, scoreboard};
use tare_layers::suggestion;
use tare_report::{
    FORMS, benchmark_svg, history_html, html, load_svg, overview_svg, png, vmi_tables,
};
use tare_store::{Campaign, load};

/// Pixels of a PNG for each unit of the figure.
const PIXELS: f32 = 2.0;

pub fn report(args: &ReportArgs) -> Result<ExitCode> {
    match args.dirs.as_slice() {
        [dir] if merged_result::is_in(dir) => of_hosts(dir, args)?,
        [dir] => one(dir, args)?,
        several => history(several, args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page and the scoreboard's forms beside the campaign in `dir`. What cannot be written is said, and ends
/// nothing: the campaign itself is safe. The page's absolute path, if it is written.
pub fn leave_in(dir: &Path) -> Option<PathBuf> {
    let written = load(dir).map_err(anyhow::Error::from).and_then(|campaign| {
        let board = scoreboard(&campaign, &Options::from_plan(&campaign.plan));
        let style = style::in_file();
        for form in FORMS {
            let Some(file) = form.file else { continue };
            files::replace(&dir.join(file), (form.board)(&board, &style).as_bytes())?;
        }
        page(dir, &campaign, &board)
    });
    let failed = |error| output::note(&format!("tare: the report is not written: {error:#}"));
    written.map_err(failed).ok()
}

/// Writes the page of the campaign in `dir` into it; its absolute path.
pub fn page(dir: &Path, campaign: &Campaign, board: &Scoreboard) -> Result<PathBuf> {
    let path = std::path::absolute(dir.join(PAGE))?;
    files::replace(&path, html(campaign, board, &Extras::of(campaign, board)).as_bytes())?;
    Ok(path)
}

fn board(campaign: &Campaign, args: &ReportArgs) -> Scoreboard {
    let mut options = Options::from_plan(&campaign.plan);
    options.estimator = args.estimator.or(options.estimator);
    scoreboard(campaign, &options)
}

fn one(dir: &Path, args: &ReportArgs) -> Result<()> {
    if args.bench.is_some() && !matches!(args.format, ReportFormat::Svg | ReportFormat::Png) {
        wrong_usage!("--bench chooses a figure, so it needs --format svg or png");
    }
    let campaign = load(dir)?;
    let board = board(&campaign, args);
    let figure = || match &args.bench {
        None => Ok(overview_svg(&board)),
        Some(name) => figure(&campaign, &board, name),
    };
    match args.format {
        ReportFormat::Html => {
            let path = args.out.clone().unwrap_or_else(|| dir.join(PAGE));
            keep(&path, html(&campaign, &board, &Extras::of(&campaign, &board)).as_bytes())
        }
        ReportFormat::Form(form) => {
            let style = style::in_file();
            deliver(args, (form.board)(&board, &style).as_bytes())
        }
        ReportFormat::Tables => {
            let columns = if args.out.is_some() { COLUMNS } else { output::width() };
            deliver(args, vmi_tables(&board, columns).as_bytes())
        }
        ReportFormat::Svg => deliver(args, figure()?.as_bytes()),
        ReportFormat::Png => {
            let picture = png(&figure()?, PIXELS)?;
            if args.out.is_none() && std::io::stdout().is_terminal() {
                wrong_usage!("a PNG cannot be shown in a terminal: name a file with --out");
            }
            deliver(args, &picture)
        }
    }
}

/// The curve of a benchmark that was measured at several loads, or the samples of one, of which `@1` is that at the load 1.
fn figure(campaign: &Campaign, board: &Scoreboard, name: &str) -> Result<String> {
    let at_one_load = || benchmark_svg(campaign, name.strip_suffix("@1").unwrap_or(name));
    let svg = load_svg(campaign, board, name).or_else(at_one_load);
    if let Some(svg) = svg {
        return Ok(svg);
    }
    let names: Vec<&str> = campaign.benchmarks.iter().map(|bench| bench.name.as_str()).collect();
    if names.contains(&name) {
        bail!("no layer of this campaign measured '{name}'");
    }
    wrong_usage!("no benchmark '{name}' in this campaign; {}", suggestion(name, &names));
}

fn history(dirs: &[PathBuf], args: &ReportArgs) -> Result<()> {
    if !matches!(args.format, ReportFormat::Html) {
        wrong_usage!(
            "the history of several campaigns exists only as HTML; for other formats name one campaign"
        );
    }
    let each = |dir: &PathBuf| -> Result<(String, Scoreboard)> {
        let campaign = load(dir)?;
        Ok((dir.display().to_string(), board(&campaign, args)))
    };
    let campaigns: Vec<(String, Scoreboard)> = dirs.iter().map(each).collect::<Result<_>>()?;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from("tare-history.html"));
    keep(&path, history_html(&campaigns).as_bytes())
}

/// The merged result of many hosts, which has a page and the scoreboard's forms.
fn of_hosts(dir: &Path, args: &ReportArgs) -> Result<()> {
    let found = merged_result::load(dir)?;
    match args.format {
        ReportFormat::Html => {
            let path = args.out.clone().unwrap_or_else(|| dir.join(PAGE));
            keep(&path, merged_result::html(&found).as_bytes())
        }
        ReportFormat::Form(form) => {
            let style = style::in_file();
            deliver(args, (form.fleet)(&merged_result::fleet_of(&found), &style).as_bytes())
        }
        _ => wrong_usage!(
            "the merged result of many hosts has no such form; use html or one of those of 'tare show'"
        ),
    }
}

/// To the file that was named, or to standard output.
fn deliver(args: &ReportArgs, content: &[u8]) -> Result<()> {
    match &args.out {
        Some(path) => keep(path, content),
        None => output::stream(|out| Ok(out.write_all(content)?)),
    }
}

fn keep(path: &Path, content: &[u8]) -> Result<()> {
    files::replace(path, content)?;
    output::note(&format!("Written to {}", path.display()));
    Ok(())
}

//! The merged result of many hosts: a folder with one small file, and what is written of it.

use super::style;
use crate::cli::FormatArgs;
use crate::{files, input, output};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use tare_board::{Fleet, Merged, Options, fleet};
use tare_report::{FORMS, fleet_html};
use tare_store::MERGED;

/// The largest file that is read, in bytes: ten thousand hosts.
const LONGEST: u64 = 256 << 20;

pub fn is_in(dir: &Path) -> bool {
    dir.join(MERGED).is_file()
}

pub fn load(dir: &Path) -> Result<Merged> {
    let path = dir.join(MERGED);
    let text = input::text(&path, LONGEST)?;
    Merged::from_json(&text).with_context(|| format!("cannot read {}", path.display()))
}

/// Refuses a place that holds a campaign: the forms of both have the same names.
pub fn check_place(dir: &Path) -> Result<()> {
    if dir.join(tare_store::FILE).exists() {
        bail!("{} is a campaign's directory; name another one with --out", dir.display());
    }
    Ok(())
}

/// Writes the merged result into `dir`, with its page and its other forms.
pub fn keep(dir: &Path, merged: &Merged) -> Result<()> {
    check_place(dir)?;
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    files::replace(&dir.join(MERGED), merged.to_json().as_bytes())?;
    let style = style::in_file();
    let fleet = fleet_of(merged);
    for form in FORMS {
        let Some(file) = form.file else { continue };
        files::replace(&dir.join(file), (form.fleet)(&fleet, &style).as_bytes())?;
    }
    files::replace(&dir.join(style::PAGE), fleet_html(&fleet).as_bytes())
}

/// Writes the page of the merged result in `dir`; its absolute path.
pub fn page(dir: &Path, merged: &Merged) -> Result<PathBuf> {
    let path = std::path::absolute(dir.join(style::PAGE))?;
    files::replace(&path, html(merged).as_bytes())?;
    Ok(path)
}

pub fn html(merged: &Merged) -> String {
    fleet_html(&fleet_of(merged))
}

pub fn fleet_of(merged: &Merged) -> Fleet {
    fleet(merged, &Options::from_plan(&merged.plan))
}

pub fn print(merged: &Merged, format: &FormatArgs) -> Result<()> {
    output::print(&(format.format.fleet)(&fleet_of(merged), &style::on_terminal(format)))
}

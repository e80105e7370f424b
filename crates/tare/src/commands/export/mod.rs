//! `tare export`: every sample of a campaign as one long table, for other programs.

#[cfg(feature = "parquet")]
mod parquet;

use crate::cli::{ExportArgs, ExportFormat};
use crate::output;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tare_report::csv_field;
use tare_store::{Campaign, Sample, load};

/// The columns, in this order in every form. New ones come last; none changes its meaning.
const COLUMNS: [&str; 8] = ["block", "slot", "role", "layer", "benchmark", "unit", "n", "value"];

/// Writes the samples as `args` ask for.
pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    if args.format == ExportFormat::Parquet {
        writable(args)?;
    }
    let campaign = load(&args.dir)?;
    match &args.out {
        Some(path) => whole_file(path, |file| write(&campaign, args.format, file))?,
        None => to_reader(write(&campaign, args.format, std::io::stdout()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether this tare writes Parquet, and to a file.
fn writable(args: &ExportArgs) -> Result<()> {
    if !cfg!(feature = "parquet") {
        bail!(
            "this tare is built without Parquet: 'cargo install --path crates/tare --features parquet' builds one \
             with it; --format csv needs nothing"
        );
    }
    if args.out.is_none() {
        bail!("Parquet goes into a file: name one with --out");
    }
    Ok(())
}

fn write(campaign: &Campaign, format: ExportFormat, out: impl Write + Send) -> Result<()> {
    match format {
        ExportFormat::Csv => Ok(csv(campaign, BufWriter::new(out))?),
        ExportFormat::Json => json(campaign, BufWriter::new(out)),
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => parquet::write(campaign, out),
        #[cfg(not(feature = "parquet"))]
        ExportFormat::Parquet => bail!("this tare is built without Parquet"),
    }
}

/// RFC 4180. Values are written with as many digits as read back to the same double.
fn csv(campaign: &Campaign, mut out: impl Write) -> std::io::Result<()> {
    write!(out, "{}\r\n", COLUMNS.join(","))?;
    for s in campaign.samples() {
        let (layer, benchmark) = (csv_field(s.layer), csv_field(s.benchmark));
        let Sample { block, slot, role, unit, n, value, .. } = s;
        let (role, unit) = (role.name(), unit.name());
        write!(out, "{block},{slot},{role},{layer},{benchmark},{unit},{n},{value}\r\n")?;
    }
    out.flush()
}

/// One object a line.
fn json(campaign: &Campaign, mut out: impl Write) -> Result<()> {
    for s in campaign.samples() {
        let row = serde_json::json!({
            "block": s.block, "slot": s.slot, "role": s.role.name(), "layer": s.layer,
            "benchmark": s.benchmark, "unit": s.unit.name(), "n": s.n, "value": s.value,
        });
        serde_json::to_writer(&mut out, &row)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// A closed pipe is the reader's right.
fn to_reader(written: Result<()>) -> Result<()> {
    let Err(error) = written else { return Ok(()) };
    let closed = error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    });
    if closed { Ok(()) } else { Err(error.context("cannot write to standard output")) }
}

/// Writes a file whole or not at all.
fn whole_file(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    let unfinished = PathBuf::from(unfinished);
    let written = File::create(&unfinished)
        .map_err(anyhow::Error::from)
        .and_then(|mut file| write(&mut file))
        .and_then(|()| Ok(std::fs::rename(&unfinished, path)?))
        .with_context(|| format!("cannot write {}", path.display()));
    match &written {
        Ok(()) => output::note(&format!("Written to {}", path.display())),
        Err(_) => {
            let _ = std::fs::remove_file(&unfinished);
        }
    }
    written
}

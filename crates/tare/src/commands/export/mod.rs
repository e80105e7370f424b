//! `tare export`: every sample of a campaign as one long table, for other programs.

mod parquet;

use crate::cli::{ExportArgs, ExportFormat};
use crate::usage::wrong_usage;
use crate::{files, output};
use anyhow::Result;
use std::io::{BufWriter, Write};
use std::process::ExitCode;
use tare_report::{csv_field, json_line};
use tare_store::{Campaign, Sample, load};

/// The columns, in this order in every form. New ones come last; none changes its meaning.
const COLUMNS: [&str; 8] = ["block", "slot", "role", "layer", "benchmark", "unit", "n", "value"];

/// Writes the samples as `args` ask for.
pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    if args.format == ExportFormat::Parquet && args.out.is_none() {
        wrong_usage!("Parquet needs a file: name one with --out");
    }
    let campaign = load(&args.dir)?;
    match &args.out {
        Some(path) => {
            files::put(path, |file| write(&campaign, args.format, file))?;
            output::note(&format!("Written to {}", path.display()));
        }
        None => output::stream(|out| write(&campaign, args.format, out))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write(campaign: &Campaign, format: ExportFormat, out: impl Write + Send) -> Result<()> {
    match format {
        ExportFormat::Csv => Ok(csv(campaign, BufWriter::new(out))?),
        ExportFormat::Json => json(campaign, BufWriter::new(out)),
        ExportFormat::Parquet => parquet::write(campaign, out),
    }
}

/// RFC 4180. Values are written with as many digits as read back to the same double.
fn csv(campaign: &Campaign, mut out: impl Write) -> std::io::Result<()> {
    write!(out, "{}\r\n", COLUMNS.join(","))?;
    for s in campaign.samples() {
        let layer = csv_field(s.layer);
        let benchmark = csv_field(s.benchmark);
        let Sample { block, slot, role, unit, n, value, .. } = s;
        let role = role.name();
        let unit = unit.name();
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
        writeln!(out, "{}", json_line(&row))?;
    }
    Ok(out.flush()?)
}

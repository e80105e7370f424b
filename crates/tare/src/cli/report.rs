//! Reports, as files and as a web page.

use super::values::{campaign, named, one_of};
use clap::Args;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use tare_report::{FORMS, Form};

/// What to report on, and in which form.
#[derive(Args)]
pub struct ReportArgs {
    /// Campaign directories; several give a history of each benchmark
    #[arg(required = true, value_name = "DIR", value_parser = campaign())]
    pub dirs: Vec<PathBuf>,
    #[arg(long, value_parser = report_format(), default_value = "html", hide_possible_values = true,
          help = format!("{} (text: report 000's tables)", one_of(report_formats().map(|(name, _)| name))))]
    pub format: ReportFormat,
    /// File to write [default: DIR/report.html, or tare-history.html for several campaigns; other formats go to standard
    /// output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The benchmark that svg or png shows: NAME for its curve over all loads, NAME@2 for its samples at the load 2
    /// [default: an overview of all]
    #[arg(long, value_name = "NAME")]
    pub bench: Option<String>,
    /// Estimator for every series, instead of its suite's: mean, median, p99, best-of-5, best-18-of-30
    #[arg(long, value_name = "ESTIMATOR")]
    pub estimator: Option<tare_stats::Estimator>,
}

/// A report's forms.
#[derive(Debug, Clone, Copy)]
pub enum ReportFormat {
    /// One page with everything.
    Html,
    /// Ratios with raw pairs, and widths of intervals, for mail.
    Tables,
    /// A figure.
    Svg,
    /// A figure as pixels.
    Png,
    /// One of the scoreboard's forms.
    Form(&'static Form),
}

/// Every form of a report with its name: its own, and those of the scoreboard that are called otherwise.
fn report_formats() -> impl Iterator<Item = (&'static str, ReportFormat)> {
    let own = [
        ("html", ReportFormat::Html),
        ("text", ReportFormat::Tables),
        ("svg", ReportFormat::Svg),
        ("png", ReportFormat::Png),
    ];
    let others = FORMS.iter().filter(move |form| own.iter().all(|(name, _)| *name != form.name));
    own.into_iter().chain(others.map(|form| (form.name, ReportFormat::Form(form))))
}

fn report_format() -> impl TypedValueParser<Value = ReportFormat> {
    named(report_formats())
}

/// Which page to show.
#[derive(Args)]
pub struct OpenArgs {
    /// The campaign's directory [default: the newest campaign of this folder]
    #[arg(value_parser = campaign())]
    pub dir: Option<PathBuf>,
}

/// What to serve, and where.
#[derive(Args)]
pub struct ServeArgs {
    /// Folders: campaigns, or folders that hold campaigns
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Address and port to listen on; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7878")]
    pub listen: std::net::SocketAddr,
}

//! Reports, as files and as a web page.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What to report on, and in which form.
#[derive(Args)]
pub struct ReportArgs {
    /// Campaign directories; several give a history of each benchmark
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// html, text (report 000's tables), md, csv, svg or png
    #[arg(long, value_enum, default_value_t = ReportFormat::Html, hide_possible_values = true)]
    pub format: ReportFormat,
    /// File to write [default: DIR/report.html, or tare-history.html for several campaigns; other formats go to standard
    /// output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The benchmark that svg or png shows [default: an overview of all]
    #[arg(long, value_name = "NAME")]
    pub bench: Option<String>,
    /// Estimator for every series, instead of its suite's: mean, median, best-of-5, best-18-of-30
    #[arg(long, value_name = "ESTIMATOR")]
    pub estimator: Option<tare_stats::Estimator>,
}

/// A report's forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One page with everything.
    Html,
    /// Ratios with raw pairs, and widths of intervals, for mail.
    Text,
    /// For a pull request.
    Md,
    /// One line a benchmark and layer.
    Csv,
    /// A figure.
    Svg,
    /// A figure as pixels.
    Png,
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

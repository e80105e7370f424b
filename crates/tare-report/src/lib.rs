//! `tare-report`: what a campaign says, as a value, as text, Markdown, JSON and CSV, as a page and as figures.
//!
//! No input or output and no statistics of its own: [`scoreboard`] turns a [`tare_store::Campaign`] into a plain
//! [`Scoreboard`] with `tare-stats`, and [`text`], [`markdown`] and [`json`] turn that into strings. Whatever a
//! campaign holds (names, reasons, consoles) is untrusted and is made harmless where it is written out.

mod assemble;
mod board;
mod cell;
mod clean;
mod comment;
mod compare;
mod csv;
mod explain;
mod floor;
mod format;
mod geomean;
mod headline;
mod html;
mod index;
mod json;
mod limit;
mod load;
mod markdown;
mod note;
mod options;
mod ranking;
mod shapes;
mod svg;
mod text;
mod values;
mod vmi;
mod warn;
mod words;

pub use assemble::scoreboard;
pub use board::{
    Cell, Counts, FailedBoot, Floor, Geomean, Index, IndexRow, LayerSummary, Mean, Measure, Method,
    OverallFloor, Pair, Presence, Provenance, Ratio, Row, Score, Scoreboard, Unavailable, Verdict,
};
pub use clean::clean;
pub use comment::Comment;
pub use compare::{
    By, Campaigned, CompareError, CompareOptions, ComparedLayer, ComparedRow, Comparison,
    Condition, ConditionError, Difference, Failing, Gate, Judged, compare, compare_json,
    compare_markdown, compare_text,
};
pub use csv::{csv, csv_field};
pub use explain::{
    Explanation, Factors, Line, Metric, Metrics, Table, explain, explanation_text, factors,
    factors_text, metrics, metrics_text,
};
pub use html::{
    Counter, Extras, LoadCurve, LoadPoint, Shell, Usage, history_html, html, shell, summary_html,
};
pub use json::json;
pub use limit::limits;
pub use markdown::markdown;
pub use note::Note;
pub use options::Options;
pub use shapes::Finding;
pub use svg::{PngError, benchmark_svg, overview_svg, png};
pub use text::{Paint, TextStyle, text};
pub use vmi::vmi_tables;

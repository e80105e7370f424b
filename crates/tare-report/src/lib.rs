//! `tare-report`: writes what a campaign says as text, Markdown, JSON and CSV, as a page and as figures.
//!
//! No input or output and no statistics: every figure is read from the values of `tare-board`. Whatever a campaign
//! holds (names, reasons, consoles) is untrusted and is made harmless where it is written out.

mod cells;
mod certainty;
mod choices;
mod clean;
mod compare;
mod csv;
mod document;
mod enough;
mod explain;
mod fleet;
mod forms;
mod headline;
mod html;
mod index;
mod json;
mod legend;
mod markdown;
mod notices;
mod predict;
mod ranking;
mod restored;
mod sandbox;
mod scoreboard;
mod svg;
mod sweep;
mod text;
mod vmi;
mod words;

pub use clean::clean;
pub use compare::{UNTESTABLE, compare_json, compare_markdown, compare_text, gate_lines};
pub use csv::{csv, csv_field};
pub use explain::{
    alone_stacks_text, alone_text, explanations_text, factors_text, metrics_text, stacks_text,
    tried_text,
};
pub use fleet::{fleet_markdown, fleet_text};
pub use forms::{FORMS, Form};
pub use html::{Shell, compare_html, fleet_html, history_html, html, shell, summary_html};
pub use json::{json, json_line, json_text};
pub use predict::{held_text, prediction_text};
pub use scoreboard::{markdown, text};
pub use svg::{PngError, benchmark_svg, load_svg, overview_svg, png};
pub use text::{Paint, TextStyle};
pub use vmi::vmi_tables;

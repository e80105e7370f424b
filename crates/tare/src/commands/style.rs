//! How forms look on this terminal and in a file, and what the page is called.

use crate::cli::FormatArgs;
use crate::output;
use tare_report::{Paint, TextStyle};

/// The page's name in a directory of a campaign or of a merged result.
pub const PAGE: &str = "report.html";

/// Columns of a text that goes into a file.
pub const COLUMNS: usize = 80;

pub fn on_terminal(format: &FormatArgs) -> TextStyle {
    let seen = output::is_seen();
    TextStyle {
        width: output::width(),
        paint: output::paint(),
        details: !format.short && (format.long || !seen),
        last: seen,
    }
}

pub const fn in_file() -> TextStyle {
    TextStyle { width: COLUMNS, paint: Paint::Plain, details: true, last: false }
}

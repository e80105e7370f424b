//! The terminal's writer, and how its form looks.

mod page;
mod table;

pub use page::Paint;
pub(crate) use page::written;

/// How the terminal form looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns; no line is wider. Fewer than [`TextStyle::NARROWEST`] are taken as that.
    pub width: usize,
    /// Colour or none.
    pub paint: Paint,
    /// With a table of intervals, raw pairs and comments for every layer.
    pub details: bool,
    /// With what it comes to at the end, where a terminal's reader looks first.
    pub last: bool,
}

impl TextStyle {
    /// The fewest columns that a table needs.
    pub const NARROWEST: usize = 60;
}

/// 80 columns without colours.
pub(crate) const ON_PAPER: TextStyle =
    TextStyle { width: 80, paint: Paint::Plain, details: true, last: false };

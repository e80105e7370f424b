//! Small print below a plot, in as many lines as it needs.

use super::canvas::{Anchor, Canvas};
use crate::clean::{clean, wrap};

/// Width of a letter where it is widest: on a phone, where the page writes these lines larger.
const LETTER: f64 = 7.5;
/// Height of a line there.
const LINE: f64 = 14.0;

/// Lines that fit between a left edge and the plot's right one.
pub(crate) struct Print {
    left: f64,
    lines: Vec<String>,
}

impl Print {
    /// Breaks `text` for a plot of this width.
    pub(crate) fn new(text: &str, left: f64, width: f64) -> Print {
        let columns = ((width - left) / LETTER) as usize;
        Print { left, lines: wrap(&clean(text), columns) }
    }

    pub(crate) fn height(&self) -> f64 {
        LINE * self.lines.len() as f64
    }

    /// Writes it at the foot of a canvas that has room for it.
    pub(crate) fn at_foot(&self, canvas: &mut Canvas) {
        let top = canvas.size.1 - self.height();
        for (at, line) in self.lines.iter().enumerate() {
            let y = top + LINE * (at as f64 + 1.0) - 4.0;
            canvas.text("note", (self.left, y), Anchor::Start, line);
        }
    }
}

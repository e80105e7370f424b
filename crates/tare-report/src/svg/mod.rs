//! Drawing: scales, axes and marks as SVG text, and the figures made of them. Used inside the HTML page (where
//! variables colour the classes) and for the stand-alone files (where a small style sheet does).

pub(crate) mod axis;
pub(crate) mod bins;
pub(crate) mod canvas;
pub(crate) mod figure;
pub(crate) mod marks;
mod png;
pub(crate) mod print;
pub(crate) mod samples;
pub(crate) mod scale;
pub(crate) mod theme;

pub use figure::{benchmark_svg, load_svg, overview_svg};
pub use png::{PngError, png};

//! What a format is, and how one is applied.

use crate::{Fault, Figure, Sink};

/// The output of one tool.
pub struct Format {
    /// What the command line calls it.
    pub name: &'static str,
    /// One line: the tool, its versions and what is read.
    pub about: &'static str,
    /// Whether text that begins like this is of the format.
    pub sniff: fn(&str) -> bool,
    /// Reads a whole file's text into the sink.
    pub parse: fn(&str, &mut Sink) -> Result<(), Fault>,
}

/// What a file held.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parsed {
    /// Every figure, in the file's order; a name that comes again is a repeat.
    pub figures: Vec<Figure>,
    /// Lines that said nothing to the parser.
    pub unknown: usize,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// Reads `text` as `format`. `stem` is the file's name without folder and ending, `layer` the layer's name: some
/// tools do not print what was run.
///
/// # Errors
/// Text that is not of the format, with line and column.
pub fn parse(format: &Format, text: &str, stem: &str, layer: &str) -> Result<Parsed, Fault> {
    let mut sink = Sink { stem: stem.into(), layer: layer.into(), ..Sink::default() };
    (format.parse)(text, &mut sink)?;
    sink.or_nothing(text, format.name)?;
    Ok(Parsed { figures: sink.figures, unknown: sink.unknown, notes: sink.notes })
}

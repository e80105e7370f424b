//! What is wrong with a file, and where.

/// A file that is not what it claims to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// A sentence's worth.
    pub why: String,
}

impl Fault {
    /// A fault at a place.
    pub fn at(line: usize, column: usize, why: impl Into<String>) -> Fault {
        Fault { line: line.max(1), column: column.max(1), why: why.into() }
    }
}

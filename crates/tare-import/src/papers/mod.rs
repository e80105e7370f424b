//! Published results: their figures as data (`papers/*.toml`), and what follows from them.

mod findings;

pub use findings::{Finding, findings};

use serde::Deserialize;

/// Every paper's file: one row each.
const FILES: &[&str] = &[
    include_str!("../../papers/000.toml"),
    include_str!("../../papers/001.toml"),
    include_str!("../../papers/002.toml"),
    include_str!("../../papers/003.toml"),
    include_str!("../../papers/004.toml"),
];

/// A publication and its figures.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// What the command line calls it.
    pub id: String,
    /// What was weighed.
    pub title: String,
    /// Who published it, where and when.
    pub source: String,
    /// The year.
    pub year: u32,
    /// Machines, software and settings.
    pub configuration: Vec<String>,
    /// Tests that were named without figures.
    #[serde(default)]
    pub tests: Vec<String>,
    /// The tables.
    #[serde(default)]
    pub table: Vec<Table>,
    /// Percentages that were stated.
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// Rows that should be the sum of others.
    #[serde(default)]
    pub sum: Vec<Sum>,
}

/// One table: a value per row and column, the baseline's column first where there are ratios.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The layers, one a column.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// The index scores printed below, one a column.
    #[serde(default)]
    pub score: Vec<f64>,
    /// The rows that the text says lie outside their intervals.
    #[serde(default)]
    pub claimed_outside: Vec<String>,
    /// The rows that the table calls wide.
    #[serde(default)]
    pub called_wide: Vec<String>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The benchmark as the paper calls it.
    pub name: String,
    /// The benchmark as tare or an import calls it.
    pub own: Option<String>,
    /// The unit, empty where it is a plain number.
    #[serde(default)]
    pub unit: String,
    /// `higher` where that is the good end; `lower` when empty.
    #[serde(default)]
    pub better: String,
    /// What the row is in a decomposition.
    pub role: Option<String>,
    /// The values, one a column.
    pub values: Vec<f64>,
    /// The ratio as printed: second column / first.
    pub ratio: Option<f64>,
    /// Whole widths of the 95% intervals in percent of the mean, one a column.
    #[serde(default)]
    pub width: Vec<f64>,
    /// The best values, where the paper gives them too.
    #[serde(default)]
    pub best: Vec<f64>,
    /// What an index is relative to.
    pub baseline: Option<f64>,
    /// The indices as printed.
    #[serde(default)]
    pub index: Vec<f64>,
    /// Seconds that each measurement took.
    #[serde(default)]
    pub seconds: Vec<f64>,
    /// Samples behind each value.
    pub samples: Option<u32>,
}

/// A stated percentage, from and to; with a place in a table, it can be checked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What it is of.
    pub about: String,
    /// From and to.
    pub percent: [f64; 2],
    /// The table that it follows from.
    pub table: Option<String>,
    /// The row, or `score`.
    pub row: Option<String>,
    /// The column above the line.
    pub layer: Option<String>,
    /// The column below it.
    pub of: Option<String>,
}

/// A row that others add up to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    /// The table.
    pub table: String,
    /// The whole.
    pub total: String,
    /// Its parts.
    pub parts: Vec<String>,
}

impl Paper {
    /// The table called `name`.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.table.iter().find(|table| table.name == name)
    }
}

impl Table {
    /// The row called `name`.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The place of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// Every paper.
///
/// # Errors
/// A file that is no paper; a test sees to it that none is.
pub fn papers() -> Result<Vec<Paper>, toml::de::Error> {
    FILES.iter().map(|text| toml::from_str(text)).collect()
}
